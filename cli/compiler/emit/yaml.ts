/** Prints plain data as YAML 1.2, in the form of the package `yaml` and many times as fast: documents are megabytes. */

/** What JSON can hold; fields that are `undefined` are left out. */
export type Plain = unknown

/** A value that was printed before, for the place where it stands. */
export class Printed {
  readonly block: string

  constructor(block: string) {
    this.block = block
  }
}

/** Prints `value` to stand below a key or dash, its own lines at `indent`. */
export const printed = (value: Plain, indent: string): Printed => new Printed(blockOf(value, indent))

/** The document with a line break at its end. Keys keep their order; no anchors; lines are never folded. */
export function printYaml(value: Plain): string {
  const text = blockOf(value, '')
  return text.startsWith('\n') ? text.slice(1) : `${text.slice(1)}\n`
}

/** What stands after `key:` or `-` at `indent`: on the same line after a space, or on lines below. */
function blockOf(value: Plain, indent: string): string {
  if (typeof value !== 'object' || value === null) return ` ${scalarOf(value, indent)}`
  if (value instanceof Printed) return value.block
  if (Array.isArray(value)) return value.length === 0 ? ' []' : `\n${sequenceOf(value, indent)}`
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return fields.length === 0 ? ' {}' : `\n${mappingOf(fields, indent)}`
}

function mappingOf(fields: readonly (readonly [string, Plain])[], indent: string): string {
  let text = ''
  for (const [key, value] of fields) {
    const block = blockOf(value, `${indent}  `)
    text += `${indent}${keyOf(key, indent)}:${block}${block.startsWith('\n') ? '' : '\n'}`
  }
  return text
}

function sequenceOf(items: readonly Plain[], indent: string): string {
  let text = ''
  for (const item of items) {
    const block = blockOf(item, `${indent}  `)
    text += block.startsWith('\n')
      ? `${indent}- ${block.slice(indent.length + 3)}` // the first line of the inner block moves up beside the dash
      : `${indent}-${block}\n`
  }
  return text
}

function scalarOf(value: Plain, indent: string): string {
  if (typeof value === 'string') return textOf(value, indent)
  if (typeof value === 'number') return numberOf(value)
  return String(value ?? null)
}

function numberOf(value: number): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? '-0' : String(value)
  if (Number.isNaN(value)) return '.nan'
  return value > 0 ? '.inf' : '-.inf'
}

/** A text of several lines is a literal block where its spaces would survive. */
function textOf(text: string, indent: string): string {
  const isBlock = text.includes('\n') && /^\S/.test(text) && /\S$/.test(text) && !hidden.test(text)
  if (!isBlock) return lineOf(text)
  const inner = indent === '' ? '  ' : indent
  return `|-\n${inner}${text.replace(/\n(?!\n)/g, `\n${inner}`)}`
}

const longestImplicitKey = 1000 // YAML 1.2.2, 7.4.2: at most 1024 characters with its quotes

function keyOf(key: string, indent: string): string {
  const text = lineOf(key)
  return text.length <= longestImplicitKey ? text : `? ${text}\n${indent}`
}

const lines = new Map<string, string>()

/** On one line: plain where it would be read back as the same text, else in quotes. */
function lineOf(text: string): string {
  const known = lines.get(text)
  if (known !== undefined) return known
  const line = isPlain(text) ? text : quoted(text)
  if (text.length < 40 && lines.size < 10_000) lines.set(text, line)
  return line
}

/** Control characters and line ends that a reader may change. */
const hidden =
  /[^\P{Cc}\n]|[\u2028\u2029\uFEFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/u
/** Characters that mean something where they stand. Source: YAML 1.2.2, 7.3.3. */
const indicator = /^[\s,[\]{}#&*!|>'"%@`]|^[?-]$|^[?-]\s|:\s|\s#|[\s:-]$|\n/
/** Other types of the core schema. Source: YAML 1.2.2, 10.3.2. */
const typed =
  /^(?:~|null|Null|NULL|true|True|TRUE|false|False|FALSE|[-+]?\d+|0o[0-7]+|0x[\da-fA-F]+|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)|[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?)?$/

const isPlain = (text: string): boolean =>
  !indicator.test(text) && !typed.test(text) && !/^(?:---|\.\.\.)/.test(text) && !hidden.test(text)

function quoted(text: string): string {
  if (text.includes('"') && !text.includes("'") && !text.includes('\n') && !hidden.test(text))
    return `'${text}'`
  return JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029\uFEFF]/g, escaped)
}

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
