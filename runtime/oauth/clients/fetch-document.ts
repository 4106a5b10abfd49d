/** Fetches a stranger's JSON document without becoming their proxy into our network. Source:
 *  draft-ietf-oauth-client-id-metadata-document-02, 5, 8.6 and 8.7; rules.md, OAuth. */
import { type IncomingMessage, request as plainRequest } from 'node:http'
import { request } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { essence } from '../../http/input/media-type.ts'
import type { Network } from '../network.ts'

export interface FetchRules {
  readonly network: Network
  /** Whether a connection may go to this IP address. */
  readonly isAllowed: (address: string) => boolean
  /** Of the answer; default 5 KB. */
  readonly maxBytes?: number
}

export interface FetchedDocument {
  readonly bytes: Uint8Array
  /** The response's `Cache-Control`, or the empty text. */
  readonly cacheControl: string
}

/** The host answered, and the answer (or where the host is) is refused: asking again is cheap. */
export class DocumentRefused extends Error {}

const defaultMaxBytes = 5 * 1024

/** GETs `url` (https, or what its caller allows), within the network's time for name, connection and body together. Rejects unless every address of
 *  the host is allowed (the connection goes to one of those, whatever the name means by then) and the answer is a plain
 *  200 of JSON with at most `maxBytes`; a redirect is not followed. A refusal of ours is `DocumentRefused`. */
export async function fetchDocument(
  url: URL,
  { network, isAllowed, maxBytes = defaultMaxBytes }: FetchRules,
): Promise<FetchedDocument> {
  const signal = AbortSignal.timeout(network.documentTimeoutMs)
  const addresses = await orAborted(addressesOf(url, network), signal)
  if (addresses.length === 0) throw new Error('the host has no address')
  if (!addresses.every(isAllowed)) throw new DocumentRefused('the host is not on the public internet')
  const response = await get(url, { addresses, network, signal })
  try {
    refuseAnswer(response, maxBytes)
    return { bytes: await read(response, maxBytes), cacheControl: response.headers['cache-control'] ?? '' }
  } finally {
    response.destroy()
  }
}

/** An address in the URL is its own answer: connecting would not ask for one. */
async function addressesOf(url: URL, network: Network): Promise<readonly string[]> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return isIP(host) === 0 ? network.resolve(host) : [host]
}

interface Target {
  readonly addresses: readonly string[]
  readonly network: Network
  readonly signal: AbortSignal
}

function get(url: URL, { addresses, network, signal }: Target): Promise<IncomingMessage> {
  const ca = network.certificateAuthorities
  return new Promise((resolve, reject) => {
    const options = {
      agent: false,
      lookup: pinnedTo(addresses),
      signal,
      headers: { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'acmcp' },
      ...(ca === null ? {} : { ca: [...ca] }),
    } as const
    // 'close' alone ends an attempt to change protocols; after an answer both change nothing
    const closed = (): void => reject(new Error('the connection was closed'))
    const ask = url.protocol === 'http:' ? plainRequest : request
    ask(url, options, resolve).on('error', reject).once('close', closed).end()
  })
}

function pinnedTo(addresses: readonly string[]): LookupFunction {
  const known = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, options, callback) => {
    const [first] = known
    if (options.all === true || first === undefined) callback(null, known)
    else callback(null, first.address, first.family)
  }
}

function refuseAnswer({ statusCode, headers }: IncomingMessage, maxBytes: number): void {
  if (statusCode !== 200) throw new DocumentRefused(`the answer is ${statusCode}`)
  if (!/^application\/([\w.+-]+\+)?json$/.test(essence(headers['content-type'] ?? '')))
    throw new DocumentRefused('the answer is not JSON')
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new DocumentRefused('the answer is compressed')
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
}

async function read(response: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge(maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function tooLarge(maxBytes: number): DocumentRefused {
  return new DocumentRefused(`the answer is larger than ${maxBytes / 1024} KB`)
}

function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    work.then(resolve, reject)
  })
}
