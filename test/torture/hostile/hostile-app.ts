/** The application of the load test: a thousand tools behind access tokens, and one route that is slow. */
import { buildApplication } from '../../bench/mcp/mcp-app.ts'

/** Builds it and returns its folder. */
export const buildHostileApplication = (): string =>
  buildApplication(1000, {
    more: { 'app/config.ts': config, 'app/protected.ts': guarded, 'app/controllers/slow.ts': slow },
  })

const config = `import { defineApp } from 'acmcp'
export const config: object = defineApp({
  mcp: {
    serverName: 'Hostile load',
    authProbe: '/api/notes/session',
    resourceMetadata: (_request, { baseUrl }) => ({ authorizationServers: [baseUrl], scopesSupported: ['api'] }),
  },
  clientIdMetadataDocuments: true,
  yamlBodies: true,
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
