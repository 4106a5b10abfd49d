/** The application of the load test: a thousand tools behind access tokens, and one route that is slow. */
import { buildApplication } from '../../bench/mcp/mcp-app.ts'

/** Builds it and returns its folder. */
export const buildHostileApplication = (): string =>
  buildApplication(1000, {
    more: {
      'app/config.ts': config,
      'app/protected.ts': guarded,
      'app/controllers/slow.ts': slow,
      'app/controllers/echo.ts': echo,
    },
  })

const config = `import { defineApp } from 'acmcp'
export const config: object = defineApp({
  mcp: {
    serverName: 'Hostile load',
    authProbe: '/api/notes/session',
    resourceMetadata: (_request, { baseUrl }) => ({ authorizationServers: [baseUrl], scopesSupported: ['api'] }),
  },
  clientIdMetadataDocuments: true,
})
`

const guarded = `import { ApplicationController, type Header, type Rendered } from 'acmcp'
export abstract class Protected extends ApplicationController {
  /**
   * Lets users in.
   *
   * @filter before
   */
  async authenticate(authorization?: Header<'Authorization', string>): Promise<Rendered | undefined> {
    const token = authorization?.startsWith('Bearer ') ? authorization.slice('Bearer '.length) : null
    const user = token === null ? null : await this.services.userOfAccessToken(token)
    return user === null ? this.render({ status: 401, json: { error: 'invalid_token' } }) : undefined
  }
}
`

const slow = `import { Protected } from '../protected.ts'

/** Slow things. */
export class Slow extends Protected {
  /**
   * Takes five seconds.
   *
   * @get /api/slow
   */
  async wait(): Promise<string> {
    await new Promise((resolve) => setTimeout(resolve, 5000))
    return 'done'
  }
}
`

const echo = `import { Protected } from '../protected.ts'

export interface And { left?: Expr; right?: Expr; note?: string; op: 'and' }
export interface Not { left?: Expr; right?: Expr; note?: string; op: 'not' }
export type Expr = And | Not

export interface Filter { not?: Filter; and?: Filter[]; value?: string }

/** Says what it is told. */
export class Echo extends Protected {
  /**
   * Returns an expression.
   *
   * @post /api/echo/tree
   * @mcp budget 2000
   */
  tree(expr: Expr): Expr { return expr }

  /**
   * Returns anything.
   *
   * @post /api/echo/any
   * @mcp budget 2000
   */
  any(value: unknown): unknown { return value }

  /**
   * Returns a picture of 3 MB.
   *
   * @get /api/echo/picture
   * @mcp task
   * @produces image/png
   */
  picture(): Blob { return new Blob([new Uint8Array(3_000_000)]) }

  /**
   * Takes a filter.
   *
   * @post /api/echo/filter
   */
  filter(filter: Filter): boolean { return filter !== null }
}
`
