import { defineApp, type ProviderConfig } from 'acmcp'
import { migrations } from './database/migrations.ts'
import { isAdmin } from './people/users.ts'

const {
  DESK_OIDC_ISSUER: issuer,
  DESK_OIDC_CLIENT_ID: clientId,
  DESK_OIDC_CLIENT_SECRET: clientSecret,
} = process.env

/** Where the staff signs in. Without it there is the development login alone (`DEV_LOGIN`). */
const providers: Readonly<Record<string, ProviderConfig>> =
  issuer === undefined || clientId === undefined || clientSecret === undefined
    ? {}
    : { company: { issuer, clientId, clientSecret } }

export const config = defineApp({
  /** Clients that people have (Cursor, Perplexity, hosted Claude …) come in: `npx acmcp docs sign-in`, "The two profiles". */
  oauth: { profile: 'compatible' },
  scopes: {
    'desk:read': 'see the tickets, customers and reports that you may see',
    'desk:write': { text: 'open, answer and change tickets', implies: ['desk:read'] },
    'desk:admin': {
      text: 'manage people and teams, and delete for good',
      implies: ['desk:write'],
      sensitive: true,
      mayHave: isAdmin,
    },
  },
  mcp: {
    path: '/mcp',
    serverName: 'Help desk',
    authProbe: '/api/users/current',
    resourceMetadata: (_request, { baseUrl }) => ({
      authorizationServers: [baseUrl],
      scopesSupported: ['api'],
    }),
  },
  providers,
  migrations,
})
