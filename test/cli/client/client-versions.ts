/** `npm run test:client`: the printed clients, and their use, under every TypeScript from 5.4 on, in a browser's library and in
 *  Node's. Needs the registry the first time; run by `.ci/run`. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { installed } from '../../support/installed.ts'
import { type Place, places, strictest } from './client-types.ts'
import { golden, wholeClient } from './served-client.ts'

t.setTimeout(600_000)

/** The setting with which each began, and which those before it do not know. */
const since: Readonly<Record<string, string>> = { isolatedDeclarations: '5.5', erasableSyntaxOnly: '5.8' }
const versions = ['5.4', '5.5', '5.6', '5.7', '5.8', '5.9']

const folder = installed(
  'client-typescript',
  Object.fromEntries(versions.map((version) => [`typescript-${version}`, `npm:typescript@~${version}.0`])),
)
const root = mkdtempSync(join(tmpdir(), 'acmcp-client-versions-'))
t.teardown(() => rmSync(root, { recursive: true, force: true }))
cpSync(golden, root, { recursive: true })
for (const file of ['generated/client.ts', 'example/client.ts'])
  writeFileSync(join(root, file), wholeClient(join(golden, file)))
mkdirSync(join(root, 'node_modules'))
symlinkSync(join(process.cwd(), 'node_modules/@types'), join(root, 'node_modules/@types'))
symlinkSync(join(process.cwd(), 'node_modules/undici-types'), join(root, 'node_modules/undici-types'))

const settingsOf = (version: string, place: Place): object => ({
  ...Object.fromEntries(
    Object.entries(strictest).filter(([name]) => (since[name] ?? '5.4').localeCompare(version) <= 0),
  ),
  ...places[place],
})

for (const version of versions) {
  for (const place of ['browser', 'node'] as const) {
    t.test(`client: it type-checks under TypeScript ${version}, in ${place}`, async (t) => {
      const config = join(root, `tsconfig.${version}.${place}.json`)
      const files = ['uses.ts', 'generated/client.ts', 'example/client.ts']
      writeFileSync(config, JSON.stringify({ compilerOptions: settingsOf(version, place), files }))
      const tsc = join(folder, `typescript-${version}/bin/tsc`)
      const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', config], {
        cwd: root,
        encoding: 'utf8',
      })
      t.strictSame([status, stdout], [0, ''])
      const shown = spawnSync(process.execPath, [tsc, '--version'], { encoding: 'utf8' }).stdout
      t.match(shown, `Version ${version}.`)
    })
  }
}
