/** `acmcp dev`: what it prints, and what clients and browsers see while an application is edited. */
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import { changeLines } from '../../cli/capabilities/dev/changes.ts'
import { built } from '../cli/support/built-app.ts'
import { startDevHere } from './support/dev-here.ts'
import { action, announced, controller, html, notes, plain } from './support/dev-notes.ts'
import { ask, asking, askUntil, pageText, save } from './support/dev-process.ts'

t.setTimeout(300_000) // a busy machine

const wrong = action('first', { get: '@gett', summary: 'Tells <img src=x onerror=alert(1)> & more.' })
/** The first tests are of one start, each goes on where the one before has ended. */
const { root, baseUrl, until, stop } = await startDevHere(t, { [notes]: controller(wrong) })

t.test(
  'acmcp dev: without a bundle the port answers with the mistakes, then with the application',
  async (t) => {
    t.strictSame(await until('shows what is wrong'), [
      'app/controllers/notes.ts:12:6 - error ACM110: unknown tag @gett',
      '  12 |    * @gett /first',
      '     |      ^',
      '  Did you mean @get?',
      '1 error',
      'acmcp explain ACM110 tells more',
      'acmcp: http://localhost:PORT shows what is wrong until it is mended',
    ])
    const title = 'The build failed'
    const what = 'Save a correction, and it is built again. Nothing is served until then.'
    const frame = [
      ' 9 |   /**',
      '10 |    * Tells <img src=x onerror=alert(1)> & more.',
      '11 |    *',
      '12 |    * @gett /first',
      '   |      ^',
      '13 |    */',
      '14 |   first(): string {',
      "15 |     return 'one'",
    ]
    const url = `${baseUrl}/api/notes/first?a=b`
    t.strictSame(await ask(url), [
      500,
      plain,
      [
        title,
        '',
        what,
        '',
        'app/controllers/notes.ts:12:6 - error ACM110: unknown tag @gett',
        ...frame.map((line) => `  ${line}`),
        '  Did you mean @get?',
        '',
      ].join('\n'),
    ])
    const [status, type, page] = await ask(url, html)
    t.strictSame([status, type], [500, 'text/html; charset=utf-8'])
    t.notMatch(page, /<img/)
    t.strictSame(pageText(String(page)), [
      title,
      'development',
      what,
      'unknown tag @gett',
      'error ACM110 app/controllers/notes.ts:12:6',
      ...frame,
      'Did you mean @get?',
    ])
    t.strictSame(await ask(url, { host: 'notes.test', ...html }), [
      403,
      'application/json; charset=utf-8',
      '{"error":"this host is not served here"}',
    ])
    const posted = await fetch(url, { method: 'POST', body: '{}' })
    t.strictSame([posted.status, posted.headers.get('content-type')], [500, plain])

    const requested = asking(url)
    save(root, notes, controller(action('first')))
    const lines = await until('MCP endpoint')
    t.strictSame(lines, [
      'the mistakes are mended',
      '1 controller, 1 route, 1 tool, about 19 tokens; 8 files written',
      ...announced,
    ])
    t.strictSame(await ask(url), [200, 'application/json; charset=utf-8', '"one"'])
    // 503 while what was built starts
    t.strictSame(
      (await requested.stop()).filter((value) => value !== 503),
      [200, 500],
      'no connection was refused',
    )
    t.strictSame(await ask(`${baseUrl}/acmcp/build`), [200, plain, 'The last build succeeded\n'])
    t.strictSame(await ask(`${baseUrl}/other`), [
      404,
      'application/json; charset=utf-8',
      '{"error":"not found"}',
    ])
  },
)

t.test(
  'acmcp dev: an edit is served without a refused connection, and what changed is printed',
  async (t) => {
    const requested = asking(`${baseUrl}/api/notes/first`)
    const edited = (...members: readonly string[]): Promise<readonly string[]> => {
      save(root, notes, controller(...members))
      return until('serves the new build')
    }
    const first = action('first', { summary: 'Tells what comes first, in a few words.' })
    t.strictSame(await edited(first, action('second')), [
      'routes added: GET /api/notes/second',
      'routes changed: GET /api/notes/first',
      'tools added: notes_second (19 tokens)',
      'tools changed: notes_first (19 -> 26 tokens)',
      'what models read: 19 -> 45 tokens',
      'acmcp serves the new build',
    ])
    const other = action('first', { summary: 'Tells what comes first, in a few words.', answer: 'two' })
    t.strictSame(await edited('\n\n', other, action('second')), [
      'no route and no tool changed',
      'acmcp serves the new build',
    ])
    t.strictSame((await ask(`${baseUrl}/api/notes/first`))[2], '"two"')
    t.strictSame(await edited(other, action('third', { answer: 'three' })), [
      'routes added: GET /api/notes/third',
      'routes removed: GET /api/notes/second',
      'tools added: notes_third (19 tokens)',
      'tools removed: notes_second (19 tokens)',
      'acmcp serves the new build',
    ])
    t.strictSame((await ask(`${baseUrl}/api/notes/third`))[2], '"three"')
    t.strictSame(await requested.stop(), [200])
  },
)

t.test('dev: what others write into generated/ is noticed', async (t) => {
  const file = join(root, 'generated/mcp.yml')
  const reviewed = readFileSync(file, 'utf8')
  save(root, 'generated/mcp.yml', reviewed.replace('Tells third.', 'Says third.'))
  t.match((await until('ACM302')).at(-1), 'error ACM302: generated/mcp.yml was edited by hand')
  t.equal((await built(root, 'overwrite')).status, 0)
  await until('no route and no tool changed')
  t.equal(readFileSync(file, 'utf8'), reviewed)
  t.equal(await askUntil(`${baseUrl}/acmcp/build`, 'The last'), 'The last build succeeded\n')
  t.equal(await stop(), 0)
})

/** A controller that has a route at the address of the page. */
const own = controller(`
  /**
   * Tells anything.
   *
   * @get /:any
   * @param any - what to tell
   */
  build(any: string): string {
    return any
  }
`)
  .replace('/api/notes', '/acmcp')
  .replace('class Notes', 'class Own')

t.test(
  'acmcp dev: a build that is written while the one before is read is served, and told once',
  async (t) => {
    let open = (): void => {}
    const gate = createServer((_request, response) => {
      open = () => response.end()
      gate.emit('asked')
    }).listen(0, '127.0.0.1')
    t.teardown(() => gate.close())
    await once(gate, 'listening')
    const address = gate.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const waiting = `await fetch('http://127.0.0.1:${port}/')\nexport const config: object = {}\n`
    const { root, baseUrl, until } = await startDevHere(t, {
      [notes]: controller(action('first')),
      'app/controllers/own.ts': own,
      'app/config.ts': waiting,
    })
    await once(gate, 'asked')
    open()
    await until('MCP endpoint')
    save(root, notes, controller(action('first', { answer: 'two' })))
    await once(gate, 'asked')
    save(root, notes, controller(action('first', { answer: 'three' }), action('second')))
    t.match(await until('what models read'), [
      'no route and no tool changed',
      /^routes added/,
      /^tools added/,
      /^what/,
    ])
    const requested = once(gate, 'asked')
    open()
    await requested
    t.equal(
      (await ask(`${baseUrl}/api/notes/first`))[2],
      '"one"',
      'the texts of the second were not its own any more',
    )
    open()
    t.strictSame(await until('serves the new build'), ['acmcp serves the new build'])
    t.equal((await ask(`${baseUrl}/api/notes/first`))[2], '"three"')
    save(root, notes, controller(action('first', { get: '@gett' })))
    t.match((await until('ACM110'))[0], 'ACM110', 'it was told once')

    await t.test('dev: a route of the application keeps the address of the page', async (t) => {
      const reported = 'acmcp: the last good build is served'
      t.equal((await until(reported)).at(-1), reported)
      t.equal((await ask(`${baseUrl}/acmcp/build`))[2], '"build"')
    })
  },
)

t.test(
  'acmcp dev: without events of the file system each save is found by looking, built and served',
  async (t) => {
    const isWatching = (): boolean =>
      process.getActiveResourcesInfo().some((name) => name.includes('FSEvent'))
    const files = { [notes]: controller(action('first')) }
    const { root, baseUrl, until } = await startDevHere(t, files, { CHOKIDAR_USEPOLLING: '1' })
    t.equal(
      (await until('MCP endpoint'))[0],
      'acmcp: files are looked at again and again (CHOKIDAR_USEPOLLING)',
    )
    t.notOk(isWatching(), 'nothing is heard of by events')
    const changed = controller(action('first', { answer: 'two' }))
    save(root, notes, changed)
    t.strictSame(await until('serves the new build'), [
      'no route and no tool changed',
      'acmcp serves the new build',
    ])
    t.equal((await ask(`${baseUrl}/api/notes/first`))[2], '"two"')
    save(root, 'app/controllers/own.ts', own)
    t.equal((await until('serves the new build'))[0], 'routes added: GET /acmcp/:any')
    save(root, notes, controller(action('first', { get: '@gett' })))
    await until('ACM110')
    save(root, notes, changed)
    await until('the mistakes are mended')
    rmSync(join(root, 'app/controllers/own.ts'))
    t.equal((await until('routes removed')).at(-1), 'routes removed: GET /acmcp/:any')
    t.equal((await until('serves the new build')).at(-1), 'acmcp serves the new build')
  },
)

t.test('dev: of many changes of one kind eight are named', (t) => {
  const contents = (...names: readonly string[]) => ({
    routes: new Map(names.map((name) => [`GET /${name}`, ''])),
    tools: new Map(names.map((name, tokens) => [name, { text: '', tokens }])),
  })
  const many = Array.from({ length: 10 }, (_, index) => `r${index}`)
  t.strictSame(changeLines(contents('r0', 'r1'), contents(...many, 'r10', 'r11')), [
    'routes added: GET /r2, GET /r3, GET /r4, GET /r5, GET /r6, GET /r7, GET /r8, GET /r9 and 2 more',
    'tools added: r2 (2 tokens), r3 (3 tokens), r4 (4 tokens), r5 (5 tokens), r6 (6 tokens), r7 (7 tokens), r8 (8 tokens), r9 (9 tokens) and 2 more',
    'what models read: 1 -> 66 tokens',
  ])
  t.strictSame(changeLines(contents('r0', 'r1'), contents('r0', 'r1')), ['no route and no tool changed'])
  t.end()
})
