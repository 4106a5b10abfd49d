/** Which files of the optional parts a server loads. Source: house.md, The runtime. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { temporaryFolder } from '../flow/support.ts'
import { builtFolder } from '../support/linked.ts'

t.setTimeout(60_000)

/** An application of one route; `tags` are those of the route, `settings` those beside the names. */
const application = (
  tags: string,
  { ofClass = '', settings = "telemetry: { mode: 'off' }, audit: { enabled: false }" } = {},
) =>
  builtFolder({
    'package.json': '{"name":"plain","version":"1.0.0","private":true,"type":"module"}',
    'app/config.ts': `import { defineApp } from 'acmcp'

export const config = defineApp({ mcp: { path: '/mcp', serverName: 'Plain' }, ${settings} })
`,
    'app/controllers/plain.ts': `import { Controller } from 'acmcp'

/**
 * Plain things.
 *
 * @base /plain
 * ${ofClass}
 */
export class Plain extends Controller {
  /**
   * Makes one.
   *
   * @post /
   * ${tags}
   */
  make(): { id: string } {
    return { id: '1' }
  }
}
`,
  })

const serving = new URL('../../runtime/serve/serve.js', import.meta.url).href
const room = new URL('../../runtime/capabilities/', import.meta.url)

/** What a process has loaded of the capabilities that has served a request of a route and one to the MCP endpoint; as V8 counts modules. */
function loadedBy(cwd: string, env: Readonly<Record<string, string>> = {}): readonly string[] {
  const folder = temporaryFolder()
  const code = `import { serve } from '${serving}'
    const env = { PORT: '0', BASE_URL: 'http://localhost:3000', DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'silent', DEV_LOGIN: '1', ...${JSON.stringify(env)} }
    const server = await serve({ cwd: process.cwd(), env, print() {} })
    for (const path of ['/plain', '/mcp']) {
      const { status } = await fetch(server.address + path, { method: 'POST' })
      if (status === 404 || status >= 500) throw new Error(path + status)
    }
    await server.close()`
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd,
    env: { PATH: process.env.PATH, NODE_V8_COVERAGE: folder },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  const urls = readdirSync(folder).flatMap((file): readonly string[] =>
    JSON.parse(readFileSync(join(folder, file), 'utf8')).result.map(({ url }: { url: string }) => url),
  )
  return urls
    .filter((url) => url.startsWith(room.href))
    .map((url) => url.slice(room.href.length).replace(/\.js$/, '.ts'))
    .sort()
}

/** What every server loads: the lists, descriptors with their settings, tables and counters, and the errors that applications import. */
const descriptors = [
  'approval/counter.ts',
  'approval/errors.ts',
  'approval/index.ts',
  'approval/route-approval.ts',
  'approval/settings.ts',
  'approval/table.ts',
  'audit/audit-erasure.ts',
  'audit/audit-purge.ts',
  'audit/audit-rows.ts',
  'audit/audit-tables.ts',
  'audit/index.ts',
  'audit/settings.ts',
  'audit/tables.ts',
  'client-documents/index.ts',
  'client-documents/settings.ts',
  'enterprise/check-enterprise.ts',
  'enterprise/index.ts',
  'enterprise/settings.ts',
  'exports.ts',
  'idempotency/counter.ts',
  'idempotency/errors.ts',
  'idempotency/index.ts',
  'idempotency/key-rule.ts',
  'idempotency/key-table.ts',
  'idempotency/settings.ts',
  'index.ts',
  'leaving/index.ts',
  'leaving/settings.ts',
  'logout/index.ts',
  'machines/check-clients.ts',
  'machines/index.ts',
  'machines/settings.ts',
  'skills/index.ts',
  'skills/skill-entry.ts',
  'tasks/accepting-routes.ts',
  'tasks/index.ts',
  'tasks/settings.ts',
  'tasks/task-record.ts',
  'tasks/task-table.ts',
  'telemetry/index.ts',
  'telemetry/settings.ts',
]

/** Every application has these: `this.services.users` is there, and an erasure that began elsewhere goes on. */
const ofAll = ['leaving']

const plain = await application('')

/** The folders of which more than the descriptor is loaded. */
const started = (files: readonly string[]): readonly string[] =>
  files.filter((file) => file.endsWith('/start.ts')).map((file) => file.split('/')[0] ?? '')

t.test('a server that uses no capability loads their descriptors and nothing else', async (t) => {
  const loaded = loadedBy(plain)
  t.strictSame(
    loaded.filter((file) => !ofAll.some((name) => file.startsWith(`${name}/`)) || descriptors.includes(file)),
    descriptors,
  )
  t.strictSame(started(loaded), ofAll)
})

t.test('a capability that is used is loaded, and no other', async (t) => {
  t.strictSame(started(loadedBy(await application('@idempotencyKey'))), ['idempotency', ...ofAll])
  const tags = ['@idempotencyKey', '@approval Makes one.', '@mcp task'].join('\n   * ')
  const all = await application(tags, { ofClass: '@mcp skill Use it for plain things.', settings: '' })
  t.strictSame(
    started(loadedBy(all, { METRICS_PORT: '0' })),
    ['approval', 'audit', 'idempotency', 'leaving', 'skills', 'tasks', 'telemetry'],
    'what tags and the environment ask for, at once',
  )
})
