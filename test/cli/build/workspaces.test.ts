/** Applications beside other packages of their repository, as npm and as pnpm install them. */
import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { watch } from '../../../cli/build/watch/watch.ts'
import { pathFrom } from '../../../cli/compiler/read/program/host.ts'
import { staleSources } from '../../../runtime/boot/stale-build.ts'
import { openTestApp } from '../../../runtime/testing.ts'
import { built, type Ran, write, writtenBefore } from '../support/built-app.ts'
import { acmcpTypes } from '../support/memory-host.ts'
import { shopDeclares, shopFiles } from '../support/workspace-sample.ts'
import { type Layout, workspaceOf } from '../support/workspaces.ts'

t.setTimeout(240_000)

type Test = Parameters<typeof workspaceOf>[0]

const layouts: readonly Layout[] = ['npm', 'pnpm']

/** A repository of the shop with these files in place of its own, and the application's folder in it. */
function shopIn(t: Test, layout: Layout, files: Readonly<Record<string, string>> = {}) {
  const root = workspaceOf(t, { layout, files: { ...shopFiles, ...files }, declared: shopDeclares })
  return { root, api: join(root, 'apps/api') }
}

const textIn = (folder: string, path: string): string => readFileSync(join(folder, path), 'utf8')

const mistakesOf = ({ stderr }: Ran): readonly string[] =>
  stderr.split('\n').filter((line) => / - (error|warning) /.test(line))

for (const layout of layouts) {
  t.test(
    `${layout}: values, types, errors, schemas, tables and base classes come from TypeScript and JavaScript beside the application`,
    async (t) => {
      const { api } = shopIn(t, layout)
      const { status, stderr } = await built(
        api,
        'strict',
        'client',
        ...(layout === 'pnpm' ? (['typecheck'] as const) : []),
      )
      t.strictSame({ status, stderr }, { status: 0, stderr: '' })
      t.match((await built(api, 'strict', 'client')).stdout, 'nothing changed')
      t.strictSame(await built(api, 'strict', 'client', 'check'), { status: 0, stdout: '', stderr: '' })
      t.match(textIn(api, 'generated/routes.ts'), "import { Gone, Locked } from '@acme/shared'")
      const app = await openTestApp({ cwd: api, environment: { logLevel: 'silent' } })
      t.teardown(app.close)
      const client = app.client()
      const ask = async (path: string, headers: Record<string, string> = {}): Promise<unknown> => {
        const { statusCode, body } = await client.request({ url: path, headers })
        return [statusCode, JSON.parse(body)]
      }
      t.strictSame(
        [
          await ask('/items/greeting'),
          await ask('/items/greeting', { 'x-caller': 'nobody' }),
          await ask('/items'),
          await ask('/items/1/receipt'),
          await ask('/items/2/receipt'),
          await ask('/desk'),
        ],
        [
          [200, 'hello you'],
          [423, { locked: 'not you' }],
          [200, [{ id: 1, name: 'pen' }]],
          [410, { why: 'sold' }],
          [503, { why: 'come back tomorrow' }],
          [200, 'Ann'],
        ],
      )
    },
  )
}

const greeting = 'packages/shared/src/index.ts'

/** The neighbour greets in other words. */
const greetOtherwise = (root: string, path: string, words: string): void =>
  write(root, path, textIn(root, path).replace(/greeting: string = '.*'/, `greeting: string = '${words}'`))

t.test(
  'a source of another package that changed makes the build old: tests refuse it, and a build is made',
  async (t) => {
    const { root, api } = shopIn(t, 'pnpm')
    t.equal((await built(api)).status, 0)
    greetOtherwise(root, greeting, 'good day')
    await t.rejects(openTestApp({ cwd: api }), {
      name: 'BootError',
      message:
        'the bundle was not built from ../../packages/shared/src/index.ts as it is now: run npx acmcp build',
    })
    t.match((await built(api)).stdout, 'wrote .acmcp/app.mjs')
    const app = await openTestApp({ cwd: api, environment: { logLevel: 'silent' } })
    t.equal((await app.client().get('/items/greeting')).json(), 'good day you')
    await app.close()
    rmSync(join(root, 'packages'), { recursive: true }) // as where the application alone is deployed
    t.strictSame(staleSources(api), [], 'what is not there at all is not counted')
  },
)

t.test('a watching build follows the sources of other packages, also after it failed', async (t) => {
  const { root, api } = shopIn(t, 'pnpm')
  const stopping = new AbortController()
  let heard = (_line: string): void => {}
  const after = (work: () => void, text: string): Promise<string> =>
    new Promise((resolve) => {
      heard = (line) => line.includes(text) && resolve(line)
      work()
    })
  const print = (line: string): void => heard(line)
  const options = { ...plainOptions, cwd: api, print, warn: print }
  let watching = Promise.resolve<0 | 1>(0)
  const item = 'packages/shared/src/items.ts'
  const items = textIn(root, item)
  await after(() => {
    watching = watch(options, stopping.signal)
  }, ' routes')
  await after(() => greetOtherwise(root, greeting, 'good day'), 'wrote .acmcp/app.mjs')
  await after(
    () => write(root, item, items.replace('readonly name: string', 'readonly label: string')),
    'openapi.yml',
  )
  t.match(textIn(api, 'generated/openapi.yml'), 'label:')
  await after(() => write(root, item, 'this is no TypeScript'), 'error')
  await after(() => write(root, item, items), ' routes')
  t.notMatch(textIn(api, 'generated/openapi.yml'), 'label:')
  stopping.abort()
  t.equal(await watching, 0)
})

const plainOptions = {
  check: false,
  overwrite: false,
  typecheck: false,
  openapi: '3.1',
  strict: false,
  format: 'text',
  colour: false,
} as const

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

const unbuilt = {
  'packages/later/package.json':
    '{"name":"@acme/later","type":"module","exports":{"types":"./src/index.ts","default":"./dist/index.js"}}',
  'packages/later/src/index.ts': 'export class Later {}\n',
}

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

t.test(
  'relative imports, `paths` and own conditions of tsconfig.json lead to TypeScript, which is bundled',
  async (t) => {
    const settings = JSON.parse(shopFiles['apps/api/tsconfig.json'] ?? '{}')
    const paths = { '@words/*': ['../../packages/words/src/*'] }
    const compilerOptions = { ...settings.compilerOptions, paths, customConditions: ['source'] }
    const { root, api } = shopIn(t, 'npm', {
      'apps/api/tsconfig.json': JSON.stringify({
        ...settings,
        compilerOptions,
        references: [{ path: '../../packages/words' }],
      }),
      'packages/words/package.json':
        '{"name":"@acme/words","type":"module","exports":{"source":"./src/bye.ts","default":"./dist/bye.js"}}',
      'packages/words/tsconfig.json':
        '{"extends":"../../tsconfig.base.json","compilerOptions":{"composite":true}}',
      'tsconfig.base.json': '{"compilerOptions":{"useDefineForClassFields":true}}',
      'packages/words/src/hello.ts': "export const hello: string = 'hello'\n",
      'packages/words/src/bye.ts': "export const bye: string = 'bye'\n",
      'packages/words/src/gone.ts': 'export class Away extends Error {}\n',
      'apps/api/app/controllers/words.ts': `import { bye } from '@acme/words'
import { hello } from '@words/hello.ts'
import { ApplicationController } from 'acmcp'
import { Away } from '../../../../packages/words/src/gone.ts'

/**
 * Words.
 *
 * @base /words
 */
export class Words extends ApplicationController {
  /**
   * Says words.
   *
   * @get /
   */
  show(): string {
    if (hello === '') throw new Away()
    return \`\${hello} \${bye}\`
  }

  /**
   * Nobody is there.
   *
   * @exception {Away} 410
   */
  away(error: Away): string {
    return error.name
  }
}
`,
    })
    symlinkSync(join(root, 'packages/words'), join(root, 'node_modules/@acme/words'))
    const { status, stderr } = await built(api)
    t.strictSame({ status, stderr }, { status: 0, stderr: '' })
    t.match(textIn(api, 'generated/routes.ts'), "import { Away } from '../../../packages/words/src/gone.ts'")
    const app = await openTestApp({ cwd: api, environment: { logLevel: 'silent' } })
    t.teardown(app.close)
    t.equal((await app.client().get('/words')).json(), 'hello bye')
    t.match((await built(api)).stdout, 'nothing changed')
    write(root, 'tsconfig.base.json', '{"compilerOptions":{"useDefineForClassFields":false}}')
    t.notMatch((await built(api)).stdout, 'nothing changed', 'the settings of a bundled package count')
  },
)

t.test('a folder that is reached by a link builds as by its own name', async (t) => {
  const { root, api } = shopIn(t, 'pnpm', {
    'apps/api/app/helper.ts': "export { paths } from '../generated/paths.ts'\n",
  })
  symlinkSync(api, join(root, 'linked'))
  const { status, stderr } = await built(join(root, 'linked'))
  t.strictSame({ status, stderr }, { status: 0, stderr: '' })
  t.match((await built(api)).stdout, 'nothing changed')
})

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
