/** A plugin that adds a route which the application has already is named with it: Fastify would refuse our route later, and name neither. */
import type { FastifyInstance } from 'fastify'
import type { Endpoint } from '../../contract/http.ts'
import { shapeOfPath } from '../probes/built-in-addresses.ts'
import { withHead } from '../server/route-groups.ts'

/** A mistake in how plugins are put together: its one line says all. */
export class PluginMistake extends Error {}

/** Is told why, once for each; nothing is thrown where Fastify would let it end the process. */
export type RefusePlugin = (reason: string) => void

/** Watches routes until what it returns is called. */
export function refuseTakenRoutes(
  app: FastifyInstance,
  endpoints: readonly Endpoint[],
  refuse: RefusePlugin,
): () => void {
  const taken = new Map(
    endpoints.flatMap((endpoint) => keysOf(endpoint).map((key) => [key, endpoint] as const)),
  )
  let isOver = false
  app.addHook('onRoute', ({ method, url, constraints }) => {
    if (isOver || Object.keys(constraints ?? {}).length > 0) return
    const methods = [method].flat()
    const found = methods.flatMap((name) => taken.get(keyOf(name, url)) ?? [])[0]
    if (found === undefined) return
    const whose = found.routeId === undefined ? 'an address of acmcp' : `the route ${found.routeId}`
    refuse(`it adds ${methods.join(', ')} ${url}, which is ${whose}: change one of both paths`)
  })
  return () => {
    isOver = true
  }
}

/** Whether an error of Fastify tells of two plugins that do not go together. */
export const isPluginMistake = (error: unknown): boolean =>
  error instanceof PluginMistake ||
  (error instanceof Error && 'code' in error && error.code === 'FST_ERR_DUPLICATED_ROUTE')

const keyOf = (method: string, path: string): string => `${method} ${shapeOfPath(path)}`

const keysOf = ({ methods, path }: Endpoint): readonly string[] =>
  withHead(methods).map((method) => keyOf(method, path))
