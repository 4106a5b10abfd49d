/** An https server on loopback that publishes client metadata documents, and a network that finds it under any name. */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Network } from '../../../runtime/oauth/network.ts'
import { selfSigned } from './certificate.ts'

export interface DocumentHost {
  readonly port: number
  /** The requests that came, as `<host> <path>`. */
  readonly requests: string[]
  /** Connections, also those without a request. */
  connections: number
  /** Names asked for, in order. */
  readonly requested: string[]
  answer: (request: IncomingMessage, response: ServerResponse) => void
  /** What the names resolve to; a name that is missing has no address. */
  addresses: Map<string, readonly string[]>
  readonly network: Network
  /** The address of a document on `client.test`. */
  url(path: string): string
  readonly close: () => void
}

const documentHosts: readonly string[] = ['client.test', 'other.test', '*.many.test']

export async function openDocumentHost(timeoutMs = 2_000): Promise<DocumentHost> {
  const { key, cert } = selfSigned(documentHosts)
  const server = createServer({ key, cert }, (request, response) => {
    host.requests.push(`${request.headers.host} ${request.url}`)
    host.answer(request, response)
  })
  server.on('connection', () => {
    host.connections += 1
  })
  server.on('tlsClientError', () => undefined) // what a client refuses is seen at the client
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port, not on a pipe
  const network: Network = {
    resolve: async (name) => {
      host.requested.push(name)
      return host.addresses.get(name) ?? []
    },
    certificateAuthorities: [cert],
    documentTimeoutMs: timeoutMs,
    providerTimeoutMs: timeoutMs,
  }
  const host: DocumentHost = {
    port,
    requests: [],
    connections: 0,
    requested: [],
    answer: (_request, response) => response.writeHead(404).end(),
    addresses: new Map([
      ['client.test', ['127.0.0.1']],
      ['other.test', ['127.0.0.1']],
    ]),
    network,
    url: (path) => `https://client.test:${port}${path}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
  return host
}

/** Answers every request with `value` as JSON. */
export function publish(
  host: DocumentHost,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  host.answer = (_request, response) =>
    void response
      .writeHead(200, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(value))
}
