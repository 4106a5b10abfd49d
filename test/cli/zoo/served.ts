/** The application of the zoo: built once, read in process, and called at each of its entrances. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import type { AppBundle } from '../../../runtime/contract/bundle.ts'
import { openTestApp } from '../../../runtime/testing.ts'
import { linkPackage } from '../../support/linked.ts'
import { type AnyClient, buildWithClient, loadClient } from '../client/served-client.ts'
import { write } from '../support/built-app.ts'
import { headerOf, type OfParameter, type Published, textsOf } from './cells.ts'
import { applicationOf, type Cell, className } from './places.ts'
import { callTools } from './tool-calls.ts'
import { type Asked, Wire } from './wire.ts'

/** What came of a value at an entrance: what the method got, or that it was refused. */
export type Outcome =
  | { readonly isTaken: true; readonly value: unknown }
  | { readonly isTaken: false; readonly why: string }

export interface Zoo extends Published {
  readonly codecs: AppBundle['codecs']
  readonly catalogue: AppBundle['catalogue']
  /** In batches of revision 2025-03-26, whose messages are answered one after the other. */
  tools(cell: Cell, values: readonly unknown[]): Promise<readonly Outcome[]>
  http(cell: Cell, value: unknown, how: Pick<OfParameter, 'isJson' | 'schema'>): Promise<Outcome>
  client(cell: Cell, value: unknown): Promise<Outcome>
  /** What a method answers, as HTTP and the typed client have it. */
  answer(
    cell: Cell,
    value: unknown,
  ): Promise<{ readonly status: number; readonly json: unknown; readonly read: unknown }>
  close(): Promise<void>
}

export interface Exchange {
  readonly received: unknown[]
  answer: unknown
}

/** A folder with the application of these cells. */
export function zooFolder(cells: readonly Cell[], declared?: string): string {
  const root = mkdtempSync(join(tmpdir(), 'acmcp-zoo-'))
  for (const [path, text] of Object.entries(applicationOf(cells, declared))) write(root, path, text)
  linkPackage(root, ['zod'])
  return root
}

export async function openZoo(cells: readonly Cell[], declared?: string): Promise<Zoo> {
  const root = zooFolder(cells, declared)
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
  const wire = new Wire(app, exchange)
  const api = client.createClient({ baseUrl: app.baseUrl, fetch: wire.fetch })
  return {
    document: parse(readFileSync(join(root, 'generated/openapi.yml'), 'utf8')),
    schemas: new Map(bundle.catalogue.tools.map(({ name, inputSchema }) => [name, inputSchema])),
    renamed: new Map(
      bundle.catalogue.tools.map(({ name, renamed = {} }) => [
        name,
        Object.assign({}, ...Object.values(renamed)),
      ]),
    ),
    codecs: bundle.codecs,
    catalogue: bundle.catalogue,
    tools: (cell, values) => callTools(wire, app.application.mcpPath, cell, values),
    http: async (cell, value, how) => {
      const sent = await wire.send(requestOf(cell, how, value))
      if (sent.status >= 500)
        throw new Error(`${cell.place} ${cell.type}: ${sent.status} ${app.lastError?.stack}`)
      return outcomeOf(sent.received, sent.status < 300 ? null : sent.body.toString())
    },
    client: async (cell, value) => {
      const why = await callClient(api, cell, value)
      return outcomeOf(wire.last.received, why)
    },
    answer: async (cell, value) => {
      exchange.answer = value
      wire.forget()
      const { status, body } = await wire.send({
        ...{ method: 'GET', url: `/answer/${cell.name}`, headers: {} },
      })
      const read = await api[groupOf('answer')]?.[cell.name]?.()
      return { status, json: body.length === 0 ? undefined : JSON.parse(body.toString()), read: read?.data }
    },
    close: async () => {
      await app.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

/** `why` tells why it was refused; null = it was not. */
function outcomeOf(received: readonly unknown[], why: string | null): Outcome {
  if (why !== null) return { isTaken: false, why }
  if (received.length !== 1) throw new Error('the method did not run once')
  return { isTaken: true, value: received[0] }
}

function requestOf(
  { place, name }: Cell,
  how: Pick<OfParameter, 'isJson' | 'schema'>,
  value: unknown,
): Asked {
  const texts = textsOf(value, how, place)
  const url = `/${place}/${name}`
  const form = texts.map((text) => `v=${encodeURIComponent(text)}`).join('&')
  const json = { 'content-type': 'application/json' }
  switch (place) {
    case 'query':
      return { method: 'GET', url: `${url}?${form}`, headers: {} }
    case 'path':
      return { method: 'GET', url: `${url}/${encodeURIComponent(texts.join(','))}`, headers: {} }
    case 'header':
      return { method: 'GET', url, headers: { 'x-v': headerOf(texts, value, how) } }
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

function multipart(texts: readonly string[]): Pick<Asked, 'headers' | 'payload'> {
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
