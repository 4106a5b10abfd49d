/** A form for the arguments of a tool, made from its input schema. Plain types have a control of their own; everything else
 *  is written as JSON. What the form cannot know, the service judges. */
import { element } from './dom.ts'
import { arrayOf, isJsonObject, type JsonObject, objectOf, parsedJson, textOr } from './values.ts'

/** What a control holds: a value, nothing, or something that is no value, and why. */
type Reading =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'absent' }
  | { readonly kind: 'wrong'; readonly why: string }

/** An argument as its schema describes it. */
export interface Argument {
  readonly name: string
  readonly kind: 'text' | 'date' | 'number' | 'integer' | 'choice' | 'json'
  /** Of a choice. */
  readonly options: readonly unknown[]
  readonly isRequired: boolean
  readonly isNullable: boolean
  readonly schema: JsonObject
}

/** The arguments of a tool, in the order of its schema. */
export function argumentsOf(inputSchema: JsonObject): readonly Argument[] {
  const required = new Set(arrayOf(inputSchema.required))
  const definitions = objectOf(inputSchema.$defs)
  return Object.entries(objectOf(inputSchema.properties)).map(([name, declared]) => {
    const { schema, isNullable } = withoutNull(resolved(objectOf(declared), definitions), definitions)
    const options = optionsOf(schema)
    const kind = options.length > 0 ? 'choice' : kindOf(schema)
    return { name, kind, options, isRequired: required.has(name), isNullable, schema }
  })
}

/** A reference into the schema's own definitions, followed once: what refers further is written as JSON. Words beside the
 *  reference stay. */
function resolved(schema: JsonObject, definitions: JsonObject): JsonObject {
  const { $ref, ...beside } = schema
  const name = /^#\/\$defs\/([^/]+)$/.exec(textOr($ref, ''))?.[1] ?? ''
  return Object.hasOwn(definitions, name) ? { ...objectOf(definitions[name]), ...beside } : schema
}

function withoutNull(
  schema: JsonObject,
  definitions: JsonObject,
): { readonly schema: JsonObject; readonly isNullable: boolean } {
  const { anyOf, ...beside } = schema
  const members = arrayOf(anyOf).filter(isJsonObject)
  const others = members.filter(({ type }) => type !== 'null')
  const [only] = others
  if (only === undefined || others.length !== 1 || members.length !== 2) return { schema, isNullable: false }
  return { schema: { ...resolved(only, definitions), ...beside }, isNullable: true }
}

const isPlain = (value: unknown): boolean => value === null || typeof value !== 'object'

function optionsOf(schema: JsonObject): readonly unknown[] {
  if (schema.const !== undefined && isPlain(schema.const)) return [schema.const]
  const values = arrayOf(schema.enum)
  if (values.length > 0 && values.every(isPlain)) return values
  return schema.type === 'boolean' ? [true, false] : []
}

function kindOf({ type, format }: JsonObject): Argument['kind'] {
  if (type === 'string') return format === 'date' ? 'date' : 'text'
  return type === 'number' || type === 'integer' ? type : 'json'
}

/** One argument in the form. */
export interface Field {
  readonly name: string
  readonly element: HTMLElement
  /** Reads the control, and says next to it what is wrong. */
  read(): Reading
  focus(): void
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** The field of an argument; `id` is unique in the page. */
export function fieldOf(argument: Argument, id: string): Field {
  const control = controlOf(argument)
  const error = element('span', { class: 'wrong', id: `${id}-wrong`, role: 'alert' })
  control.id = id
  control.setAttribute('aria-describedby', `${id}-hint ${id}-wrong`)
  if (argument.isRequired) control.setAttribute('aria-required', 'true')
  const mark = argument.isRequired ? element('span', { class: 'badge' }, ['required']) : null
  const field = element('div', { class: 'field' }, [
    element('label', { for: id }, [element('code', {}, [argument.name]), ' ', mark]),
    element('span', { class: 'muted hint', id: `${id}-hint` }, [hintOf(argument)]),
    control,
    error,
  ])
  const read = (): Reading => {
    const reading = readingOf(argument, control)
    error.textContent = reading.kind === 'wrong' ? reading.why : ''
    control.setAttribute('aria-invalid', String(reading.kind === 'wrong'))
    return reading
  }
  return { name: argument.name, element: field, read, focus: () => control.focus() }
}

/** Type and text of the argument, as its schema has them. */
function hintOf({ kind, schema, isNullable }: Argument): string {
  const type = kind === 'json' ? 'JSON' : textOr(schema.type, 'one of these')
  const format = typeof schema.format === 'string' ? ` (${schema.format})` : ''
  const fallback = schema.default === undefined ? '' : `, default ${JSON.stringify(schema.default)}`
  const text = textOr(schema.description, '')
  return `${type}${format}${isNullable ? ' or null' : ''}${fallback}${text === '' ? '' : `: ${text}`}`
}

function controlOf({ kind, options, isNullable, schema }: Argument): Control {
  switch (kind) {
    case 'choice': {
      const offered = isNullable && !options.includes(null) ? [...options, null] : options
      const texts = offered.map((value) => JSON.stringify(value))
      const shown = texts.map((text) => element('option', { value: text }, [text]))
      return element('select', {}, [element('option', { value: '' }, ['–']), ...shown])
    }
    case 'json':
      return element('textarea', { rows: '3', spellcheck: 'false', placeholder: 'JSON' })
    case 'number':
    case 'integer':
      return element('input', { type: 'number', step: kind === 'integer' ? '1' : 'any', ...boundsOf(schema) })
    default:
      return element('input', { type: kind, autocomplete: 'off' })
  }
}

const boundsOf = (schema: JsonObject): Record<string, string> =>
  Object.fromEntries(
    [
      ['min', schema.minimum],
      ['max', schema.maximum],
    ].flatMap(([name, bound]) => (typeof bound === 'number' ? [[name, String(bound)]] : [])),
  )

function readingOf({ kind, isRequired, isNullable }: Argument, control: Control): Reading {
  const text = control.value
  if (control.validity.badInput)
    return wrong(kind === 'date' ? 'This is no whole date.' : 'This is no number.')
  if (text === '') {
    if (!isRequired) return { kind: 'absent' }
    return isNullable ? { kind: 'value', value: null } : wrong('This argument is required.')
  }
  if (kind === 'text' || kind === 'date') return { kind: 'value', value: text }
  const value = parsedJson(text)
  if (value === undefined) return wrong('This is not JSON.')
  if (kind === 'integer' && !Number.isInteger(value)) return wrong('This is no whole number.')
  if (kind === 'integer' && !Number.isSafeInteger(value))
    return wrong('JSON cannot carry so large a number exactly.')
  return { kind: 'value', value }
}

const wrong = (why: string): Reading => ({ kind: 'wrong', why })
