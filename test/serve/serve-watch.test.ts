/** `acmcp serve --watch`: what the clients of an application see when it is built anew, and what is left of its processes. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, get } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setTimeout as after } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import t from 'tap'
import { startSupervisor } from '../../runtime/serve/supervisor.ts'
import { built, folderOf } from '../cli/support/built-app.ts'
import { notesWith } from '../cli/support/memory-host.ts'
import { freePort } from '../support/free-port.ts'
import { Connection } from './support/connection.ts'
import { paceMs } from './support/dev-process.ts'

t.setTimeout(240_000) // a busy machine

const tool = (name: string, answer: string): string => `
  /**
   * Tells what ${name} has to say.
   *
   * @get /${name}
   * @mcp root
   */
  ${name}(): string {
    return '${answer}'
  }
`

const slow = `
  /**
   * Waits until it is let go.
   *
   * @get /slow
   * @mcp root
   */
  async slow(): Promise<string> {
    await fetch(process.env.GATE ?? '')
    return 'the first build'
  }

  /**
   * Tells from where it is asked.
   *
   * @get /from
   * @mcp hide
   */
  from(): string {
    return this.request.ip
  }

  /**
   * Tells which process answers.
   *
   * @get /pid
   * @mcp hide
   */
  pid(): string {
    return String(process.pid)
  }

  /**
   * Ends the process.
   *
   * @get /crash
   * @mcp hide
   */
  crash(): void {
    process.exit(7)
  }

  /**
   * Never ends.
   *
   * @get /busy
   * @mcp hide
   */
  busy(): void {
    process.stdout.write('{"msg":"busy"}\\n')
    for (;;) {}
  }
`
const members = {
  a: tool('first', 'one') + slow,
  b: tool('first', 'one') + slow + tool('second', 'two'),
  c: tool('slow', 'at once') + tool('third', 'three'),
}
type Build = keyof typeof members

/** What `acmcp build` makes of each, built once: the compiler takes its time. */
const builds = new Map<string, string>()
for (const [name, text] of Object.entries(members)) {
  const root = folderOf(t, notesWith(text))
  await built(root)
  builds.set(name, root)
}

/** Puts a build where `acmcp build` would. */
function deploy(root: string, name: Build): void {
  for (const folder of ['generated', '.acmcp'])
    cpSync(join(builds.get(name) ?? '', folder), join(root, folder), { recursive: true })
}

/** Changes the bundle. */
function change(root: string, from: string, to: string): void {
  const file = join(root, '.acmcp/app.mjs')
  const text = readFileSync(file, 'utf8')
  if (!text.includes(from)) throw new Error(`the bundle has no ${from}`)
  writeFileSync(file, text.replace(from, to))
}

interface Watched {
  readonly root: string
  readonly baseUrl: string
  readonly process: ChildProcessWithoutNullStreams
  /** Resolves with the next message on standard output that holds the text. */
  readonly until: (text: string) => Promise<string>
  /** Resolves with exit code and signal when no process of it has its output open any more. */
  readonly gone: Promise<readonly unknown[]>
}

type Test = Parameters<typeof folderOf>[0] & { teardown(clean: () => Promise<void>): void }
type Variables = Readonly<Record<string, string>>

const main = join(process.cwd(), 'dist/cli/main.js')

/** `acmcp serve --watch` of build `a`, as a process group of its own. */
async function spawnWatch(
  t: Test,
  env: Variables = {},
): Promise<ChildProcessWithoutNullStreams & { readonly root: string }> {
  const root = folderOf(t, {})
  deploy(root, 'a')
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

/** Asks on a connection of its own. */
async function ask(url: string, localAddress?: string): Promise<string> {
  const request = get(url, { agent: false, ...(localAddress === undefined ? {} : { localAddress }) })
  const [response] = await once(request, 'response')
  return `${response.statusCode} ${await text(response)}`
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

t.test(
  'decisions, notification stream: real clients of both eras hear of every new build and list it',
  async (t) => {
    const { root, baseUrl } = await watched(t)
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
      deploy(root, build)
      await Promise.all(told)
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
  const { root, baseUrl, until } = await watched(t)
  const stream = (): Promise<Response> =>
    fetch(`${baseUrl}/mcp`, { headers: { accept: 'text/event-stream' } })
  const first = await stream()
  change(root, '"one"', '"another one"')
  await until('serves the new build')
  t.equal(await ask(`${baseUrl}/api/notes/first`), '200 "another one"')
  t.equal(await first.text(), '')
  const second = await stream()
  deploy(root, 'b')
  await until('serves the new build')
  t.match(await second.text(), /^id: .*\nevent: message\ndata: .*notifications\/tools\/list_changed"\}\n\n$/)
})

t.test('a connection that waits for a request goes over to the new build', async (t) => {
  const { root, baseUrl, until } = await watched(t)
  const kept = new Connection(baseUrl)
  t.equal((await kept.ask('/api/notes/first')).body, '"one"')
  for (const [build, path, answer] of [
    ['b', 'second', '"two"'],
    ['c', 'third', '"three"'],
  ] as const) {
    deploy(root, build)
    await until('serves the new build')
    const { isKept, status, body } = await kept.ask(`/api/notes/${path}`)
    t.strictSame([isKept, status, body], [true, 200, answer])
  }
  kept.close()
})

t.test('a build that cannot be served is told, and the one before goes on', async (t) => {
  const { root, baseUrl, until } = await watched(t)
  const answer = (): Promise<string> => ask(`${baseUrl}/api/notes/first`)
  change(root, 'config = {}', 'config = { mpc: {} }')
  t.equal(
    await until('not served'),
    'acmcp: the new build is not served: app/config.ts: config has no setting mpc',
  )
  t.equal(await answer(), '200 "one"')
  writeFileSync(join(root, '.acmcp/app.mjs'), 'this is no module')
  t.match(await until('not served'), /^acmcp: the new build is not served: .*app\.mjs does not fit /)
  t.equal(await answer(), '200 "one"')
  writeFileSync(join(root, '.acmcp/app.mjs'), 'process.exit(3)')
  t.equal(
    await until('not served'),
    'acmcp: the new build is not served: the application ended (exit code 3) before it served',
  )
  t.equal(await answer(), '200 "one"')
  deploy(root, 'b')
  await until('serves the new build')
  t.equal(await ask(`${baseUrl}/api/notes/second`), '200 "two"')
})

t.test('a removed bundle folder is not the end of watching', async (t) => {
  const { root, baseUrl, until } = await watched(t)
  for (const [build, path, answer] of [
    ['b', 'second', '200 "two"'],
    ['c', 'third', '200 "three"'],
  ] as const) {
    rmSync(join(root, '.acmcp'), { recursive: true })
    deploy(root, build)
    await until('serves the new build')
    t.equal(await ask(`${baseUrl}/api/notes/${path}`), answer)
  }
})

t.test('a request under way is answered by the build that it was sent to', async (t) => {
  const gate = createServer().listen(0, '127.0.0.1')
  t.teardown(() => gate.close())
  await once(gate, 'listening')
  const address = gate.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const { root, baseUrl, until } = await watched(t, { GATE: `http://127.0.0.1:${port}/` })
  const arrived = once(gate, 'request')
  const answered = ask(`${baseUrl}/api/notes/slow`)
  const [, dropReferences] = await arrived
  deploy(root, 'c')
  await until('serves the new build')
  t.equal(await ask(`${baseUrl}/api/notes/slow`), '200 "at once"')
  dropReferences.end()
  t.equal(await answered, '200 "the first build"')
})

t.test('no connection is refused and no request is lost while builds change', async (t) => {
  const { root, baseUrl, until } = await watched(t)
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
  for (const [from, to] of ['one', 'two', 'three', 'four', 'five'].map((one, at, all) => [
    all[at - 1],
    one,
  ])) {
    if (from === undefined) continue
    change(root, `"${from}"`, `"${to}"`)
    await until('serves the new build')
    t.equal(await ask(`${baseUrl}/api/notes/first`), `200 "${to}"`)
  }
  isOver = true
  await Promise.all(clients)
  const expected = ['one', 'two', 'three', 'four', 'five'].map((one) => `200 "${one}"`)
  t.strictSame(
    [...answers.keys()].filter((answer) => !expected.includes(answer)),
    [],
  )
  t.ok(answers.size > 1, 'the clients saw builds change')
})

t.test('a build that is written while it is read is told once, when it is whole', async (t) => {
  const { root, baseUrl, until } = await watched(t)
  const file = join(root, '.acmcp/app.mjs')
  const writesOn = [
    "import { appendFileSync, existsSync, mkdirSync } from 'node:fs'",
    `console.log('{"msg":"loaded"}')`,
    "if (!existsSync('half')) { mkdirSync('half'); appendFileSync('.acmcp/app.mjs', '// the rest') }",
  ]
  writeFileSync(file, [...writesOn, readFileSync(file, 'utf8').replace('"one"', '"two"')].join('\n'))
  await until('loaded')
  t.strictSame([await until(''), await until('')], ['loaded', 'acmcp serves the new build'])
  t.equal(await ask(`${baseUrl}/api/notes/first`), '200 "two"')
})

t.test('an application that ends is started again', async (t) => {
  const { baseUrl, until } = await watched(t)
  await t.rejects(ask(`${baseUrl}/api/notes/crash`), { code: 'ECONNRESET' })
  t.equal(await until('is started again'), 'acmcp: the application ended (exit code 7): it is started again')
  await until('acmcp serves again')
  t.equal(await ask(`${baseUrl}/api/notes/first`), '200 "one"')
})

t.test('the worker sees the address of the client, and signs in by DEV_LOGIN', async (t) => {
  const { baseUrl } = await watched(t, { DEV_LOGIN: '1' })
  const direct = baseUrl.replace('localhost', '127.0.0.1')
  t.equal(await ask(`${direct}/api/notes/from`, '127.0.0.1'), '200 "127.0.0.1"')
  t.equal(await ask(`${direct}/api/notes/from`, '127.0.0.7'), '200 "127.0.0.7"')
  t.equal(await ask(`${baseUrl}/auth/dev`), '303 ', 'signed in, and sent on')
})

for (const [signal, whom] of [
  ['SIGTERM', 'the parent alone'],
  ['SIGINT', 'all of its group, as a terminal does'],
] as const) {
  t.test(`${signal} to ${whom} ends streams in order and every process, with exit code 0`, async (t) => {
    const { baseUrl, process: parent, gone } = await watched(t)
    const stream = await fetch(`${baseUrl}/mcp`, { headers: { accept: 'text/event-stream' } })
    const began = performance.now()
    process.kill(signal === 'SIGINT' ? -Number(parent.pid) : Number(parent.pid), signal)
    t.equal(await stream.text(), '')
    t.strictSame(await gone, [0, null])
    t.ok(performance.now() - began < 10_000)
    await t.rejects(ask(`${baseUrl}/api/notes/first`), { code: 'ECONNREFUSED' })
  })
}

t.test(
  'SIGTERM ends an application that is busy for ever within ten seconds, with exit code 1',
  async (t) => {
    const { baseUrl, process: parent, until, gone } = await watched(t)
    const lost = t.rejects(ask(`${baseUrl}/api/notes/busy`), { code: 'ECONNRESET' })
    await until('busy')
    const began = performance.now()
    parent.kill('SIGTERM')
    t.strictSame(await gone, [1, null])
    t.ok(performance.now() - began < 10_000)
    await lost
  },
)

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

/** A supervisor in this process, of build `a`. */
async function supervised(t: Test & { comment(text: string): void }, standby: boolean) {
  const root = folderOf(t, {})
  deploy(root, 'a')
  const port = String(await freePort())
  Object.assign(process.env, { PORT: port, LOG_LEVEL: 'silent', DATABASE_URL: 'sqlite::memory:' }) // what workers inherit
  const args = ['serve', '--watch', '--worker']
  const supervisor = await startSupervisor({
    program: { exec: main, args, cwd: root },
    count: 1,
    standby,
    say: (_level, message) => t.comment(message),
  })
  t.teardown(() => supervisor.close())
  const answer = (path: string): Promise<string> => ask(`${supervisor.address}/api/notes/${path}`)
  return { root, supervisor, answer }
}

/** Resolves with the next process that has loaded acmcp and waits. */
async function nextWaiting(): Promise<Worker> {
  for (;;) {
    const [worker, message] = await once(cluster, 'message')
    if (message.kind === 'waiting') return worker
  }
}

t.test('a new build is served by a process that waited for it; another waits then', async (t) => {
  const first = nextWaiting()
  const { root, supervisor, answer } = await supervised(t, true)
  t.equal(await answer('pid'), `200 "${(await first).process.pid}"`)
  for (const [from, to] of [
    ['one', 'two'],
    ['two', 'three'],
  ] as const) {
    const standby = await nextWaiting()
    change(root, `"${from}"`, `"${to}"`)
    await supervisor.replace()
    t.equal(await answer('pid'), `200 "${standby.process.pid}"`)
    t.equal(await answer('first'), `200 "${to}"`, 'it had loaded nothing of the build before')
  }
  const lost = await nextWaiting()
  lost.process.kill('SIGKILL')
  await once(lost, 'exit')
  change(root, '"three"', '"four"')
  await supervisor.replace()
  t.equal(await answer('first'), '200 "four"', 'a process that was lost is not waited for')
})

t.test('a build that does not start costs the standby, and the next one has another', async (t) => {
  const { root, supervisor, answer } = await supervised(t, true)
  await nextWaiting()
  change(root, 'config = {}', 'config = { mpc: {} }')
  const next = nextWaiting()
  await t.rejects(supervisor.replace(), { message: 'app/config.ts: config has no setting mpc' })
  t.equal(await answer('first'), '200 "one"')
  const standby = await next
  deploy(root, 'b')
  await supervisor.replace()
  t.equal(await answer('pid'), `200 "${standby.process.pid}"`)
})

t.test('a supervisor that is being closed starts no further worker', async (t) => {
  const { supervisor, answer } = await supervised(t, true)
  t.equal(await answer('first'), '200 "one"')
  const forked: Worker[] = []
  cluster.on('fork', (worker) => forked.push(worker))
  const closed = supervisor.close()
  await t.rejects(supervisor.replace(), { message: 'the supervisor is being closed' })
  await closed
  t.strictSame([forked, Object.keys(cluster.workers ?? {})], [[], []], 'and none is left')
  await t.rejects(answer('first'), { code: 'ECONNREFUSED' })
})

t.test('without a standby nothing waits: a new build has a process of its own', async (t) => {
  const forked: Worker[] = []
  cluster.on('fork', (worker) => forked.push(worker))
  const { root, supervisor, answer } = await supervised(t, false)
  change(root, '"one"', '"two"')
  t.equal(forked.length, 1)
  await supervisor.replace()
  t.equal(await answer('first'), '200 "two"')
  t.equal(forked.length, 2)
})
