import { type AppConfig, defineApp } from 'acmcp'

/** The suite sends no credentials, so the endpoint is open. */
export const config: AppConfig = defineApp({ mcp: { path: '/mcp', serverName: 'Conformance' } })
