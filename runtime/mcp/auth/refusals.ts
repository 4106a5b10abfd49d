/** The endpoint's own 401 and 403, which name where the metadata of the resource is that was asked. */
import type { HttpRequest, HttpResponse } from '../../contract/http.ts'
import type { ResourceMetadata } from '../../contract/mcp.ts'
import { insufficientScope, unauthorized } from './challenge.ts'
import { metadataUrl } from './resource-metadata.ts'

export interface RefusalOptions {
  /** Of the resource that a request was sent to. */
  readonly baseUrlOf: (request: HttpRequest) => string
  /** Of the endpoint, without a trailing slash. */
  readonly path: string
  /** Those that have an address, whoever asks: their metadata is public. */
  readonly toolboxes: { has(name: string): boolean }
  readonly resourceMetadata: ((request: HttpRequest) => ResourceMetadata) | null
}

export interface Refusals {
  unauthorized(request: HttpRequest): HttpResponse
  /** `scope` as the route names it, or null. */
  insufficientScope(request: HttpRequest, scope: string | null): HttpResponse
  /** The toolbox that the address names, if there is such a one. */
  toolboxOf(request: HttpRequest): string | null
}

export function createRefusals({ baseUrlOf, path, toolboxes, resourceMetadata }: RefusalOptions): Refusals {
  const toolboxOf = ({ params: { toolbox } }: HttpRequest): string | null =>
    toolbox !== undefined && toolboxes.has(toolbox) ? toolbox : null
  const metadataOf = (request: HttpRequest): ResourceMetadata | null => resourceMetadata?.(request) ?? null
  const addressOf = (request: HttpRequest): string => {
    const toolbox = toolboxOf(request)
    return metadataUrl(baseUrlOf(request), toolbox === null ? path : `${path}/${toolbox}`)
  }
  return {
    unauthorized: (request) => unauthorized(request, metadataOf(request), addressOf(request)),
    insufficientScope: (request, scope) => insufficientScope(scope, metadataOf(request), addressOf(request)),
    toolboxOf,
  }
}
