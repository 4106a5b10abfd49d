/** `acmcp serve --watch`: what the clients of an application see when it is built anew, and what is left of its processes. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setTimeout as after } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import t from 'tap'
import { folderOf } from '../cli/support/built-app.ts'
import { freePort } from '../support/free-port.ts'
import { ask, change, deploy } from './support/builds.ts'
import { Connection } from './support/connection.ts'
import { main, paceMs, type Test } from './support/dev-process.ts'

t.setTimeout(240_000) // a busy machine

interface Watched {
  readonly root: string
  readonly baseUrl: string
  readonly process: ChildProcessWithoutNullStreams
  /** Resolves with the next message on standard output that holds the text. */
  readonly until: (text: string) => Promise<string>
  /** Resolves with exit code and signal when no process of it has its output open any more. */
  readonly gone: Promise<readonly unknown[]>
}

type Variables = Readonly<Record<string, string>>

/** `acmcp serve --watch` of build `a`, as a process group of its own. */
async function spawnWatch(
  t: Test,
  env: Variables = {},
): Promise<ChildProcessWithoutNullStreams & { readonly root: string }> {
  const root = folderOf(t, {})
  await deploy(root, 'a')
  const common = { PATH: process.env.PATH ?? '', LOG_LEVEL: 'silent', DATABASE_URL: 'sqlite::memory:' }
  const child = spawn(process.execPath, [main, 'serve', '--watch'], {
    cwd: root,
    env: { ...common, ...env },
    detached: true,
  })
  const gone = once(child, 'close')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await gone
  })
  return Object.assign(child, { root })
}

async function watched(t: Test, env: Variables = {}): Promise<Watched> {
  const port = String(await freePort())
  const child = await spawnWatch(t, { PORT: port, ...env })
  const gone = once(child, 'close')
  child.stderr.pipe(process.stderr)
  const messages = lines(child)
  await messages('MCP endpoint')
  return { root: child.root, baseUrl: `http://localhost:${port}`, process: child, until: messages, gone }
}

/** Messages as they come, each told once. */
function lines({ stdout }: ChildProcessWithoutNullStreams): (text: string) => Promise<string> {
  let seen: readonly string[] = []
  let wake = (): void => {}
  createInterface({ input: stdout }).on('line', (line) => {
    seen = [...seen, String(JSON.parse(line).msg)]
    wake()
  })
  return async (text) => {
    for (;;) {
      const at = seen.findIndex((line) => line.includes(text))
      const found = seen[at]
      seen = seen.slice(at + 1)
      if (found !== undefined) return found
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
}

/** A client's view of the list: `until` resolves when it has those tools, after it was told of a change. */
function listening() {
  let tell: (told: readonly string[] | Error) => void = () => {}
  const next = (): Promise<readonly string[] | Error> =>
    new Promise((resolve) => {
      tell = resolve
    })
  const onChanged = (error: Error | null, tools: readonly { name: string }[] | null): void =>
    tell(error ?? (tools ?? []).map(({ name }) => name))
  /** Who was told as his stream ended and comes back with its last event is told once more. */
  const until = async (names: readonly string[]): Promise<void> => {
    for (;;) {
      const told = await next()
      if (told instanceof Error) throw told
      if (told.join() === names.join()) return
    }
  }
  return { until, options: { listChanged: { tools: { onChanged, debounceMs: 0 } } } }
}

const info = { name: 'watch test', version: '1' }
const meta = ['list_toolboxes', 'open_toolbox', 'find_tools', 'call_read_only', 'call_tool']

/** What slow requests wait for. */
const gate = createServer().listen(0, '127.0.0.1')
t.teardown(() => gate.close())
await once(gate, 'listening')
const address = gate.address()
const gatePort = typeof address === 'object' && address !== null ? address.port : 0

/** Of one process, to the first signal: each test goes on where the one before has ended. */
const shared = await watched(t, { DEV_LOGIN: '1', GATE: `http://127.0.0.1:${gatePort}/` })
const { root, baseUrl, until } = shared

t.test('the worker sees the address of the client, and signs in by DEV_LOGIN', async (t) => {
  const direct = baseUrl.replace('localhost', '127.0.0.1')
  t.equal(await ask(`${direct}/api/notes/from`, '127.0.0.1'), '200 "127.0.0.1"')
  t.equal(await ask(`${direct}/api/notes/from`, '127.0.0.7'), '200 "127.0.0.7"')
  t.equal(await ask(`${baseUrl}/auth/dev`), '303 ', 'signed in, and sent on')
})

t.test(
  'decisions, notification stream: real clients of both eras hear of every new build and list it',
  async (t) => {
    const endpoint = new URL(`${baseUrl}/mcp`)
    const [oldest, older, modern] = [listening(), listening(), listening()]
    const v1 = new ClientV1(info, oldest.options)
    const v2 = new Client(info, { ...older.options, versionNegotiation: { mode: 'legacy' } })
    const newest = new Client(info, { ...modern.options, versionNegotiation: { mode: 'auto' } })
    // exactOptionalPropertyTypes: the class declares `sessionId: string | undefined`
    await v1.connect(new TransportV1(endpoint) as Parameters<ClientV1['connect']>[0])
    await v2.connect(new StreamableHTTPClientTransport(endpoint))
    await newest.connect(new StreamableHTTPClientTransport(endpoint))
    let subscription = newest.autoOpenedSubscription
    for (const [build, names] of [
      ['b', ['notes_first', 'notes_slow', 'notes_second']],
      ['c', ['notes_slow', 'notes_third']],
    ] as const) {
      const all = [...names, ...meta]
      const told = [oldest.until(all), older.until(all), modern.until(all)]
      await deploy(root, build)
      await Promise.all([until('serves the new build'), ...told])
      t.equal(await subscription?.closed, 'graceful', 'it ended with its result')
      subscription = await newest.listen({ toolsListChanged: true })
    }
    for (const client of [v1, v2, newest]) {
      const { content } = await client.callTool({ name: 'notes_third', arguments: {} })
      t.strictSame(content, [{ type: 'text', text: '"three"' }])
      await client.close()
    }
  },
)

t.test('a build whose list is the same is served, and nobody is told; streams end in order', async (t) => {
  const stream = (): Promise<Response> =>
    fetch(`${baseUrl}/mcp`, { headers: { accept: 'text/event-stream' } })
  const first = await stream()
  change(root, '"at once"', '"at last"')
  await until('serves the new build')
  t.equal(await ask(`${baseUrl}/api/notes/slow`), '200 "at last"')
  t.equal(await first.text(), '')
  const second = await stream()
  await deploy(root, 'b')
  await until('serves the new build')
  t.match(await second.text(), /^id: .*\nevent: message\ndata: .*notifications\/tools\/list_changed"\}\n\n$/)
})

t.test(
  'a connection that waits for a request goes over to the new build; a removed bundle folder is not the end of watching',
  async (t) => {
    const kept = new Connection(baseUrl)
    t.equal((await kept.ask('/api/notes/second')).body, '"two"')
    for (const [build, path, answer] of [
      ['c', 'third', '"three"'],
      ['b', 'second', '"two"'],
    ] as const) {
      rmSync(join(root, '.acmcp'), { recursive: true })
      await deploy(root, build)
      await until('serves the new build')
      const { isKept, status, body } = await kept.ask(`/api/notes/${path}`)
      t.strictSame([isKept, status, body], [true, 200, answer])
      t.equal(await ask(`${baseUrl}/api/notes/${path}`), `200 ${answer}`)
    }
    kept.close()
  },
)

t.test('a request under way is answered by the build that it was sent to', async (t) => {
  const arrived = once(gate, 'request')
  const answered = ask(`${baseUrl}/api/notes/slow`)
  const [, dropReferences] = await arrived
  await deploy(root, 'c')
  await until('serves the new build')
  t.equal(await ask(`${baseUrl}/api/notes/slow`), '200 "at once"')
  dropReferences.end()
  t.equal(await answered, '200 "the first build"')
})

t.test('a build that cannot be served is told, and the one before goes on', async (t) => {
  const answer = (): Promise<string> => ask(`${baseUrl}/api/notes/third`)
  change(root, 'config = {}', 'config = { mpc: {} }')
  t.equal(
    await until('not served'),
    'acmcp: the new build is not served: app/config.ts: config has no setting mpc',
  )
  t.equal(await answer(), '200 "three"')
  writeFileSync(join(root, '.acmcp/app.mjs'), 'this is no module')
  t.match(await until('not served'), /^acmcp: the new build is not served: .*app\.mjs does not fit /)
  t.equal(await answer(), '200 "three"')
  writeFileSync(join(root, '.acmcp/app.mjs'), 'process.exit(3)')
  t.equal(
    await until('not served'),
    'acmcp: the new build is not served: the application ended (exit code 3) before it served',
  )
  t.equal(await answer(), '200 "three"')
  await deploy(root, 'b')
  await until('serves the new build')
  t.equal(await ask(`${baseUrl}/api/notes/second`), '200 "two"')
})

t.test('no connection is refused and no request is lost while builds change', async (t) => {
  const answers = new Map<string, number>()
  let isOver = false
  const connectAgain = async (): Promise<void> => {
    while (!isOver) {
      const answer = await ask(`${baseUrl}/api/notes/first`).catch(String)
      answers.set(answer, (answers.get(answer) ?? 0) + 1)
      await after(paceMs)
    }
  }
  const clients = [connectAgain(), connectAgain(), connectAgain()]
  for (const [from, to] of ['one', 'two', 'three'].map((one, at, all) => [all[at - 1], one])) {
    if (from === undefined) continue
    change(root, `"${from}"`, `"${to}"`)
    await until('serves the new build')
    t.equal(await ask(`${baseUrl}/api/notes/first`), `200 "${to}"`)
  }
  isOver = true
  await Promise.all(clients)
  const expected = ['one', 'two', 'three'].map((one) => `200 "${one}"`)
  t.strictSame(
    [...answers.keys()].filter((answer) => !expected.includes(answer)),
    [],
  )
  t.ok(answers.size > 1, 'the clients saw builds change')
})

t.test('a build that is written while it is read is told once, when it is whole', async (t) => {
  const file = join(root, '.acmcp/app.mjs')
  const writesOn = [
    "import { appendFileSync, existsSync, mkdirSync } from 'node:fs'",
    `console.log('{"msg":"loaded"}')`,
    "if (!existsSync('half')) { mkdirSync('half'); appendFileSync('.acmcp/app.mjs', '// the rest') }",
  ]
  writeFileSync(file, [...writesOn, readFileSync(file, 'utf8').replace('"three"', '"four"')].join('\n'))
  await until('loaded')
  t.strictSame([await until(''), await until('')], ['loaded', 'acmcp serves the new build'])
  t.equal(await ask(`${baseUrl}/api/notes/first`), '200 "four"')
})

t.test('an application that ends is started again', async (t) => {
  await t.rejects(ask(`${baseUrl}/api/notes/crash`), { code: 'ECONNRESET' })
  t.equal(await until('is started again'), 'acmcp: the application ended (exit code 7): it is started again')
  await until('acmcp serves again')
  t.equal(await ask(`${baseUrl}/api/notes/first`), '200 "four"')
})

for (const [signal, whom] of [
  ['SIGTERM', 'the parent alone'],
  ['SIGINT', 'all of its group, as a terminal does'],
] as const) {
  t.test(`${signal} to ${whom} ends streams in order and every process, with exit code 0`, async (t) => {
    const { baseUrl, process: parent, gone } = signal === 'SIGTERM' ? shared : await watched(t)
    const stream = await fetch(`${baseUrl}/mcp`, { headers: { accept: 'text/event-stream' } })
    const began = performance.now()
    process.kill(signal === 'SIGINT' ? -Number(parent.pid) : Number(parent.pid), signal)
    t.equal(await stream.text(), '')
    t.strictSame(await gone, [0, null])
    t.ok(performance.now() - began < 10_000)
    await t.rejects(ask(`${baseUrl}/api/notes/first`), { code: 'ECONNREFUSED' })
  })
}

t.test('the worker ends with a parent that is killed', async (t) => {
  const { baseUrl, process: parent, gone } = await watched(t)
  parent.kill('SIGKILL')
  t.strictSame(await gone, [null, 'SIGKILL'])
  await t.rejects(ask(`${baseUrl}/api/notes/first`), { code: 'ECONNREFUSED' })
})

t.test('what must not start is one clear line, and exit code 1', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1')
  t.teardown(() => taken.close())
  await once(taken, 'listening')
  const address = taken.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const secrets = {
    JWT_SECRET: 'kQ8w-2nB7vXz_4mLr9TgYh3PdSa6EfUj',
    SESSION_SECRET: 'Zx5c-8VbN1mQw_7eRt2YuI0oPaS4dFgH',
  }
  for (const [env, line] of [
    [
      { NODE_ENV: 'production', BASE_URL: 'https://notes.test', DATABASE_URL: 'sqlite:a.db', ...secrets },
      'acmcp: serve --watch is for development: in production a new build is served by a restart\n',
    ],
    [
      { HOST: '0.0.0.0', DEV_LOGIN: '1' },
      'acmcp: DEV_LOGIN signs anybody in: it is refused in production and off loopback\n',
    ],
    [
      { PORT: String(port) },
      `acmcp: port ${port} of 127.0.0.1 is taken: stop what listens there, or set PORT to another\n`,
    ],
  ] as const) {
    const child = await spawnWatch(t, env)
    child.stdout.resume()
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
    t.strictSame([said, code], [line, 1])
  }
})
