/** `npm run test:package`: packs the package, installs the tarball in an empty folder, copies the example, builds,
 *  serves and calls it. Needs the registry; run by `.ci/run`. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { spawnServe, temporaryFolder } from './flow/support.ts'
import { freePort } from './support/free-port.ts'

const run = (command: string, args: readonly string[], cwd: string): string =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

t.setTimeout(600_000) // an installation from the registry

t.test(
  'the packed package installs with --engine-strict, builds and serves the example in an empty folder',
  { timeout: 600_000 },
  async (t) => {
    const repository = process.cwd()
    const folder = temporaryFolder()
    const packed = JSON.parse(
      run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], repository),
    )
    const entry = Array.isArray(packed) ? packed[0] : Object.values(packed)[0]
    const files: readonly string[] = entry.files.map((file: { path: string }) => file.path)
    t.notOk(
      files.some((file) => file.startsWith('dist/test')),
      'no tests in the tarball',
    )

    const project = join(folder, 'project')
    mkdirSync(project)
    const manifest = { name: 'notes', version: '1.0.0', license: 'MIT', private: true }
    writeFileSync(join(project, 'package.json'), JSON.stringify(manifest))
    // findings: `npm install --engine-strict` fails where a dependency wants a newer Node than we do
    run(
      'npm',
      ['install', '--engine-strict', '--no-audit', '--no-fund', join(folder, entry.filename)],
      project,
    )
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

    const served = await spawnServe(project, { PORT: String(await freePort()) }, acmcp)
    t.teardown(() => served.process.kill('SIGKILL'))
    const health = await fetch(`${served.baseUrl}/health`)
    t.strictSame(await health.json(), { status: 'ok' })
    const challenged = await fetch(`${served.baseUrl}/mcp`, { method: 'POST' })
    t.strictSame(
      [challenged.status, challenged.headers.get('www-authenticate')],
      [
        401,
        `Bearer resource_metadata="${served.baseUrl}/.well-known/oauth-protected-resource/mcp", scope="api"`,
      ],
    )
  },
)
