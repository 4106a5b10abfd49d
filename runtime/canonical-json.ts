/** Canonical JSON, for digests of what callers send. Imports nothing of ours. */

/** Longer texts are handed on, so that a large document is in memory in parts. */
const chunkLength = 16_384

/** An open list or object: `names` are null for a list. */
interface Container {
  readonly value: object
  readonly names: readonly string[] | null
  readonly length: number
  next: number
}

/** Of objects that stand in many values. */
export type CanonicalTexts = Pick<WeakMap<object, string>, 'get'>

/** What is written of a value that is no list and no object. */
type ScalarText = (value: unknown) => string

const jsonScalar: ScalarText = (value) => JSON.stringify(value) ?? 'null'

/** As JSON, but for numbers that JSON writes as other values, or not at all. */
export const exactScalar: ScalarText = (value) => {
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'number') return jsonScalar(value)
  return Object.is(value, -0) ? '-0' : String(value)
}

/** As `writeCanonicalJson`, with other texts for `-0`, for numbers without an end and for bigints: no two values have the same. */
export const writeExactJson = (value: unknown, write: (text: string) => void): void =>
  writeJson(value, write, exactScalar)

/** A value of JSON as RFC 8785 has it: without blanks, names in the order of their UTF-16 units. Half of a surrogate pair, which that
 *  refuses, stays JSON's escape: calls with one have a digest too. Not recursive: a caller decides how deep arguments are. `texts`: what is
 *  known of objects in it. */
export const writeCanonicalJson = (
  value: unknown,
  write: (text: string) => void,
  texts?: CanonicalTexts,
): void => writeJson(value, write, jsonScalar, texts)

function writeJson(
  value: unknown,
  write: (text: string) => void,
  scalar: ScalarText,
  texts?: CanonicalTexts,
): void {
  const open: Container[] = []
  let text = ''
  let current = value
  for (;;) {
    if (typeof current === 'object' && current !== null) {
      const known = texts?.get(current)
      if (known === undefined) {
        const container = containerOf(current)
        text += container.names === null ? '[' : '{'
        open.push(container)
      } else text += known
    } else text += scalar(current)
    let container = open.at(-1)
    while (container !== undefined && container.next === container.length) {
      text += container.names === null ? ']' : '}'
      open.pop()
      container = open.at(-1)
    }
    if (text.length > chunkLength || container === undefined) {
      write(text)
      text = ''
    }
    if (container === undefined) return
    const name = container.names?.[container.next] ?? container.next
    text += `${container.next > 0 ? ',' : ''}${container.names === null ? '' : `${JSON.stringify(name)}:`}`
    current = Reflect.get(container.value, name)
    container.next += 1
  }
}

/** The whole of it. */
export function canonicalJson(value: unknown): string {
  let whole = ''
  writeCanonicalJson(value, (text) => {
    whole += text
  })
  return whole
}

function containerOf(value: object): Container {
  const names = Array.isArray(value) ? null : Object.keys(value).sort()
  return { value, names, length: Array.isArray(value) ? value.length : (names?.length ?? 0), next: 0 }
}
