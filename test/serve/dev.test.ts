/** `acmcp dev`: what it prints, what clients and browsers see while an application is edited, and how it ends. */
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { changeLines } from '../../cli/terminal/changes.ts'
import { acmcp, folderOf, write } from '../cli/support/built-app.ts'
import { notesWith } from '../cli/support/memory-host.ts'
import { ask, asking, askUntil, pageText, save, spawnDev, startDev } from './support/dev-process.ts'

t.setTimeout(300_000) // a busy machine

const notes = 'app/controllers/notes.ts'
const controller = (...members: readonly string[]): string => notesWith(members.join(''))[notes] ?? ''

const action = (name: string, { answer = 'one', get = '@get', summary = `Tells ${name}.` } = {}): string => `
  /**
   * ${summary}
   *
   * ${get} /${name}
   */
  ${name}(): string {
    return '${answer}'
  }
`

const announced = [
  'acmcp serves http://localhost:PORT',
  '  MCP endpoint to paste into a client: http://localhost:PORT/mcp',
]
const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const plain = 'text/plain; charset=utf-8'

t.test(
  'acmcp dev: without a bundle the port answers with the mistakes, then with the application',
  async (t) => {
    const wrong = action('first', { get: '@gett', summary: 'Tells <img src=x onerror=alert(1)> & more.' })
    const { root, baseUrl, until } = await startDev(t, { [notes]: controller(wrong) })
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

    const asked = asking(url)
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
      (await asked.stop()).filter((one) => one !== 503),
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
    const { root, baseUrl, until } = await startDev(t, { [notes]: controller(action('first')) })
    await until('MCP endpoint')
    const asked = asking(`${baseUrl}/api/notes/first`)
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
    t.strictSame(await asked.stop(), [200])
  },
)

t.test(
  'the acmcp dev: the last good build is served while there are mistakes, which a page shows',
  async (t) => {
    const { root, baseUrl, until } = await startDev(t, { [notes]: controller(action('first')) })
    await until('MCP endpoint')
    const page = `${baseUrl}/acmcp/build`
    const told = 'acmcp: the last good build is served; http://localhost:PORT/acmcp/build shows what is wrong'
    save(root, notes, controller(action('first', { get: '@gett' })))
    t.equal((await until('ACM110')).at(-1), 'app/controllers/notes.ts:12:6 - error ACM110: unknown tag @gett')
    t.equal((await until(told)).at(-1), told)
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

t.test('dev: the build of another day is served while the first one has mistakes', async (t) => {
  const { baseUrl, until } = await startDev(t, { [notes]: controller(action('first')) }, {}, (root) => {
    acmcp(root, 'build')
    save(root, notes, controller(action('first', { get: '@gett' })))
  })
  const said = await until('shows what is wrong')
  t.strictSame(said.slice(-5), [
    'acmcp explain ACM110 tells more',
    'the bundle was not built from app/controllers/notes.ts as it is now: run npx acmcp build',
    ...announced,
    'acmcp: the last good build is served; http://localhost:PORT/acmcp/build shows what is wrong',
  ])
  t.equal((await ask(`${baseUrl}/api/notes/first`))[2], '"one"')
  t.match(await askUntil(`${baseUrl}/acmcp/build`, 'The build failed'), 'unknown tag @gett')
})

t.test('dev: off loopback no source is shown, whatever host is named', async (t) => {
  const HOST = '127.0.0.2' // stands for any address that is none of the loopback names
  const wrong = controller(action('first', { get: '@gett' }))
  const { root, baseUrl, until } = await startDev(t, { [notes]: wrong }, { HOST })
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

t.test('dev: a route of the application keeps the address of the page', async (t) => {
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
`).replace('/api/notes', '/acmcp')
  const { root, baseUrl, until } = await startDev(t, { [notes]: own })
  await until('MCP endpoint')
  t.equal((await ask(`${baseUrl}/acmcp/build`))[2], '"build"')
  save(root, notes, own.replace('@get', '@gett'))
  const told = 'acmcp: the last good build is served'
  t.equal((await until(told)).at(-1), told)
  t.equal((await ask(`${baseUrl}/acmcp/build`))[2], '"build"')
})

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
    const { root, baseUrl, until } = await startDev(t, {
      [notes]: controller(action('first')),
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
    const asked = once(gate, 'asked')
    open()
    await asked
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
  },
)

t.test('dev: what others write into generated/ is noticed', async (t) => {
  const { root, until, baseUrl } = await startDev(t, { [notes]: controller(action('first')) })
  await until('MCP endpoint')
  const file = join(root, 'generated/mcp.yml')
  const reviewed = readFileSync(file, 'utf8')
  save(root, 'generated/mcp.yml', reviewed.replace('Tells first.', 'Says first.'))
  t.match(
    (await until('shows what is wrong')).join('\n'),
    'error ACM302: generated/mcp.yml was edited by hand',
  )
  const { status } = acmcp(root, 'build', '--overwrite')
  t.equal(status, 0)
  await until('no route and no tool changed')
  t.equal(readFileSync(file, 'utf8'), reviewed)
  t.equal(await askUntil(`${baseUrl}/acmcp/build`, 'The last'), 'The last build succeeded\n')
})

const environment = `
  /**
   * Tells variables.
   *
   * @get /environment
   */
  environment(): string {
    return [process.env.LEFT, process.env.RIGHT, process.env.DEV_LOGIN].join()
  }
`

for (const [signal, whom] of [
  ['SIGTERM', 'the parent alone'],
  ['SIGINT', 'all of its group, as a terminal does'],
] as const) {
  t.test(
    `dev: .env is read, variables that are set win; ${signal} to ${whom} ends it in order with 0`,
    async (t) => {
      const {
        baseUrl,
        process: parent,
        until,
        gone,
      } = await startDev(
        t,
        { [notes]: controller(environment), '.env': '# ours\nLEFT=file\nRIGHT="the file"\nDEV_LOGIN=1\n' },
        { LEFT: 'set' },
      )
      await until('MCP endpoint')
      t.equal((await ask(`${baseUrl}/api/notes/environment`))[2], '"set,the file,1"')
      t.equal((await ask(`${baseUrl}/auth/dev`))[0], 303, 'DEV_LOGIN signs in')
      const stream = await fetch(`${baseUrl}/mcp`, { headers: { accept: 'text/event-stream' } })
      const began = performance.now()
      process.kill(signal === 'SIGINT' ? -Number(parent.pid) : Number(parent.pid), signal)
      t.equal(await stream.text(), '')
      t.strictSame(await gone, [0, null])
      t.ok(performance.now() - began < 10_000)
      await t.rejects(ask(baseUrl), { code: 'ECONNREFUSED' })
    },
  )
}

t.test(
  'acmcp dev: what must not start is one clear line and exit code 1, before anything is built',
  async (t) => {
    const taken = createServer().listen(0, '127.0.0.1')
    t.teardown(() => taken.close())
    await once(taken, 'listening')
    const address = taken.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const production =
      'acmcp: dev is for development: in production acmcp build and acmcp serve take its place\n'
    const root = folderOf(t, { [notes]: controller(action('first')) })
    const refused = async (env: Readonly<Record<string, string>>): Promise<readonly unknown[]> => {
      const child = spawnDev(t, root, { env })
      return Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close').then(([code]) => code),
      ])
    }
    t.strictSame(await refused({ NODE_ENV: 'production' }), ['', production, 1])
    t.strictSame(await refused({ PORT: String(port) }), [
      '',
      `acmcp: port ${port} of 127.0.0.1 is taken: stop what listens there, or set PORT to another\n`,
      1,
    ])
    t.strictSame(await refused({ HOST: '0.0.0.0', DEV_LOGIN: '1' }), [
      '',
      'acmcp: DEV_LOGIN signs anybody in: it is refused in production and off loopback\n',
      1,
    ])
    write(root, '.env', 'NODE_ENV=production\n')
    t.strictSame(await refused({}), [
      '',
      'acmcp: .env says NODE_ENV=production, but production reads no .env: set it in the environment\n',
      1,
    ])
    const other = folderOf(t, {})
    mkdirSync(join(other, '.env'))
    const child = spawnDev(t, other, { env: {} })
    t.strictSame(await Promise.all([text(child.stderr), once(child, 'close')]), [
      'acmcp: .env cannot be read (EISDIR)\n',
      [1, null],
    ])
    t.equal(
      acmcp(root, 'serve', '--worker').stderr,
      'acmcp: serve --worker is started by serve --workers, serve --watch and dev\n',
    )
    t.strictSame([existsSync(join(root, 'generated')), existsSync(join(root, '.acmcp'))], [false, false])
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
