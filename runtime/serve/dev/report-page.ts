/** Where an application that `acmcp dev` serves shows what the last build said. */
import type { BuildReport } from '../../contract/build-report.ts'
import { buildReportResponse } from '../../http/development/build-page.ts'
import { methodsByPath } from '../../http/server/known-paths.ts'
import type { Unclaimed } from '../../http/server/not-found.ts'
import { isLoopbackUrl } from '../../loopback.ts'
import type { Started } from '../serve.ts'

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
export const ownOrigin = (baseUrl: string, address: string): string =>
  isLoopbackUrl(baseUrl) ? baseUrl : `http://localhost:${new URL(address).port}`
