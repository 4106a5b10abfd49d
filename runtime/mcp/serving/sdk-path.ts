/** Messages whose form our own path does not know: the SDK judges them, and what is right is answered from our own bytes and
 *  streams. So no form of a request makes a list be written anew, or opens a stream that our limits and checks do not know. */
import type { PermittedClient } from '../access/permission.ts'
import { type Era, isObject, metaKeys, modernVersion, type WireObject } from '../protocol/constants.ts'
import { messageAnswer, type Served } from '../protocol/http-refusal.ts'
import type { AskForPage, ListCache } from '../protocol/list-cache.ts'
import type { Streams } from '../streams/streams.ts'
import { filterIn } from '../tools/tool-methods.ts'
import type { ResultWriter } from './result-writer.ts'
import type { Incoming, ServeProtocol } from './sdk-server.ts'

export interface SdkPathOptions {
  readonly lists: ListCache
  readonly streams: Streams
  readonly texts: ResultWriter
}

/** Serves a message through the SDK, as far as it is the SDK's to answer. */
export type ServeBySdk = (incoming: Incoming & { readonly client: PermittedClient }) => Promise<Served>

export function createSdkPath(serve: ServeProtocol, { lists, streams, texts }: SdkPathOptions): ServeBySdk {
  return async (incoming) => {
    const { outcome, refusal, listed, typed } = await serve(incoming)
    if (typed !== null)
      return { outcome: messageAnswer(texts.call(idIn(incoming), 'modern', typed)), refusal }
    if (listed !== null) {
      const own = await lists(idIn(incoming), { ...incoming.listed, ...listed })
      return { outcome: own ?? outcome, refusal }
    }
    if (!isListen(incoming) || !(outcome.body instanceof ReadableStream)) return { outcome, refusal }
    const ended = await textIfEnded(outcome.body)
    const subscribed =
      ended === null
        ? streams.listen(idIn(incoming), incoming.client, filterIn(paramsIn(incoming)))
        : { ...outcome, body: ended }
    return { outcome: subscribed, refusal }
  }
}

/** Of something: this is in no text of JSON, where quotes are escaped. */
const acknowledged = '"notifications":{"'

/** The whole text of a subscription to nothing that there is, which ends at once; null for one that goes on. */
async function textIfEnded(body: ReadableStream<Uint8Array>): Promise<string | null> {
  let text = ''
  for await (const chunk of body) {
    text += Buffer.from(chunk).toString()
    if (text.includes(acknowledged)) return null // leaving the loop cancels the stream
  }
  return text
}

const isListen = ({ body }: Incoming): boolean =>
  body.kind === 'json' && isObject(body.value) && body.value.method === 'subscriptions/listen'

const paramsIn = ({ body }: Incoming): WireObject =>
  body.kind === 'json' && isObject(body.value) && isObject(body.value.params) ? body.value.params : {}

/** The id, which was found right, as JSON. */
const idIn = ({ body }: Incoming): string =>
  JSON.stringify(body.kind === 'json' && isObject(body.value) ? body.value.id : null)

/** Asks for a page as a client does. */
export function askThrough(serve: ServeProtocol): AskForPage {
  return async ({ era, cursor, ...listed }) => {
    const { outcome } = await serve({ ...listRequest(era, cursor), client: null, listed })
    const text = String(outcome.body)
    const message = /^data: ([^\r\n]*)/m.exec(text)?.[1] ?? text
    return JSON.parse(message).result ?? null
  }
}

function listRequest(era: Era, cursor: string | undefined): Pick<Incoming, 'head' | 'body'> {
  const method = 'tools/list'
  const isModern = era === 'modern'
  const headers = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    ...(isModern ? { 'mcp-protocol-version': modernVersion, 'mcp-method': method } : {}),
  }
  const params = {
    ...(cursor === undefined ? {} : { cursor }),
    ...(isModern ? { _meta: { [metaKeys.version]: modernVersion, [metaKeys.capabilities]: {} } } : {}),
  }
  return {
    head: { method: 'POST', headers, signal: new AbortController().signal },
    body: { kind: 'json', value: { jsonrpc: '2.0', id: 0, method, params } },
  }
}
