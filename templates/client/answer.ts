/** Reads the answer of a call. */
import type { AnswerContent, ClientOperation, JsonShape, JsonShapes } from './operation.ts'
import { type AnyAnswer, type ServerSentEvent, UnexpectedAnswer } from './public.ts'
import { ShapeReader } from './reader.ts'

/** Throws `UnexpectedAnswer` for what no documentation names. */
export async function answerOf(
  response: Response,
  answers: ClientOperation['answers'],
  shapes: JsonShapes,
): Promise<AnyAnswer> {
  const { status } = response
  const redirect = status === 0 ? Object.keys(answers).find((one) => one.startsWith('3')) : undefined // a browser hides it
  const content = answers[redirect ?? String(status)] ?? answers.default
  if (content === undefined) throw new UnexpectedAnswer(response, await response.text())
  const data = await dataIn(response, content, new ShapeReader(shapes))
  const told = redirect === undefined ? status : Number(redirect)
  return { ok: told < 400, status: told, data, response } as AnyAnswer // of either kind
}

async function dataIn(response: Response, content: AnswerContent, reader: ShapeReader): Promise<unknown> {
  const type = response.headers.get('content-type') ?? ''
  const isJson = /^[^;]*[/+]json\s*(;|$)/i.test(type)
  if (content.events !== undefined && /^text\/event-stream/i.test(type))
    return eventsOf(response.body, content.events, reader)
  if (content.bytes === true && !(isJson && content.json !== undefined)) return bytesOf(response.body)
  const text = await response.text()
  if (text === '' || Object.keys(content).length === 0) return undefined
  if (!isJson && content.text === true) return text
  try {
    return reader.read(content.json ?? 'json', JSON.parse(text))
  } catch {
    throw new UnexpectedAnswer(response, text)
  }
}

/** The body piece by piece; whoever stops reading ends the request. */
async function* bytesOf(body: Response['body']): AsyncGenerator<Uint8Array, void, undefined> {
  if (body === null) return
  const reader = body.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    await reader.cancel().catch(() => {})
  }
}

async function* eventsOf(
  body: Response['body'],
  shape: JsonShape,
  reader: ShapeReader,
): AsyncGenerator<ServerSentEvent<unknown>, void, undefined> {
  const decoder = new TextDecoder()
  let [event, id, rest] = ['', '', '']
  let data: string[] = []
  for await (const piece of bytesOf(body)) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split(/\r\n|\n|\r(?=.)/s)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
      if (line === '') {
        if (data.length > 0)
          yield { data: reader.read(shape, JSON.parse(data.join('\n'))), event: event || 'message', id }
        event = ''
        data = []
      } else if (name === 'data') data.push(value)
      else if (name === 'event') event = value
      else if (name === 'id') id = value
    }
  }
}
