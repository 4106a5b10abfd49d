/** What `acmcp build` makes and the runtime loads. */
import type { Catalogue } from './mcp.ts'
import type { Route, RouteCodec } from './route.ts'

/** What `.acmcp/app.mjs` exports, and where it was found. `mcpDigest` = SHA-256 (hex) of the `generated/mcp.yml`, `version` the application's. */
export interface AppBundle {
  readonly routes: readonly Route[]
  readonly codecs: Readonly<Record<string, RouteCodec>>
  readonly config: unknown
  readonly catalogue: Catalogue
  readonly mcpDigest: string
  readonly version: string
  /** The application's, in which `.acmcp/` lies. */
  readonly folder: string
}
