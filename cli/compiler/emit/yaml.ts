/** Prints plain data as YAML 1.2, in the form of the package `yaml` and many times as fast: documents are megabytes. */

/** What JSON can hold; fields that are `undefined` are left out. */
export type Plain = unknown

/** The lines of `value`, each at `indent` and with a line break at its end. Keys keep their order; no anchors; lines are
 *  never folded. */
export function printYaml(value: Plain, indent = ''): string {
  if (!hasLines(value)) return `${indent}${besideOf(value, indent)}\n`
  const out: string[] = []
  addBelow(out, value, { indent, start: indent })
  return out.join('') // one flat text: V8 keeps added ones as a tree, which the next printer has to walk
}

class OneLine {
  readonly value: Plain
  constructor(value: Plain) {
    this.value = value
  }
}

/** `value` on one line, however much it holds: `{ a: 1, b: [2] }`. */
export const oneLine = (value: Plain): Plain => new OneLine(value)

function flowOf(value: Plain): string {
  if (Array.isArray(value)) return `[${value.map(flowOf).join(', ')}]`
  if (typeof value === 'string') return wordOf(value)
  if (typeof value !== 'object' || value === null) return scalarOf(value, '')
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  if (fields.length === 0) return '{}'
  const pairs = fields.map(([key, field]) => {
    const word = wordOf(key)
    return `${word.length <= longestImplicitKey ? word : `? ${word} `}: ${flowOf(field)}`
  })
  return `{ ${pairs.join(', ')} }`
}

/** A text between brackets, where commas and brackets mean something. */
const wordOf = (text: string): string => {
  const line = lineOf(text)
  return line === text && /[,[\]{}]/.test(text) ? quoted(text) : line
}

/** Whether it is a list or an object that is not empty: everything else stands beside its key or dash. */
function hasLines(value: Plain): value is object {
  if (typeof value !== 'object' || value === null || value instanceof OneLine) return false
  if (Array.isArray(value)) return value.length > 0
  for (const key in value) {
    if (Object.hasOwn(value, key) && value[key as keyof typeof value] !== undefined) return true // its own key
  }
  return false
}

/** Every line stands at `indent` but the first, which follows `start`. */
interface Layout {
  readonly indent: string
  readonly start: string
}

function addBelow(out: string[], value: object, place: Layout): void {
  if (Array.isArray(value)) addItems(out, value, place)
  else addFields(out, value, place)
}

function addFields(out: string[], value: object, { indent, start }: Layout): void {
  const inner = `${indent}  `
  let before = start
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue
    const field: Plain = value[key as keyof typeof value] // its own key
    if (field === undefined) continue
    out.push(before, printKey(key, indent))
    before = indent
    if (hasLines(field)) {
      out.push(':\n')
      addBelow(out, field, { indent: inner, start: inner })
    } else {
      out.push(': ', besideOf(field, inner), '\n')
    }
  }
}

/** The first line of an item stands beside its dash. */
function addItems(out: string[], items: readonly Plain[], { indent, start }: Layout): void {
  const inner = `${indent}  `
  let before = start
  for (const item of items) {
    if (hasLines(item)) addBelow(out, item, { indent: inner, start: `${before}- ` })
    else out.push(before, '- ', besideOf(item, inner), '\n')
    before = indent
  }
}

/** What stands on the line of its key or dash. */
function besideOf(value: Plain, indent: string): string {
  if (typeof value !== 'object' || value === null) return scalarOf(value, indent)
  if (value instanceof OneLine) return flowOf(value.value)
  return Array.isArray(value) ? '[]' : '{}'
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

/** A key of a mapping at `indent`. */
export function printKey(key: string, indent: string): string {
  const text = lineOf(key)
  return text.length <= longestImplicitKey ? text : `? ${text}\n${indent}`
}

/** On one line: plain where it would be read back as the same text, else in quotes. */
const lineOf = (text: string): string => (isWord(text) || isPlain(text) ? text : quoted(text))

/** Nothing but letters, digits and signs that mean nothing wherever they stand: as nearly all keys and texts are. */
const isWord = (text: string): boolean =>
  /^[A-Za-z_](?:[\w ./()-]*[\w./()])?$/.test(text) && (text.length > 5 || !typed.test(text))

/** What a person does not see though a program reads it (zero width, bidirectional, tag characters), but where it makes one sign of
 *  pictures; the blank of Braille too. Source: Unicode, DerivedCoreProperties, Default_Ignorable_Code_Point; UTS 51, 1.4. */
const unseen =
  /(?!(?<=\p{Extended_Pictographic})\uFE0F)(?!(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F)\u200D(?=\p{Extended_Pictographic}))[\p{Default_Ignorable_Code_Point}\u2800]/u
/** Control characters and line ends that a reader may change. */
const control =
  /[^\P{Cc}\n]|[\u2028\u2029\uFEFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/u
const hidden = new RegExp(`${unseen.source}|${control.source}`, 'u')
/** Characters that mean something where they stand. Source: YAML 1.2.2, 7.3.3. */
const indicator = /^[\s,[\]{}#&*!|>'"%@`]|^[?-]$|^[?-]\s|:\s|\s#|[\s:-]$|\n/
/** What some reader takes for another type than a text: of YAML 1.2 the core schema, of 1.1 also `on`, `1:30`, `1_000`, dates, `<<` and
 *  `=`; Psych reads `1,000`. Source: YAML 1.2.2, 10.3.2. */
const typed = new RegExp(
  [
    '^(?:',
    '~|null|Null|NULL|<<|=',
    '|true|True|TRUE|false|False|FALSE|y|Y|yes|Yes|YES|n|N|no|No|NO|on|On|ON|off|Off|OFF',
    '|[-+]?0[bB][01_]+|[-+]?0[oO][0-7_]+|[-+]?0[xX][\\da-fA-F_,]+',
    '|[-+]?\\d[\\d_,]*(?::[0-5]?\\d)*(?:\\.[\\d_]*)?(?:[eE][-+]?\\d+)?',
    '|[-+]?\\.[\\d_]*(?:[eE][-+]?\\d+)?',
    '|[-+]?\\.(?:inf|Inf|INF)|\\.(?:nan|NaN|NAN)',
    '|\\d{4}-\\d\\d?-\\d\\d?(?:(?:[Tt]|[ \\t]+)\\d.*)?',
    ')?$',
  ].join(''),
)

const isPlain = (text: string): boolean =>
  !indicator.test(text) && !typed.test(text) && !/^(?:---|\.\.\.)/.test(text) && !hidden.test(text)

function quoted(text: string): string {
  if (/^[ !#-[\]-~]*$/.test(text)) return `"${text}"` // nothing to escape, as in nearly all
  if (text.includes('"') && !text.includes("'") && !text.includes('\n') && !hidden.test(text))
    return `'${text}'`
  return JSON.stringify(text).replace(escapable, escaped)
}

const escapable = new RegExp(`[\\u007f-\\u009f\\u2028\\u2029\\uFEFF]|${unseen.source}`, 'gu')

function escaped(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16)
  return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`
}
