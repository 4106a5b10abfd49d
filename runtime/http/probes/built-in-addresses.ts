/** The addresses of the authorization server, which every application has: no route of its own can be there. Fastify's form of
 *  paths; `test/boot/taken-addresses.test.ts` holds them beside what is mounted. */

export interface BuiltInAddress {
  readonly methods: readonly string[]
  readonly path: string
}

/** In the order of the server's own list. */
export const builtInAddresses: readonly BuiltInAddress[] = [
  { methods: ['GET', 'OPTIONS'], path: '/.well-known/oauth-authorization-server' },
  { methods: ['GET', 'OPTIONS'], path: '/.well-known/oauth-authorization-server/*' },
  { methods: ['GET', 'OPTIONS'], path: '/.well-known/openid-configuration' },
  { methods: ['GET', 'OPTIONS'], path: '/.well-known/openid-configuration/*' },
  { methods: ['POST', 'OPTIONS'], path: '/oauth/register' },
  { methods: ['GET', 'POST'], path: '/oauth/authorize' },
  { methods: ['POST', 'OPTIONS'], path: '/oauth/token' },
  { methods: ['POST', 'OPTIONS'], path: '/oauth/revoke' },
  { methods: ['GET'], path: '/auth' },
  { methods: ['GET'], path: '/auth/:provider' },
  { methods: ['GET'], path: '/auth/:provider/callback' },
  { methods: ['POST'], path: '/auth/sign-out' },
  { methods: ['GET', 'POST'], path: '/auth/connections' },
]

/** What a router compares of a path: names of parameters say nothing, nor does a slash at the end. */
export const shapeOfPath = (path: string): string =>
  path
    .replace(/::|:\w+(\([^)]*\))?/g, (found, pattern?: string) =>
      found === '::' || pattern !== undefined ? found : ':',
    )
    .replace(/(?<=.)\/$/, '')
