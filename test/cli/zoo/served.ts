/** The application of the zoo: built once, read in process, and called at each of its entrances. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InjectOptions } from 'fastify'
import { parse } from 'yaml'
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import type { AppBundle } from '../../../runtime/contract/bundle.ts'
import { openTestApp, type TestApp } from '../../../runtime/testing.ts'
import { linkPackage } from '../../support/linked.ts'
import { type AnyClient, buildWithClient, loadClient } from '../client/served-client.ts'
import { write } from '../support/built-app.ts'
import { argumentsWith, type OfParameter, type Published, routeOf, textsOf } from './cells.ts'
import { applicationOf, type Cell, className, type RequestPlace } from './places.ts'

/** What came of a value at an entrance: what the method got, or that it was refused. */
export type Outcome =
  | { readonly isTaken: true; readonly value: unknown }
  | { readonly isTaken: false; readonly why: string }

export interface Zoo extends Published {
  readonly codecs: AppBundle['codecs']
  tool(cell: Cell, value: unknown): Promise<Outcome>
  http(cell: Cell, value: unknown, how: Pick<OfParameter, 'isJson' | 'schema'>): Promise<Outcome>
  client(cell: Cell, value: unknown): Promise<Outcome>
  /** What a method answers, as HTTP and the typed client have it. */
  answer(
    cell: Cell,
    value: unknown,
  ): Promise<{ readonly status: number; readonly json: unknown; readonly read: unknown }>
  close(): Promise<void>
}

interface Exchange {
  readonly received: unknown[]
  answer: unknown
}

/** A folder with the application of these cells. */
export function zooFolder(cells: readonly Cell[]): string {
  const root = mkdtempSync(join(tmpdir(), 'acmcp-zoo-'))
  for (const [path, text] of Object.entries(applicationOf(cells))) write(root, path, text)
  linkPackage(root, ['zod'])
  return root
}

export async function openZoo(cells: readonly Cell[]): Promise<Zoo> {
  const root = zooFolder(cells)
  const client = await loadClient(root, await buildWithClient(root))
  const bundle = await loadBundle(root)
  const app = await openTestApp({ cwd: root, environment: { production: true } })
  const exchange: Exchange = { received: [], answer: null }
  Object.assign(globalThis, {
    acmcpZoo: {
      receive: (value: unknown) => void exchange.received.push(value),
      answer: () => exchange.answer,
    },
  })
  const api = client.createClient({ baseUrl: app.baseUrl, fetch: inProcess(app) })
  return {
    document: parse(readFileSync(join(root, 'generated/openapi.yml'), 'utf8')),
    tools: new Map(bundle.catalogue.tools.map(({ name, inputSchema }) => [name, inputSchema])),
    renamed: new Map(
      bundle.catalogue.tools.map(({ name, renamed = {} }) => [
        name,
        Object.assign({}, ...Object.values(renamed)),
      ]),
    ),
    codecs: bundle.codecs,
    tool: (cell, value) => outcomeOf(exchange, () => callTool(app, cell, value)),
    http: (cell, value, how) => outcomeOf(exchange, () => callHttp(app, cell, textsOf(value, how), value)),
    client: (cell, value) => outcomeOf(exchange, () => callClient(api, cell, value)),
    answer: async (cell, value) => {
      exchange.answer = value
      const answer = await app.application.server.inject({ method: 'GET', url: `/answer/${cell.name}` })
      const read = await api[groupOf('answer')]?.[cell.name]?.()
      return {
        status: answer.statusCode,
        json: answer.body === '' ? undefined : answer.json(),
        read: read?.data,
      }
    },
    close: async () => {
      await app.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

/** `call` tells why it was refused; null = it was not. */
async function outcomeOf(exchange: Exchange, call: () => Promise<string | null>): Promise<Outcome> {
  exchange.received.length = 0
  const why = await call()
  if (why !== null) return { isTaken: false, why }
  if (exchange.received.length !== 1) throw new Error('the method did not run once')
  return { isTaken: true, value: exchange.received[0] }
}

async function callTool(app: TestApp, cell: Cell, value: unknown): Promise<string | null> {
  const isFile = cell.type === 'Range' && cell.place === 'body' // a file of `@schema` stands for all arguments
  const args: unknown = isFile ? value : argumentsWith(cell.place as RequestPlace, value)
  const { statusCode, body } = await app.application.server.inject({
    method: 'POST',
    url: app.application.mcpPath,
    headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
    payload: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: routeOf(cell), arguments: args },
    },
  })
  const [, message = body] = /^data: (.*)$/m.exec(body) ?? [] // or one event
  const { result, error } = JSON.parse(message)
  if (error?.code === -32602 && !isObject(args)) return error.message // the protocol has no other arguments
  if (result === undefined) throw new Error(`${routeOf(cell)} was not called: ${statusCode} ${body}`)
  return result.isError === true ? result.content[0]?.text : null
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

type Request = InjectOptions

async function callHttp(
  app: TestApp,
  cell: Cell,
  texts: readonly string[],
  value: unknown,
): Promise<string | null> {
  const { statusCode, body } = await app.application.server.inject(requestOf(cell, texts, value))
  if (statusCode >= 500) throw new Error(`${cell.place} ${cell.type}: ${statusCode} ${app.lastError?.stack}`)
  return statusCode < 300 ? null : body
}

function requestOf({ place, name }: Cell, texts: readonly string[], value: unknown): Request {
  const url = `/${place}/${name}`
  const form = texts.map((text) => `v=${encodeURIComponent(text)}`).join('&')
  const json = { 'content-type': 'application/json' }
  switch (place) {
    case 'query':
      return { method: 'GET', url: `${url}?${form}` }
    case 'path':
      return { method: 'GET', url: `${url}/${encodeURIComponent(texts.join(','))}` }
    case 'header':
      return { method: 'GET', url, headers: { 'x-v': texts.join(', ') } }
    case 'form':
      return {
        method: 'POST',
        url,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: form,
      }
    case 'upload':
      return { method: 'POST', url, ...multipart(texts) }
    case 'nested':
      return { method: 'POST', url, headers: json, payload: JSON.stringify({ outer: { v: value } }) }
    default:
      return { method: 'POST', url, headers: json, payload: JSON.stringify(value) }
  }
}

function multipart(texts: readonly string[]): Pick<Request, 'headers' | 'payload'> {
  const parts = texts.map((text) => `--b\r\nContent-Disposition: form-data; name="v"\r\n\r\n${text}\r\n`)
  const file = '--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nx\r\n--b--\r\n'
  return { headers: { 'content-type': 'multipart/form-data; boundary=b' }, payload: parts.join('') + file }
}

async function callClient(api: AnyClient, cell: Cell, value: unknown): Promise<string | null> {
  const { place, name } = cell
  const parameters = place === 'nested' ? { body: { outer: { v: value } } } : { v: value }
  const more = place === 'upload' ? { file: new File(['x'], 'f') } : {}
  try {
    const answer = await api[groupOf(place)]?.[name]?.({ ...parameters, ...more })
    return answer?.ok === true ? null : String(answer?.status)
  } catch (error) {
    return String(error) // what the address or a header cannot hold, before anybody is asked
  }
}

/** What the client calls the methods of a place. */
const groupOf = (place: Cell['place']): string => className(place).toLowerCase()

/** `fetch` without a socket. */
const inProcess =
  (app: TestApp) =>
  async (url: string, init: RequestInit): Promise<Response> => {
    const request = new Request(url, { ...init, ...(init.body === undefined ? {} : { duplex: 'half' }) })
    const answer = await app.application.server.inject({
      method: request.method as 'GET', // or another
      url: url.slice(app.baseUrl.length),
      headers: Object.fromEntries(request.headers),
      payload: Buffer.from(await request.arrayBuffer()),
    })
    const { statusCode: status, rawPayload, headers } = answer
    const isEmpty = status === 204 || status === 304
    return new Response(isEmpty ? null : new Uint8Array(rawPayload), {
      status,
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
    })
  }
