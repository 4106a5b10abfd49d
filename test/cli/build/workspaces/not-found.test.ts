/** Imports that Node.js would not find where the application runs, or would find twice. */
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { pathFrom } from '../../../../cli/compiler/read/program/host.ts'
import { built, write, writtenBefore } from '../../support/built-app.ts'
import { acmcpTypes } from '../../support/memory-host.ts'
import { workspaceOf } from '../../support/workspaces/layout.ts'
import { shopDeclares, shopFiles } from '../../support/workspaces/sample.ts'
import { mistakesOf, shopIn, textIn } from '../../support/workspaces/shop.ts'

t.setTimeout(240_000) // a busy machine

const lost = `import leftPad from 'left-pad-nope'
import nope from 'node:nope'
import { missing } from '@acme/shared/nope'
import { Later } from '@acme/later'
import { ApplicationController } from 'acmcp'
import type { Unused } from 'types-alone-nope'

/**
 * Looks for modules.
 *
 * @base /lost
 */
export class Lost extends ApplicationController {
  /**
   * Looks for modules.
   *
   * @get /
   */
  async show(): Promise<string> {
    const name: string = 'zod'
    const found = [leftPad, nope, missing, Later, require('zod'), require(name)]
    await import('dynamic-nope')
    try {
      await import('peer-nope')
    } catch {}
    await import('caught-nope').catch(() => null)
    return String(found.length)
  }
}
`

const unbuilt = {
  'packages/later/package.json':
    '{"name":"@acme/later","type":"module","exports":{"types":"./src/index.ts","default":"./dist/index.js"}}',
  'packages/later/src/index.ts': 'export class Later {}\n',
}

t.test('an import that Node.js would not find is an error at its place, of the check too', async (t) => {
  const { root, api } = shopIn(t, 'pnpm', { 'apps/api/app/controllers/lost.ts': lost, ...unbuilt })
  mkdirSync(join(api, 'node_modules/@acme'), { recursive: true })
  symlinkSync(join(root, 'packages/later'), join(api, 'node_modules/@acme/later'))
  const lines = [
    "app/controllers/lost.ts:1:21 - error ACM323: 'left-pad-nope' cannot be found: it is not installed",
    `app/controllers/lost.ts:2:18 - error ACM323: 'node:nope' cannot be found: Node.js ${process.version} has no such module`,
    "app/controllers/lost.ts:3:25 - error ACM323: '@acme/shared/nope' cannot be found: node_modules/@acme/shared/package.json does not export it",
    "app/controllers/lost.ts:4:23 - error ACM323: '@acme/later' cannot be found: there is no node_modules/@acme/later/dist/index.js",
    "app/controllers/lost.ts:21:59 - error ACM325: require('zod') cannot be bundled: the bundle is an ES module, which has no require",
    'app/controllers/lost.ts:21:67 - error ACM325: require(…) cannot be bundled: the bundle is an ES module, which has no require',
    "app/controllers/lost.ts:22:18 - error ACM323: 'dynamic-nope' cannot be found: it is not installed",
    "app/controllers/lost.ts:24:20 - warning ACM324: 'peer-nope' cannot be found: it is not installed",
    "app/controllers/lost.ts:26:18 - warning ACM324: 'caught-nope' cannot be found: it is not installed",
  ]
  for (const flags of [[], ['check']] as const) {
    const ran = await built(api, ...flags)
    t.strictSame([ran.status, mistakesOf(ran)], [1, lines])
  }
})

t.test(
  'an optional peer that is not there is a warning of every build, and an error of a strict one',
  async (t) => {
    const { api } = shopIn(t, 'npm')
    write(api, 'app/peer.ts', "export const peer = await import('peer-nope').catch(() => null)\n")
    writtenBefore(join(api, 'app/peer.ts'))
    const config = textIn(api, 'app/config.ts')
    write(api, 'app/config.ts', `import './peer.ts'\n${config}`)
    writtenBefore(join(api, 'app/config.ts'))
    const warning = ["app/peer.ts:1:34 - warning ACM324: 'peer-nope' cannot be found: it is not installed"]
    const first = await built(api)
    t.strictSame([first.status, mistakesOf(first)], [0, warning])
    const second = await built(api)
    t.strictSame([second.status, mistakesOf(second), second.stdout], [0, warning, 'nothing changed\n'])
    const strict = await built(api, 'strict')
    t.strictSame(
      [strict.status, mistakesOf(strict)],
      [1, warning.map((line) => line.replace('warning', 'error'))],
    )
  },
)

/** acmcp as the tests of the compiler have it, in a version of its own. */
const copyOf = (folder: string, version: string): Readonly<Record<string, string>> => ({
  [`${folder}/node_modules/acmcp/package.json`]: JSON.stringify({
    name: 'acmcp',
    version,
    type: 'module',
    exports: { '.': './index.js', './store': './index.js' },
  }),
  [`${folder}/node_modules/acmcp/index.d.ts`]: acmcpTypes,
  [`${folder}/node_modules/acmcp/index.js`]: 'export {}\n',
})

t.test('a second copy of acmcp is an error where a package imports it, with what to do', async (t) => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  const declared = { ...shopDeclares, 'packages/shared': ['zod', 'kysely'], 'packages/compiled': [] }
  const root = workspaceOf(t, {
    layout: 'pnpm',
    files: { ...shopFiles, ...copyOf('packages/shared', '0.0.1'), ...copyOf('packages/compiled', version) },
    declared,
  })
  const api = join(root, 'apps/api')
  const own = pathFrom(api, process.cwd())
  const both = (other: string, folder: string): string =>
    `error ACM326: acmcp is installed twice: the application has ${version} in ${own}, this package has ${other} in ../../packages/${folder}/node_modules/acmcp, and a controller of one is none for the other`
  const found = mistakesOf(await built(api)).filter((line) => line.includes('ACM326'))
  t.strictSame(found, [
    `../../packages/compiled/dist/index.d.ts:1:39 - ${both(version, 'compiled')}`,
    `../../packages/shared/src/base.ts:1:52 - ${both('0.0.1', 'shared')}`,
  ])
})
