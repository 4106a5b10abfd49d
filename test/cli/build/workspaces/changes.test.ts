/** A build notices what changes in other packages of the application's repository. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { watch } from '../../../../cli/capabilities/dev/watch/watch.ts'
import { staleSources } from '../../../../runtime/boot/stale-build.ts'
import { openTestApp } from '../../../../runtime/testing.ts'
import { built, write } from '../../support/built-app.ts'
import { greetOtherwise, shopIn, textIn } from '../../support/workspaces/shop.ts'

t.setTimeout(240_000) // a busy machine

t.test(
  'a source of another package that changed makes the build old: tests refuse it, and a build is made',
  async (t) => {
    const { root, api } = shopIn(t, 'pnpm')
    t.equal((await built(api)).status, 0)
    greetOtherwise(root, 'good day')
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
  await after(() => greetOtherwise(root, 'good day'), 'wrote .acmcp/app.mjs')
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
