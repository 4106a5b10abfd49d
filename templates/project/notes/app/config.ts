import { defineApp } from 'acmcp'
import { notesTable } from './notes-table.ts'

/** MCP clients sign their user in first: `authProbe` is the route that tells whether they have. */
export const config = defineApp({
  mcp: {
    path: '/mcp',
    serverName: 'Notes',
    authProbe: '/api/users/current',
    resourceMetadata: (_request, { baseUrl }) => ({
      authorizationServers: [baseUrl],
      scopesSupported: ['api'],
    }),
  },
  /** Clients that people have (Cursor, Perplexity, hosted Claude …) come in: `npx acmcp docs sign-in`, "The two profiles". */
  oauth: { profile: 'compatible' },
  migrations: { '001_notes': notesTable },
})
