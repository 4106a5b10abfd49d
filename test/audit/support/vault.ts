/** An application whose calls are recorded in every way there is, and what of the trail a test looks at. */

import type { AuditFilter } from '../../../runtime/capabilities/audit/audit-store.ts'
import type { AuditRecord } from '../../../runtime/contract/calls.ts'
import { openTestApp, type TestApp } from '../../../runtime/testing.ts'
import { builtFolder } from '../../support/linked.ts'
import { openStore } from '../../support/whole-store.ts'

const config = `import { defineApp } from 'acmcp'

export const config = defineApp({
  mcp: { path: '/mcp', serverName: 'Vault' },
  scopes: { 'vault:read': 'Read secrets', 'vault:write': { text: 'Change secrets', sensitive: true } },
})
`

const vault = `import { Controller, type Socket } from 'acmcp'

/** Secrets. */
export class Vault extends Controller {
  /**
   * Finds a secret.
   *
   * @get /:name
   * @scope vault:read
   */
  find(name: string): string { return name.length > 3 ? 'found' : 'none' }

  /**
   * Keeps a secret.
   *
   * @post /
   * @scope vault:write
   * @audit strict
   */
  keep(name: string, value: string): number { return name.length + value.length }

  /**
   * Breaks.
   *
   * @delete /all
   * @audit strict
   */
  clear(): string { throw new Error('it is locked') }

  /**
   * Takes too long.
   *
   * @put /slow
   * @audit strict
   * @timeout 1s
   */
  async wait(): Promise<void> {
    const { signal } = this.request
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
  }

  /**
   * Tells what happens.
   *
   * @websocket /live
   * @scope vault:read
   * @audit strict
   */
  live(socket: Socket): void { socket.send('open') }
}
`

/** Writes and builds it; resolves with its folder. */
export function buildVault(): Promise<string> {
  const files = {
    'app/config.ts': config,
    'app/controllers/vault.ts': vault,
    'package.json': '{"type":"module"}',
  }
  return builtFolder(files)
}

export const start = 1_800_000_000_000
export const jwtSecret = 'the key of the audit tests of at least 32 bytes'
export const sessionSecret = 'the other key of the audit tests of 32 bytes'

export interface VaultOptions {
  readonly root: string
  readonly url: string
  readonly clock: { now: number }
  readonly config?: object
  readonly log?: string[]
}

/** Instances of one application: they share what it keeps, and its keys. */
export function openVault({ root, url, clock, config = {}, log }: VaultOptions): Promise<TestApp> {
  const lines = log === undefined ? {} : { logStream: { write: (line: string) => void log.push(line) } }
  return openTestApp({
    cwd: root,
    clock: () => clock.now,
    environment: {
      databaseUrl: url,
      jwtSecrets: [jwtSecret],
      sessionSecrets: [sessionSecret],
      ...(log === undefined ? {} : { logLevel: 'error' as const }),
    },
    change: (bundle) => ({ ...bundle, config: { ...(bundle.config as object), ...config } }), // defineApp's object
    ...lines,
  })
}

/** The trail as it lies in the store now. */
export async function auditAt(url: string, filter: AuditFilter = {}): Promise<readonly AuditRecord[]> {
  const store = await openStore({ url, clock: () => start, migrations: null, migrate: 'refuse' })
  return store.listAudit(filter, 1_000_000).finally(() => store.close())
}

/** What a row is known by, without what differs from run to run. */
export function known(row: AuditRecord): Readonly<Record<string, unknown>> {
  const { id, at, requestId, milliseconds, ...rest } = row
  const said = Object.entries(rest).filter(([, value]) => value !== null)
  return Object.fromEntries(said)
}
