/** `acmcp dev` of an application with mistakes: the last good build is served, and a page shows them. */
import t from 'tap'
import { built } from '../cli/support/built-app.ts'
import { startDevHere } from './support/dev-here.ts'
import { action, announced, controller, html, notes, plain } from './support/dev-notes.ts'
import { ask, askUntil, pageText, save } from './support/dev-process.ts'

t.setTimeout(300_000) // a busy machine

t.test('dev: the build of another day is served while the first one has mistakes', async (t) => {
  const { root, baseUrl, until } = await startDevHere(
    t,
    { [notes]: controller(action('first')) },
    {},
    async (root) => {
      await built(root)
      save(root, notes, controller(action('first', { get: '@gett' })))
    },
  )
  const said = await until('shows what is wrong')
  t.strictSame(said.slice(-5), [
    'acmcp explain ACM110 tells more',
    'the bundle was not built from app/controllers/notes.ts as it is now: run npx acmcp build',
    ...announced,
    'acmcp: the last good build is served; http://localhost:PORT/acmcp/build shows what is wrong',
  ])
  t.equal((await ask(`${baseUrl}/api/notes/first`))[2], '"one"')
  t.match(await askUntil(`${baseUrl}/acmcp/build`, 'The build failed'), 'unknown tag @gett')

  await t.test(
    'the acmcp dev: the last good build is served while there are mistakes, which a page shows',
    async (t) => {
      const page = `${baseUrl}/acmcp/build`
      const [status, type, body] = await ask(page, html)
      t.strictSame([status, type], [200, 'text/html; charset=utf-8'])
      t.strictSame(pageText(String(body)), [
        'The build failed',
        'development',
        'Save a correction, and it is built again. The last good build is served meanwhile.',
        'unknown tag @gett',
        'error ACM110 app/controllers/notes.ts:12:6',
        ' 9 |   /**',
        '10 |    * Tells first.',
        '11 |    *',
        '12 |    * @gett /first',
        '   |      ^',
        '13 |    */',
        '14 |   first(): string {',
        "15 |     return 'one'",
        'Did you mean @get?',
      ])
      t.strictSame((await ask(`${baseUrl}/api/notes/first`))[2], '"one"')
      t.strictSame((await ask(page, { host: 'notes.test' }))[0], 403)
      t.strictSame((await fetch(page, { method: 'POST' })).status, 404)

      save(
        root,
        'app/config.ts',
        "throw new TypeError('no luck in ' + process.execPath)\nexport const config: object = {}\n",
      )
      save(root, notes, controller(action('first', { answer: 'two' })))
      t.strictSame((await until('app/config.ts')).slice(-2), [
        'acmcp: the new build is not served: TypeError: no luck in '.concat(process.execPath),
        `    at <anonymous> (${root}/app/config.ts:1:7)`,
      ])
      t.equal(
        await askUntil(page, 'The application'),
        `The application does not start

TypeError: no luck in a file outside of the application
Save a correction, and it is built again. The last good build is served meanwhile.
`,
      )
      t.strictSame((await ask(`${baseUrl}/api/notes/first`))[2], '"one"')
      save(root, 'app/config.ts', 'export const config: object = {}\n')
      const said = await until('serves the new build')
      t.strictSame(
        said.filter((line) => !line.startsWith('    at ')), // the rest of that stack is acmcp's
        ['no route and no tool changed', 'acmcp serves the new build'],
      )
      t.strictSame((await ask(`${baseUrl}/api/notes/first`))[2], '"two"')
      t.strictSame((await ask(page))[2], 'The last build succeeded\n')
    },
  )
})

t.test('dev: off loopback no source is shown, whatever host is named', async (t) => {
  const HOST = '127.0.0.2' // stands for any address that is none of the loopback names
  const wrong = controller(action('first', { get: '@gett' }))
  const { root, baseUrl, until } = await startDevHere(t, { [notes]: wrong }, { HOST })
  const said = await until('shows what is wrong')
  const warning =
    'acmcp: with HOST=127.0.0.2 other machines may reach this server: its page of mistakes leaves the source out, the terminal shows it'
  t.strictSame(
    said.filter((line) => line.includes('HOST')),
    [warning],
  )
  t.match(said.join('\n'), '12 |    * @gett /first')
  const url = baseUrl.replace('localhost', HOST)
  const host = 'localhost'
  const mistake = ['', 'error ACM110: unknown tag @gett', '  Did you mean @get?', '']
  const failed = (served: string): string =>
    ['The build failed', '', `Save a correction, and it is built again. ${served}`, ...mistake].join('\n')
  t.strictSame(await ask(url, { host }), [500, plain, failed('Nothing is served until then.')])
  t.notMatch((await ask(url, { host, ...html }))[2], /\d \||notes\.ts/)

  save(root, notes, controller(action('first')))
  await until('MCP endpoint')
  const pageOf = (beginning: string): Promise<string> => askUntil(`${url}/acmcp/build`, beginning, { host })
  save(root, notes, wrong)
  t.equal(await pageOf('The build failed'), failed('The last good build is served meanwhile.'))
  save(root, 'app/config.ts', "throw new TypeError('secret')\nexport const config: object = {}\n")
  save(root, notes, controller(action('first', { answer: 'two' })))
  t.equal(
    await pageOf('The application'),
    `The application does not start

The terminal says why.
Save a correction, and it is built again. The last good build is served meanwhile.
`,
  )
  t.match((await until('secret')).at(-1), 'TypeError: secret')
  t.strictSame(
    (await until('app/config.ts')).filter((line) => line.includes('HOST')),
    [],
    'warned once',
  )
})
