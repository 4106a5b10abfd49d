/** `acmcp dev` of an application whose sources lie in two packages of a workspace. */
import t from 'tap'
import { greeting, greetOtherwise, shopIn, textIn } from '../cli/support/workspaces/shop.ts'
import { startDevHereIn } from './support/dev-here.ts'
import { ask, askUntil, save } from './support/dev-process.ts'

t.setTimeout(120_000) // a busy machine

const json = 'application/json; charset=utf-8'

t.test('an edit of another package is served by the next build, a mistake in it is told', async (t) => {
  const { root, api } = shopIn(t, 'pnpm')
  const dev = await startDevHereIn(t, api)
  await dev.until('MCP endpoint')
  const url = `${dev.baseUrl}/items/greeting`
  t.strictSame(await ask(url), [200, json, '"hello you"'])
  greetOtherwise(root, 'good day', save)
  t.equal(await askUntil(url, '"good day'), '"good day you"')
  save(root, greeting, `${textIn(root, greeting)}export const broken: string = = 1\n`)
  t.match(
    (await dev.until(greeting)).at(-1),
    /^\.\.\/\.\.\/packages\/shared\/src\/index\.ts:5:31 - error ACM301: /,
  )
  t.strictSame(await ask(url), [200, json, '"good day you"'])
  t.equal(await dev.stop(), 0)
})
