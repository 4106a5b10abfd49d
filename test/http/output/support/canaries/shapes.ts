/** Types of answers: what each declares, and how TypeScript writes it. */

/** `text` is the type as TypeScript writes it. */
export type Shape = { readonly text: string } & (
  | { readonly kind: 'scalar' }
  | { readonly kind: 'open' }
  | { readonly kind: 'list'; readonly items: Shape }
  | { readonly kind: 'tuple'; readonly items: readonly Shape[] }
  | { readonly kind: 'map'; readonly values: Shape }
  | ObjectParts
  | { readonly kind: 'union'; readonly members: readonly Shape[]; readonly isTagged: boolean }
  | { readonly kind: 'name' }
)

interface ObjectParts {
  readonly kind: 'object'
  readonly fields: readonly Field[]
  /** What names that begin so hold. */
  readonly others: { readonly prefix: string; readonly shape: Shape } | null
}

export type ObjectShape = Shape & ObjectParts

export interface Field {
  readonly name: string
  readonly shape: Shape
  readonly isOptional: boolean
  readonly isSecret: boolean
}

export interface DrawnTypes {
  /** The module that declares them. */
  readonly module: string
  readonly answers: readonly Shape[]
  /** What a type that may hold itself declares. */
  readonly named: ReadonlyMap<string, ObjectShape>
}

/** What tells the members of a tagged union apart. */
export const tagName = 'kind'

export const scalar = (text: string): Shape => ({ kind: 'scalar', text })
const nullShape = scalar('null')
export const open: Shape = { kind: 'open', text: 'unknown' }
export const listOf = (items: Shape): Shape => ({ kind: 'list', items, text: `(${items.text})[]` })

/** A union of unions is one: TypeScript tells no difference. */
export function orNull(shape: Shape): Shape {
  const text = `${shape.text} | null`
  if (shape.kind === 'open' || shape.text.endsWith('null')) return shape
  if (shape.kind === 'union') return { ...shape, members: [...shape.members, nullShape], text }
  return { kind: 'union', members: [shape, nullShape], isTagged: false, text }
}

export const objectOf = (text: string, fields: readonly Field[]): ObjectShape => ({
  kind: 'object',
  text,
  fields,
  others: null,
})

export const unionText = (members: readonly Shape[]): string =>
  `(${members.map(({ text }) => text).join(' | ')})`

export function bodyOf({ fields, others }: ObjectShape): string {
  const lines = fields.map(({ name, shape, isOptional, isSecret }) => {
    const mark = isSecret && shape.text !== 'Sealed' ? '/** @secret */ ' : ''
    return `\n${mark}${JSON.stringify(name)}${isOptional ? '?' : ''}: ${shape.text};`
  })
  if (others === null) return `{${lines.join('')}\n}`
  const names = others.prefix === '' ? 'string' : `\`${others.prefix}\${string}\``
  return `{${lines.join('')}\n[name: ${names}]: ${others.shape.text}\n}`
}
