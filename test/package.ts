/** `npm run test:package`: packs the package, installs the tarball in an empty folder, copies the example, builds,
 *  serves and calls it; then makes projects with its `init`. Needs the registry; run by `.ci/run`. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type AnyClient, answerOf, clientKinds, signedIn } from './flow/client-kinds.ts'
import { spawnServe, temporaryFolder } from './flow/support.ts'
import { freePort } from './support/free-port.ts'
import { npmRunDev, packInto, run } from './support/packed.ts'

t.setTimeout(1_200_000) // installations from the registry, on a busy machine

/** Of schemas. */
const libraries = ['zod', 'valibot', 'arktype']

t.test(
  'the packed package installs with --engine-strict, builds and serves the example in an empty folder',
  { timeout: 600_000 },
  async (t) => {
    const repository = process.cwd()
    const folder = temporaryFolder()
    t.teardown(() => rmSync(folder, { recursive: true, force: true }))
    const { file, files } = packInto(folder)
    t.notOk(
      files.some((path) => path.startsWith('dist/test')),
      'no tests in the tarball',
    )

    const project = join(folder, 'project')
    mkdirSync(project)
    const manifest = { name: 'notes', version: '1.0.0', license: 'MIT', private: true }
    writeFileSync(join(project, 'package.json'), JSON.stringify(manifest))
    // `npm install --engine-strict` fails where a dependency wants a newer Node than we do
    run('npm', ['install', '--engine-strict', '--no-audit', '--no-fund', join(folder, file)], project)
    cpSync(join(repository, 'app'), join(project, 'app'), { recursive: true })
    const acmcp = join(project, 'node_modules', '.bin', 'acmcp')
    run(acmcp, ['build'], project)
    for (const name of ['routes.ts', 'mcp.yml']) {
      const [built, committed] = [project, repository].map((root) =>
        readFileSync(join(root, 'generated', name), 'utf8'),
      )
      t.equal(built, committed, `generated/${name} is the committed one`)
    }
    run(acmcp, ['build', '--check'], project)
    addStays(project)
    run(acmcp, ['build', '--strict'], project)

    const served = await spawnServe(project, { PORT: String(await freePort()) }, acmcp)
    t.teardown(() => served.process.kill('SIGKILL'))
    const health = await fetch(`${served.baseUrl}/health`)
    t.strictSame(await health.json(), { status: 'ok' })
    t.strictSame(await staysAt(served.baseUrl), ['zod 2', 'valibot 2', 'arktype 2', 400, 400, 400])
    const challenged = await fetch(`${served.baseUrl}/mcp`, { method: 'POST' })
    const sdk = "globalThis[Symbol.for('opentelemetry.js.api.1')]={version:'1.9.0'}"
    const env = {
      LOG_LEVEL: 'warn',
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(sdk)}`,
    }
    const deaf = await spawnServe(project, { PORT: String(await freePort()), ...env }, acmcp)
    t.teardown(() => deaf.process.kill('SIGKILL'))
    t.match(deaf.lines.join('\n'), /acmcp does not find @opentelemetry\/api: it hears nothing/)
    t.strictSame(
      [challenged.status, challenged.headers.get('www-authenticate')],
      [
        401,
        `Bearer resource_metadata="${served.baseUrl}/.well-known/oauth-protected-resource/mcp", scope="api"`,
      ],
    )
  },
)

/** A controller of the application with a route for each library of schemas, which are installed beside the package. */
function addStays(project: string): void {
  const { devDependencies }: { readonly devDependencies: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync('package.json', 'utf8'),
  )
  const wanted = libraries.map((name) => `${name}@${devDependencies[name]}`)
  run('npm', ['install', '--engine-strict', '--no-audit', '--no-fund', ...wanted], project)
  const route = (name: string): string => `  /**
   * Books by ${name}.
   *
   * @post /${name}
   * @param nights - how many
   */
  ${name}(nights: Checked<typeof ${name}Nights>): string {
    return \`${name} \${nights}\`
  }
`
  const source = `import { ApplicationController, type Checked } from 'acmcp'
import { type } from 'arktype'
import * as v from 'valibot'
import { z } from 'zod'

export const zodNights = z.number().max(9).default(2)
export const valibotNights = v.optional(v.pipe(v.number(), v.maxValue(9)), 2)
export const arktypeNights = type('number <= 9')

/** Some stays of a shop. */
export class Stays extends ApplicationController {
${libraries.map(route).join('\n')}}
`
  writeFileSync(join(project, 'app/controllers/stays.ts'), source)
}

/** What each of its routes answers to two nights, then the statuses that each answers to ten with. */
async function staysAt(baseUrl: string): Promise<readonly unknown[]> {
  const book = (name: string, nights: number): Promise<Response> =>
    fetch(`${baseUrl}/stays/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ nights }),
    })
  const booked = libraries.map(async (name): Promise<unknown> => (await book(name, 2)).json())
  const refused = libraries.map(async (name) => (await book(name, 10)).status)
  return Promise.all([...booked, ...refused])
}

t.test(
  'init, desk: by npx from the tarball, every project installs, builds, serves and passes its tests',
  async (t) => {
    const folder = temporaryFolder()
    t.teardown(() => rmSync(folder, { recursive: true, force: true }))
    const { file } = packInto(folder)
    const ours: { dependencies: Record<string, string>; devDependencies: Record<string, string> } =
      JSON.parse(readFileSync('package.json', 'utf8'))
    const more = { kysely: ours.dependencies.kysely, zod: ours.devDependencies.zod }
    for (const variant of ['notes', 'desk', 'empty']) {
      const project = join(folder, variant)
      mkdirSync(project)
      const wanted = variant === 'empty' ? ['--empty'] : ['--example', variant]
      run('npx', ['--yes', `../${file}`, 'init', '--yes', ...wanted], project)
      const { dependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
      const known = variant === 'desk' ? more : {}
      t.strictSame(dependencies, { acmcp: `file:../${file}`, ...known }, 'the registry may not have it')
      run('npm', ['install', '--engine-strict'], project)
      run('npm', ['test'], project)
      run('npx', ['acmcp', 'build', '--check'], project)
      run('npx', ['acmcp', 'build', '--typecheck', '--strict', '--client'], project)
      const served = await npmRunDev(project, await freePort())
      t.teardown(served.stop)
      const health = await fetch(`${served.baseUrl}/health`)
      t.strictSame(await health.json(), { status: 'ok' })
      if (variant === 'empty') continue
      const { client } = await signedIn(clientKinds[0], served.baseUrl)
      await (variant === 'notes' ? writeNote(t, client) : openTicket(t, client))
      await client.close()
    }
  },
)

async function writeNote(t: Test, client: AnyClient): Promise<void> {
  const added = await client.callTool({ name: 'notes_create', arguments: { text: 'first' } })
  t.match(answerOf(added), { structured: { text: 'first' }, isError: false })
}

/** The developer is an admin of the desk: they open tickets for customers. */
async function openTicket(t: Test, client: AnyClient): Promise<void> {
  const customer = { name: 'Ada', email: 'ada@example.org', organisation: null }
  const added = answerOf(await client.callTool({ name: 'customers_create', arguments: { customer } }))
  const { id } = added.structured as { readonly id: string } // the match below says that it is one
  t.match(added, { structured: { id: /^[\da-f-]{36}$/, ...customer, hasAccount: false }, isError: false })
  const ticket = { subject: 'The invoice is wrong', body: 'It says 20, we pay 10.', customer: id }
  const opened = await client.callTool({ name: 'tickets_create', arguments: { ticket } })
  const wanted = { number: 1, customer: { id, name: 'Ada' }, status: 'new', channel: { kind: 'api' } }
  t.match(answerOf(opened), { structured: wanted, isError: false })
}
