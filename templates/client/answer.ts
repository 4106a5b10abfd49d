/** Reads the answer of a call. */
import { bytesOf, linesOf } from './body.ts'
import type { AnswerContent, Answers, JsonShape } from './operation.ts'
import { type AnyAnswer, type ServerSentEvent, UnexpectedAnswer } from './public.ts'
import type { ShapeReader } from './reader.ts'

/** Throws `UnexpectedAnswer` for what no documentation names. */
export async function answerOf(
  response: Response,
  answers: Answers,
  reader: ShapeReader,
): Promise<AnyAnswer> {
  const { default: others, ...documented } = answers
  const redirect = response.status === 0 && Object.keys(documented).find((name) => name.startsWith('3')) // a browser hides it
  const status = redirect ? Number(redirect) : response.status
  const content = documented[status] ?? (status >= 400 ? others : undefined)
  if (content === undefined) throw new UnexpectedAnswer(response, await response.text())
  const data = await dataIn(response, content, reader)
  return { ok: status < 400, status, data, response } as AnyAnswer // of either kind
}

async function dataIn(response: Response, content: AnswerContent, reader: ShapeReader): Promise<unknown> {
  const type = response.headers.get('content-type')?.replace(/\s*;.*$/s, '') ?? ''
  const isJson = /[/+]json$/i.test(type)
  const { json, events } = content
  if (events !== undefined && /^text\/event-stream$/i.test(type)) return eventsOf(response, events, reader)
  const isText = content.text === true && (type === '' || /^text\/|[/+](xml|yaml)$/i.test(type))
  if (content.bytes === true && !(isJson && json !== undefined) && !isText) return bytesOf(response.body)
  const text = await response.text()
  if (Object.keys(content).length === 0 || (text === '' && content.empty === true)) return undefined
  if (content.text === true && !(isJson && json !== undefined)) return text
  if (json === undefined || !(isJson || type === '')) throw new UnexpectedAnswer(response, text)
  return valueIn(response, text, (value) => reader.read(json, value))
}

function valueIn(response: Response, text: string, read: (json: unknown) => unknown): unknown {
  try {
    return read(JSON.parse(text))
  } catch {
    throw new UnexpectedAnswer(response, text)
  }
}

/** Source: WHATWG HTML, 9.2.6. What the stream breaks off in the middle of is no event. */
async function* eventsOf(
  response: Response,
  shape: JsonShape,
  reader: ShapeReader,
): AsyncGenerator<ServerSentEvent<unknown>, void, undefined> {
  const read = (json: unknown): unknown => reader.read(shape, json)
  let [event, id] = ['', '']
  let data: string[] = []
  for await (const line of linesOf(response.body)) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
    if (name === 'data') data.push(value)
    if (name === 'event') event = value
    if (name === 'id' && !value.includes('\0')) id = value
    if (line !== '') continue
    if (event === 'error') throw new UnexpectedAnswer(response, data.join('\n')) // the last one: the server says why
    if (data.length > 0)
      yield { data: valueIn(response, data.join('\n'), read), event: event || 'message', id }
    event = ''
    data = []
  }
}
