/** What a person is shown of a call: the sentence of its route, and every argument. */
import type { AnswerType } from '../../contract/answer-type.ts'
import type { ParamDecoder } from '../../contract/route.ts'
import type { CallInputs, InputFile } from '../../http/input/call-inputs.ts'
import { exactJson, jsonOf } from '../../http/input/input-json.ts'
import { target } from '../../http/output/answer-members.ts'
import { declaredPart } from '../../http/output/declared-json.ts'
import { spelledOut } from '../../http/output/hidden-characters.ts'
import type { ShownCall } from './types.ts'

/** In place of what is `@secret`. */
const dots = '••••••'

/** `name`: the tool's, or verb and path. Nothing that came is left out, also what nothing is declared to read. */
export function shownCall(
  inputs: CallInputs,
  { sentence, name, decoders, isOfTool }: Pick<ShownCall, 'sentence' | 'name'> & CallShape,
): ShownCall {
  const named = new Map(decoders.map((decoder) => [`${decoder.from} ${decoder.name}`, decoder]))
  const shown = argumentsOf(inputs, named)
  const isJson = isOfTool ? ofTool : ofRequest[inputs.body.kind]
  return {
    sentence: filledIn(sentence, valuesOf(shown, decoders)),
    name,
    arguments: shown.map((placed) => ({
      name: placed.name,
      text: placed.isText && isJson.has(placed.from) ? quotedWhereNeeded(placed.text) : placed.text,
    })),
  }
}

interface CallShape {
  readonly decoders: readonly ParamDecoder[]
  /** Whether all values are JSON: over HTTP an address, a header and a form have texts alone. */
  readonly isOfTool: boolean
}

interface Placed {
  readonly from: ParamDecoder['from']
  readonly name: string
  readonly text: string
  /** Whether the value itself is one. */
  readonly isText: boolean
}

type Places = ReadonlySet<Placed['from']>

/** Where values are JSON, by what came: an address, a header and a form have texts alone. */
const ofTool: Places = new Set(['path', 'rest', 'query', 'header', 'field', 'body', 'absent'])
const noPlaces: Places = new Set()
const ofRequest: Readonly<Record<CallInputs['body']['kind'], Places>> = {
  json: new Set(['field', 'body', 'absent']),
  text: new Set(['field']),
  form: noPlaces,
  bytes: noPlaces,
  none: noPlaces,
}

/** One argument, by the decoder that reads it. */
type Place = (from: Placed['from'], name: string, value: unknown) => Placed

type Decoders = ReadonlyMap<string, ParamDecoder>

function argumentsOf(inputs: CallInputs, decoders: Decoders): readonly Placed[] {
  const of: Place = (from, name, value) => {
    const codec = (decoders.get(`${from} ${name}`) ?? decoders.get(`field ${name}`))?.codec
    if (codec === undefined) return plain(from, `${name} (${from}, not declared)`, value)
    return plain(from, name, codec.isSecret === true ? dots : concealed(value, codec.answer))
  }
  const { path, query, headers, cookies } = inputs
  return [
    ...Object.entries(path).map(([name, value]) => of(name === '*' ? 'rest' : 'path', name, value)),
    ...grouped(query).map(([name, value]) => of('query', name, value)),
    ...Object.entries(headers).map(([name, value]) =>
      of('header', headerName(name, decoders), Array.isArray(value) ? oneOf(value) : value),
    ),
    ...Object.entries(cookies).map(([name, value]) => of('cookie', name, value)),
    ...inBody(inputs, decoders, of),
    ...answersIn(inputs, decoders),
  ]
}

/** Answers that are no arguments: the method reads them by itself. */
function answersIn({ round }: CallInputs, decoders: Decoders): readonly Placed[] {
  return Object.entries(round?.answers ?? {})
    .filter(([name]) => !decoders.has(`field ${name}`) && !decoders.has(`query ${name}`))
    .map(([name, answer]) => plain('absent', `${name} (answer)`, answer))
}

/** As the method writes it. */
const headerName = (name: string, decoders: Decoders): string =>
  [...decoders.values()].find((decoder) => decoder.from === 'header' && decoder.name.toLowerCase() === name)
    ?.name ?? name

function inBody({ body }: CallInputs, decoders: Decoders, of: Place): readonly Placed[] {
  switch (body.kind) {
    case 'none':
      return []
    case 'bytes':
      return [of('body', 'body', `${body.size} bytes, SHA-256 ${body.sha256}`)]
    case 'form':
      return formOr(body, decoders, of)
    case 'text':
      return wholeOr(body.text, decoders, of)
    case 'json':
      return wholeOr(body.value, decoders, of)
  }
}

const wholeOf = (decoders: Decoders): ParamDecoder | undefined =>
  [...decoders.values()].find(({ from }) => from === 'body')

/** The fields of a form, which may be the properties of the whole body. */
function formOr({ fields, files }: FormBody, decoders: Decoders, of: Place): readonly Placed[] {
  const sent = [
    ...grouped(fields),
    ...files.map(([name, file]): readonly [string, unknown] => [name, described(file)]),
  ]
  const whole = wholeOf(decoders)
  if (whole === undefined) return sent.map(([name, value]) => of('field', name, value))
  if (whole.codec.isSecret === true) return [secretBody(whole)]
  const read = Object.fromEntries(sent.map(([name, value]) => [name, structuresIn(value)]))
  const kept = Object(withDots(read, whole.codec.answer))
  return sent.map(([name, value]) =>
    plain('field', name, isSame(kept[name], read[name]) ? value : kept[name]),
  )
}

type FormBody = Extract<CallInputs['body'], { kind: 'form' }>

/** Each property of an object by its own name. */
function wholeOr(sent: unknown, decoders: Decoders, of: Place): readonly Placed[] {
  const whole = wholeOf(decoders)
  if (whole?.codec.isSecret === true) return [secretBody(whole)]
  const type = whole?.codec.answer
  const isObject = type !== undefined && target(type).kind === 'object'
  const value = concealed(isObject ? structureIn(sent) : sent, type)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [plain('body', whole?.name ?? 'body', value)]
  const place = whole === undefined ? of : plain
  return Object.entries(value).map(([name, item]) => place('field', name, item))
}

const plain: Place = (from, name, value) => ({
  ...{ from, name, text: textOf(value) },
  isText: typeof value === 'string',
})

const secretBody = ({ name }: ParamDecoder): Placed => plain('body', name, dots)

const described = ({ name, type, size, sha256 }: InputFile): string =>
  `${name} (${type}, ${size} bytes, SHA-256 ${sha256})`

/** The values of a name together. */
function grouped(pairs: CallInputs['query']): readonly (readonly [string, unknown])[] {
  const values = new Map<string, unknown[]>()
  for (const [name, value] of pairs) {
    const known = values.get(name)
    if (known === undefined) values.set(name, [value])
    else known.push(value)
  }
  return [...values].map(([name, all]) => [name, oneOf(all)] as const)
}

const oneOf = (values: readonly unknown[]): unknown => (values.length === 1 ? values[0] : values)

/** The value with dots in place of what its type says is secret, also in a text, or in one of several, that is read as JSON. */
function concealed(value: unknown, type: AnswerType | undefined): unknown {
  if (type === undefined) return value
  const read = structuresIn(value)
  const each = Array.isArray(read) ? read.map((item) => withDots(item, type)) : read
  const kept = withDots(each, type)
  return isSame(kept, read) ? value : kept
}

const withDots = (value: unknown, type: AnswerType | undefined): unknown =>
  type === undefined
    ? value
    : dotted(
        value,
        declaredPart(value, type, { secrets: true, withheld: true, undeclared: false, hidden: false }),
      )

const isSame = (a: unknown, b: unknown): boolean => exactJson(a) === exactJson(b)

const structuresIn = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(structureIn) : structureIn(value)

/** The list or object that a text holds as JSON; every other value as it is. */
function structureIn(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  let found: unknown
  try {
    found = JSON.parse(value)
  } catch {
    return value
  }
  return jsonOf(found)
}

function dotted(sent: unknown, kept: unknown): unknown {
  if (typeof sent !== 'object' || sent === null || typeof kept !== 'object' || kept === null) return kept
  if (Array.isArray(sent)) return sent.map((item, at) => dotted(item, Reflect.get(kept, at)))
  const part = ([name, item]: [string, unknown]): [string, unknown] => [
    name,
    Object.hasOwn(kept, name) ? dotted(item, Reflect.get(kept, name)) : dots,
  ]
  return Object.fromEntries(Object.entries(sent).map(part))
}

const textOf = (value: unknown): string => spelledOut(typeof value === 'string' ? value : jsonText(value))

/** In the quotes of JSON where another value would be shown by the same characters: `1` is a number, and `"1"` a text. */
function quotedWhereNeeded(text: string): string {
  if (!/^(?:[-\d[{"]|true$|false$|null$|Infinity$|NaN$)/.test(text)) return text
  try {
    const other: unknown = JSON.parse(text)
    const shown = typeof other === 'string' ? quotedWhereNeeded(other) : textOf(other)
    return shown === text ? JSON.stringify(text) : text
  } catch {
    return /Infinity|NaN|\dn/.test(text) ? JSON.stringify(text) : text // as numbers that JSON does not have are shown
  }
}

/** Longer JSON stays on one line: what nests deeply would grow a hundredfold. */
const longestIndented = 10_000

function jsonText(value: unknown): string {
  const line = exactJson(value)
  const isExact = line === (JSON.stringify(value) ?? '')
  return line.length > longestIndented || !isExact ? line : (JSON.stringify(value, null, 2) ?? '')
}

/** By the public names of what the route reads, and of the properties of its body: never of what nothing reads. */
function valuesOf(shown: readonly Placed[], decoders: readonly ParamDecoder[]): ReadonlyMap<string, string> {
  const placed = new Map<string, string>()
  for (const { from, name, text } of shown)
    if (!placed.has(`${from} ${name}`)) placed.set(`${from} ${name}`, text)
  const values = new Map<string, string>()
  const add = (places: readonly Placed['from'][], name: string, as = name): void => {
    const found = places.map((from) => placed.get(`${from} ${as}`)).find((text) => text !== undefined)
    if (found !== undefined && !values.has(name)) values.set(name, found)
  }
  for (const { name, from } of decoders) {
    if (from === 'rest') add(['rest'], name, '*')
    else add(from === 'field' ? ['query', 'field'] : [from], name)
  }
  if (decoders.some(({ from }) => from === 'body'))
    for (const { name, from } of shown) if (from === 'field') add(['field'], name)
  return values
}

const longest = 200

/** What looks like the quotes around a value, and several single ones, which look the same. */
const doubleQuotes = /["“”„‟«»″‴‶‷⁗＂〝〞〟❝❞❠⹂״ײˮʺ˝]/g
const singleQuotes = /['‘’‚‛‹›′‵`´ʹʻʼʽʾʿˈˊˋ՚׳＇❛❜❟]([\s\p{M}]*['‘’‚‛‹›′‵`´ʹʻʼʽʾʿˈˊˋ՚׳＇❛❜❟])+/gu

/** Values in quotes, unless they are a number, an id or an address: none can be read as a part of the sentence. */
function filledIn(sentence: string, values: ReadonlyMap<string, string>): string {
  return sentence.replace(/\{([^{}]+)\}/g, (_whole, name: string) => {
    const text = values.get(name)
    if (text === undefined) return '–'
    if (/^(?=.*[\d@])[\w.@+-]{1,64}$/.test(text)) return text
    const line = text
      .slice(0, longest + 1)
      .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
      .replaceAll(doubleQuotes, "'")
      .replaceAll(singleQuotes, "'")
    return `“${line.length > longest ? `${line.slice(0, longest)}…` : line}”`
  })
}
