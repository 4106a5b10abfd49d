/** What `acmcp dev` serves while there is no build to serve: what the last one said, at every address. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { readEnvironment } from '../../boot/environment.ts'
import type { BuildReport } from '../../contract/build-report.ts'
import { buildReportResponse } from '../../http/development/build-page.ts'
import { firstByteMs } from '../../http/server/close.ts'
import { trackConnections } from '../../http/server/connections.ts'
import { methodsByPath } from '../../http/server/known-paths.ts'
import type { Unclaimed } from '../../http/server/not-found.ts'
import { isLoopbackUrl } from '../../loopback.ts'
import { listenRefusal } from '../listen-refusal.ts'
import type { ServeOptions, Started } from '../serve.ts'

export interface ReportServer {
  readonly address: string
  readonly reportAddress: string
  /** Connections that have sent nothing yet have half a second where it has a successor. */
  close(hasSuccessor: boolean): Promise<void>
}

/** Serves until closed. Throws `BootError` when it must not start. */
export async function serveReport(
  { env, cwd }: Pick<ServeOptions, 'env' | 'cwd'>,
  report: () => BuildReport,
): Promise<ReportServer> {
  const environment = readEnvironment(env, cwd, () => randomBytes(32).toString('base64url'))
  const server = createServer((request, response) => answer(request, response, report()))
  const connections = trackConnections(server)
  server.listen({ host: environment.host, port: environment.port })
  await once(server, 'listening').catch((error: unknown) => {
    throw listenRefusal(error, environment)
  })
  const bound = server.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : environment.port
  const address = `http://localhost:${port}`
  return {
    address,
    reportAddress: ownOrigin(environment.baseUrl, address),
    close: async (hasSuccessor) => {
      const closed = once(server, 'close')
      server.close()
      if (hasSuccessor) setTimeout(connections.endUnused, firstByteMs)
      else connections.endUnused()
      await closed
    },
  }
}

/** Each connection ends with its answer: the next one is for the application. */
function answer(request: IncomingMessage, response: ServerResponse, last: BuildReport): void {
  request.resume() // whatever is sent along
  const report: BuildReport = last.kind === 'built' ? { kind: 'building' } : last // it is about to start
  const status = report.kind === 'building' ? 503 : 500
  const { headers, body, ...sent } = buildReportResponse(report, request.headers, {
    status,
    isServing: false,
  })
  response.writeHead(sent.status, { ...headers, connection: 'close' })
  response.end(request.method === 'HEAD' ? undefined : body)
}

const reportPath = '/acmcp/build'

/** The page, at an address that the application leaves free. */
export function buildReportPage(report: () => BuildReport): Unclaimed {
  return (method, path, headers) => {
    const isReportRequest = path.replace(/\/$/, '') === reportPath && (method === 'GET' || method === 'HEAD')
    return isReportRequest ? buildReportResponse(report(), headers, { status: 200, isServing: true }) : null
  }
}

/** Where a browser of this machine finds it; null where a route of the application, or one of its plugins, answers in its place. */
export function buildReportAddress({ application, paths, baseUrl, address }: Started): string | null {
  const { server } = application
  const methodsOf = methodsByPath(paths.map((path) => ({ path, methods: ['GET'] })))
  const covering = [reportPath, '/acmcp/*', '/*', '*']
  const isTaken =
    methodsOf(reportPath).length > 0 || covering.some((url) => server.hasRoute({ method: 'GET', url }))
  return isTaken ? null : `${ownOrigin(baseUrl, address)}${reportPath}`
}

/** The public address where that is on this machine, else the one that is listened on. */
const ownOrigin = (baseUrl: string, address: string): string =>
  isLoopbackUrl(baseUrl) ? baseUrl : `http://localhost:${new URL(address).port}`
