/** `GET /metrics`: the measurements as text, behind a token or on a port of its own. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { HttpResponse } from '../../../contract/http.ts'
import { hostTest, isLoopbackHost, loopbackNames } from '../../../loopback.ts'
import { equalInConstantTime } from '../../../secret.ts'
import { expositionText, expositionType } from './exposition.ts'
import type { MetricSnapshot } from './registry.ts'

/** Reads the metrics, of several processes too. */
export type ReadMetrics = () => readonly MetricSnapshot[] | Promise<readonly MetricSnapshot[]>

export interface ScrapeOptions {
  readonly read: ReadMetrics
  /** What a scraper must send as a bearer; null = nothing is asked. */
  readonly token: string | null
}

const path = '/metrics'

/** The answer to a scraper with this `Authorization` header. */
export async function scraped(
  authorization: string | undefined,
  { read, token }: ScrapeOptions,
): Promise<HttpResponse> {
  const [, sent = ''] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? []
  if (token !== null && !equalInConstantTime(sent, token)) {
    return { status: 401, headers: { 'www-authenticate': 'Bearer', 'cache-control': 'no-store' }, body: null }
  }
  const headers = { 'content-type': expositionType, 'cache-control': 'no-store' }
  return { status: 200, headers, body: expositionText(await read()) }
}

/** A page that had its own name rebound to this machine gets no answer. Source: rules.md, Environment. */
const foreign: HttpResponse = { status: 403, headers: {}, body: null }

/** A server that has `/metrics` and nothing else. */
export interface MetricsServer {
  readonly address: string
  /** Takes no further scrape. */
  close(): Promise<void>
}

/** Rejects when the port is taken. */
export async function listenForScrapes(
  at: { readonly host: string; readonly port: number },
  options: ScrapeOptions,
): Promise<MetricsServer> {
  const isOwn = hostTest(isLoopbackHost(at.host) ? loopbackNames : null)
  const server = createServer(async ({ method, url, headers }, response) => {
    const isForeign = headers.host !== undefined && !isOwn(headers.host)
    const {
      status,
      headers: own,
      body,
    } = isForeign ? foreign : await answered(method, url, headers.authorization, options)
    if (!server.listening) response.shouldKeepAlive = false
    response.writeHead(status, own as Record<string, string>).end(method === 'HEAD' ? undefined : body) // texts alone
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(at.port, at.host, resolve)
  })
  return { address: addressOf(server), close: () => closed(server) }
}

async function answered(
  method: string | undefined,
  url: string | undefined,
  authorization: string | undefined,
  options: ScrapeOptions,
): Promise<HttpResponse> {
  if (url?.split('?', 1)[0] !== path) return { status: 404, headers: {}, body: null }
  if (method !== 'GET' && method !== 'HEAD')
    return { status: 405, headers: { allow: 'GET, HEAD' }, body: null }
  return scraped(authorization, options).catch(() => ({ status: 500, headers: {}, body: null }))
}

function addressOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo // it listens on a port
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

const closingMs = 3_000

/** What is being answered is answered. */
async function closed(server: Server): Promise<void> {
  const cutOff = setTimeout(() => server.closeAllConnections(), closingMs)
  await new Promise((resolve) => server.close(resolve))
  clearTimeout(cutOff)
}
