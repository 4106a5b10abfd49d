/** `npm run test:openapi-client`: openapi-typescript makes a client of the example's document, which
 *  type-checks under TypeScript 5 and calls the running server. Needs the registry; run by `.ci/run`. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import t from 'tap'
import { diskHost } from '../cli/build/disk.ts'
import { compile } from '../cli/compiler/compile.ts'
import { spawnServe } from './flow/support.ts'
import { freePort } from './support/free-port.ts'

t.setTimeout(300_000)

/** openapi-typescript needs TypeScript 5: a folder of its own. */
const folder = resolve(process.env.ACMCP_CLIENT_FOLDER ?? 'node_modules/.cache/openapi-client')
const packages = ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'typescript@5.9']

const run = (command: string, ...args: readonly string[]): string =>
  execFileSync(command, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

const program = `import createClient from 'openapi-fetch'
import type { paths } from './api.ts'

const api = createClient<paths>({ baseUrl: process.argv[2] ?? '' })
const health = await api.GET('/health')
const status: 'ok' | undefined = health.data?.status
const current = await api.GET('/api/users/current')
// @ts-expect-error the document has no such path
const missing = await api.GET('/nowhere')
const added = await api.POST('/api/notes', {
  body: { text: 'bread' },
  headers: { authorization: 'Bearer nobody' },
})
const statuses = [health, current, missing, added].map(({ response }) => response.status)
console.log(JSON.stringify({ status, statuses }))
`

const compilerOptions = {
  target: 'es2022',
  module: 'nodenext',
  strict: true,
  allowImportingTsExtensions: true,
  rewriteRelativeImportExtensions: true,
  skipLibCheck: true,
  types: [],
  lib: ['es2023', 'dom'],
}

t.test('a generated client type-checks and calls the server', { timeout: 300_000 }, async (t) => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  run('npm', 'install', '--no-audit', '--no-fund', ...packages)
  const { files } = compile(diskHost(process.cwd()))
  writeFileSync(join(folder, 'api.yml'), files.find(({ path }) => path.endsWith('openapi.yml'))?.text ?? '')
  run('node_modules/.bin/openapi-typescript', 'api.yml', '--output', 'api.ts')
  const head = `declare const process: { argv: string[] }\n`
  writeFileSync(join(folder, 'client.ts'), head + program)
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['client.ts'] }))
  run('node_modules/.bin/tsc', '-p', '.')

  const served = await spawnServe(process.cwd(), { PORT: String(await freePort()) })
  t.teardown(() => served.process.kill('SIGKILL'))
  t.strictSame(JSON.parse(run(process.execPath, 'client.js', served.baseUrl)), {
    status: 'ok',
    statuses: [200, 401, 404, 401],
  })
})
