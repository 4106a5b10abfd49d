/** The application of the audit's bench: one tool that a signed-in user calls, guarded by the authorization server of acmcp. */
import { buildApplication } from '../mcp/mcp-app.ts'

const config = `import { defineApp } from 'acmcp'
export const config: object = defineApp({
  mcp: { serverName: 'Bench' },
  scopes: { notes: 'Read and write notes' },
  limits: { toolCallsPerMinute: false, concurrentToolCalls: false, concurrentToolCallsPerUser: false, streamsPerUser: false },
})
`

const guarded = `import { Controller } from 'acmcp'
/**
 * Whoever may use notes.
 *
 * @scope notes
 */
export abstract class Protected extends Controller {}
`

/** Builds it and returns its folder. */
export const buildSignedIn = (): string =>
  buildApplication(1, { imports: 'packages', more: { 'app/config.ts': config, 'app/protected.ts': guarded } })
