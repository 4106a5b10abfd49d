/** Ways that lead to sources of other packages: relative imports, `paths`, conditions, and links to folders. */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openTestApp } from '../../../../runtime/testing.ts'
import { built, write } from '../../support/built-app.ts'
import { shopFiles } from '../../support/workspaces/sample.ts'
import { shopIn, textIn } from '../../support/workspaces/shop.ts'

t.setTimeout(240_000) // a busy machine

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
 * Words of the shop.
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
