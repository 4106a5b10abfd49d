/** What a person is shown of a call: the sentence of its route, and every argument. */
import type { AnswerType } from '../contract/answer-type.ts'
import type { ShownCall } from '../contract/approval.ts'
import type { ParamDecoder } from '../contract/route.ts'
import { declaredPart } from '../http/output/declared-json.ts'
import { spelledOut } from '../http/output/hidden-characters.ts'
import type { CallInputs, InputFile } from './call-inputs.ts'

/** In place of what is `@secret`. */
const dots = '••••••'

interface Shown {
  readonly name: string
  readonly text: string
}

/** `name`: the tool's, or verb and path. Nothing that came is left out, also what nothing is declared to read. */
export function shownCall(
  inputs: CallInputs,
  { sentence, name, decoders }: Pick<ShownCall, 'sentence' | 'name'> & { decoders: readonly ParamDecoder[] },
): ShownCall {
  const named = new Map(decoders.map((decoder) => [`${decoder.from} ${decoder.name}`, decoder]))
  const shown = argumentsOf(inputs, named)
  return {
    sentence: filledIn(sentence, valuesOf(shown, decoders)),
    name,
    arguments: shown.map(({ name, text }) => ({ name, text })),
  }
}

interface Placed extends Shown {
  readonly from: ParamDecoder['from']
}

/** One argument, by the decoder that reads it. */
type Place = (from: Placed['from'], name: string, value: unknown) => Placed

type Decoders = ReadonlyMap<string, ParamDecoder>

function argumentsOf(inputs: CallInputs, decoders: Decoders): readonly Placed[] {
  const of: Place = (from, name, value) => {
    const codec = (decoders.get(`${from} ${name}`) ?? decoders.get(`field ${name}`))?.codec
    if (codec === undefined) return { from, name: `${name} (${from}, not declared)`, text: textOf(value) }
    return { from, name, text: codec.isSecret === true ? dots : textOf(concealed(value, codec.answer)) }
  }
  const { path, query, headers, cookies } = inputs
  return [
    ...Object.entries(path).map(([name, value]) => of(name === '*' ? 'rest' : 'path', name, value)),
    ...grouped(query).map(([name, value]) => of('query', name, value)),
    ...Object.entries(headers).map(([name, values]) =>
      of('header', headerName(name, decoders), oneOf(values)),
    ),
    ...Object.entries(cookies).map(([name, value]) => of('cookie', name, value)),
    ...inBody(inputs, decoders, of),
  ]
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
      return [
        ...grouped(body.fields).map(([name, value]) => of('field', name, value)),
        ...body.files.map(([name, file]) => of('field', name, described(file))),
      ]
    case 'text':
      return wholeOr(body.text, decoders, of)
    case 'json':
      return wholeOr(body.value, decoders, of)
  }
}

/** Each property of an object by its own name. */
function wholeOr(sent: unknown, decoders: Decoders, of: Place): readonly Placed[] {
  const whole = [...decoders.values()].find(({ from }) => from === 'body')
  if (whole?.codec.isSecret === true) return [{ from: 'body', name: whole.name, text: dots }]
  const value = concealed(sent, whole?.codec.answer)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [{ from: 'body', name: whole?.name ?? 'body', text: textOf(value) }]
  const plain: Place = (from, name, item) => ({ from, name, text: textOf(item) })
  const place = whole === undefined ? of : plain
  return Object.entries(value).map(([name, item]) => place('field', name, item))
}

const described = ({ name, type, size, sha256 }: InputFile): string =>
  `${name} (${type}, ${size} bytes, SHA-256 ${sha256})`

/** The values of a name together. */
function grouped(pairs: CallInputs['query']): readonly (readonly [string, unknown])[] {
  const values = new Map<string, string[]>()
  for (const [name, value] of pairs) {
    const known = values.get(name)
    if (known === undefined) values.set(name, [value])
    else known.push(value)
  }
  return [...values].map(([name, all]) => [name, oneOf(all)] as const)
}

const oneOf = (values: readonly string[]): unknown => (values.length === 1 ? values[0] : values)

/** The value with dots in place of what its type says is secret. */
function concealed(value: unknown, type: AnswerType | undefined): unknown {
  if (type === undefined) return value
  return dotted(value, declaredPart(value, type, { secrets: true, undeclared: false, hidden: false }))
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

const textOf = (value: unknown): string =>
  spelledOut(typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? ''))

/** By the public names of what the route reads, and of the properties of its body: never of what nothing reads. */
function valuesOf(shown: readonly Placed[], decoders: readonly ParamDecoder[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  const add = (places: readonly Placed['from'][], name: string, as = name): void => {
    const found = places.flatMap((from) => shown.find((item) => item.from === from && item.name === as) ?? [])
    if (found[0] !== undefined && !values.has(name)) values.set(name, found[0].text)
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

/** Values in quotes, unless they are one plain word: none can be read as a part of the sentence. */
function filledIn(sentence: string, values: ReadonlyMap<string, string>): string {
  return sentence.replace(/\{([^{}]+)\}/g, (_whole, name: string) => {
    const text = values.get(name)
    if (text === undefined) return '–'
    if (/^[\w.@+-]{1,64}$/.test(text)) return text
    const line = text
      .slice(0, longest + 1)
      .replace(/\p{Cc}+/gu, ' ')
      .replaceAll(/["“”]/g, "'")
    return `“${line.length > longest ? `${line.slice(0, longest)}…` : line}”`
  })
}
