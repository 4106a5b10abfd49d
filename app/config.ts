import { type AppConfig, defineApp } from 'acmcp'
import { notesTable } from './notes-table.ts'

/** The worked example: people sign in from their MCP client with their own account. */
export const config: AppConfig = defineApp({
  mcp: {
    path: '/mcp',
    serverName: 'Notes',
    authProbe: '/api/users/current',
    resourceMetadata: (_request, { baseUrl }) => ({
      authorizationServers: [baseUrl],
      scopesSupported: ['api'],
    }),
  },
  migrations: { '001_notes': notesTable },
})
