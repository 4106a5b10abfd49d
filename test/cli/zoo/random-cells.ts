// biome-ignore-all lint/suspicious/noTemplateCurlyInString: types are written so
/** Random types made of those of the zoo, each in every place: what the types of strangers are like. */
import { rmSync } from 'node:fs'
import { diskHost } from '../../../cli/build/disk.ts'
import { compile } from '../../../cli/compiler/compile.ts'
import { Chance } from '../../flow/permission/support/random-scopes.ts'
import { type Cell, className, places } from './places.ts'
import { zooFolder } from './served.ts'

const scalars = [
  ...['string', 'number', 'Int32', 'bigint', 'Int64', 'boolean', 'Date', 'DateTime', 'Uuid', 'Email', 'Url'],
  ...['URL', 'Uint8Array', 'Color', 'Level', "'only'", '7', 'true', "'a' | 'b'", '1 | 2', '`v${number}`'],
  ...['UserId', 'Ticket', 'Word', 'Priority', 'Share', 'unknown'],
]
const objects = [
  ...['Point', 'Named', 'Nickname', 'Circle', 'Square', 'Card', 'Bank', 'Node', 'Tree', 'Derived', 'Order'],
  ...['Plain', '{ color: Color }', '{ at?: Date }'],
]

/** Random types of TypeScript. */
export class RandomTypes {
  readonly #chance: Chance

  constructor(seed: number) {
    this.#chance = new Chance(seed)
  }

  any(depth = 0): string {
    const kind = this.#chance.below(depth > 2 ? 3 : 16)
    if (kind < 2) return this.#pick(scalars)
    if (kind === 2) return this.#pick(objects)
    if (kind < 5) return `(${this.any(depth + 1)})[]`
    if (kind === 5) return this.#tuple(depth)
    if (kind === 6) return `Record<string, ${this.any(depth + 1)}>`
    if (kind === 7) return `Map<string, ${this.any(depth + 1)}>`
    if (kind === 8) return `Set<${this.#pick(scalars)}>`
    if (kind === 9) return `(${this.any(depth + 1)}) | null`
    if (kind === 10) return `(${this.any(depth + 1)}) | (${this.any(depth + 1)})`
    return this.object(depth)
  }

  object(depth: number): string {
    const kind = this.#chance.below(depth > 2 ? 1 : 9)
    if (kind === 0) return this.#pick(objects)
    if (kind === 1) return `Box<${this.any(depth + 1)}>`
    if (kind === 2) return `Envelope<${this.any(depth + 1)}>`
    if (kind === 3) return `Partial<${this.object(depth + 1)}>`
    if (kind === 4) return `(${this.#written(depth, 'i')} & ${this.#pick(objects)})`
    if (kind === 5) return this.#tagged(depth)
    if (kind === 6)
      return `{ known: ${this.any(depth + 1)}; [name: \`x-\${string}\`]: ${this.any(depth + 1)} }`
    return this.#written(depth, 'p')
  }

  #written(depth: number, prefix: string): string {
    const names = Array.from({ length: 1 + this.#chance.below(3) }, (_, place) => `${prefix}${place}`)
    const fields = names.map((name) => `${name}${this.#pick(['', '', '?'])}: ${this.any(depth + 1)}`)
    return `{ ${fields.join('; ')} }`
  }

  #tagged(depth: number): string {
    const members = ['a', 'b', 'c'].slice(0, 2 + this.#chance.below(2))
    return members.map((tag) => `{ tag: '${tag}'; of${tag}: ${this.any(depth + 1)} }`).join(' | ')
  }

  #tuple(depth: number): string {
    const own = [this.any(depth + 1), this.any(depth + 1)].slice(0, 1 + this.#chance.below(2))
    const more = this.#pick(['', `, (${this.any(depth + 1)})?`, `, ...(${this.any(depth + 1)})[]`])
    return `[${own.join(', ')}${more}]`
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#chance.below(list.length)] as T // it is not empty
  }
}

export interface RandomCells {
  readonly cells: readonly Cell[]
  /** A type in a place that the build refuses there, with what it says. */
  readonly refused: readonly string[]
}

/** The places of so many random types, without those that the build refuses at exactly that place. */
export function randomCells(count: number, seed: number): RandomCells {
  const random = new RandomTypes(seed)
  const types = [...new Set(Array.from({ length: count }, () => random.any()))]
  const all = places.flatMap((place) => types.map((type, index) => ({ place, name: `N${index}`, type })))
  const root = zooFolder(all)
  const { diagnostics } = compile(diskHost(root))
  rmSync(root, { recursive: true, force: true })
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  const isOf = (cell: Cell): ((error: (typeof errors)[number]) => boolean) => {
    const method = `${className(cell.place)}.${cell.name}`
    return ({ message }) => message.includes(`${method}(`) || message.includes(`'${method}'`)
  }
  const refused = all.filter((cell) => errors.some(isOf(cell)))
  const others = errors.filter((error) => !refused.some((cell) => isOf(cell)(error)))
  if (others.length > 0)
    throw new Error(
      others.map(({ code, message, at }) => `${at.file}:${at.line} ${code} ${message}`).join('\n'),
    )
  const said = (cell: Cell): string =>
    `${cell.place} ${cell.type}: ${errors.find(isOf(cell))?.code} ${errors.find(isOf(cell))?.message}`
  return { cells: all.filter((cell) => !refused.includes(cell)), refused: refused.map(said) }
}
