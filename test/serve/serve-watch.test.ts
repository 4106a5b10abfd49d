/** `acmcp serve --watch`: what the clients of an application see when it is built anew. */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import t from 'tap'
import { type Served, serve } from '../../runtime/serve/serve.ts'
import { built, folderOf } from '../cli/support/built-app.ts'
import { notesWith } from '../cli/support/memory-host.ts'
import { freePort } from '../flow/support.ts'

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

/** Lines as they come; `until` waits for the next one with that text. */
function lines() {
  let seen: readonly string[] = []
  let wake = (): void => {}
  const print = (line: string): void => {
    seen = [...seen, line]
    wake()
  }
  const until = async (text: string): Promise<string> => {
    for (;;) {
      const found = seen.find((line) => line.includes(text))
      if (found !== undefined) {
        seen = []
        return found
      }
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  return { print, until }
}

const slow = `
  /**
   * Waits until it is let go.
   *
   * @get /slow
   * @mcp root
   */
  async slow(): Promise<string> {
    await new Promise((done) => process.once('acmcp test: go', done))
    return 'the first build'
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

interface Watched extends ReturnType<typeof lines> {
  readonly root: string
  readonly baseUrl: string
  readonly served: Served
}

type Test = Parameters<typeof folderOf>[0] & { teardown(clean: () => Promise<void>): void }

/** Serves build `a`. */
async function watched(t: Test): Promise<Watched> {
  const root = folderOf(t, {})
  deploy(root, 'a')
  const port = await freePort()
  const said = lines()
  const env = { PORT: String(port), LOG_LEVEL: 'silent', DATABASE_URL: 'sqlite::memory:' }
  const served = await serve({ cwd: root, env, watch: true, isTerminal: true, print: said.print })
  t.teardown(() => served.close())
  return { ...said, root, baseUrl: `http://localhost:${port}`, served }
}

/** A client's view of the list: `next` is what it has after it was told of a change. */
function listening() {
  let tell: (names: readonly string[]) => void = () => {}
  const next = (): Promise<readonly string[]> =>
    new Promise((resolve) => {
      tell = resolve
    })
  const onChanged = (_error: Error | null, tools: readonly { name: string }[] | null): void =>
    tell((tools ?? []).map(({ name }) => name))
  return { next, options: { listChanged: { tools: { onChanged, debounceMs: 0 } } } }
}

const info = { name: 'watch test', version: '1' }
const meta = ['list_toolboxes', 'open_toolbox', 'call_read_only', 'call_tool']

t.test(
  'decisions, notification stream: real clients of both eras hear of a new build and list it, without a new connection',
  async (t) => {
    const { root, baseUrl } = await watched(t)
    const endpoint = new URL(`${baseUrl}/mcp`)
    let connections = 0
    const counted: typeof fetch = (input, init) => {
      const isStream = init?.method === 'GET' || String(init?.body).includes('subscriptions/listen')
      if (isStream) connections += 1
      return fetch(input, init)
    }
    const [oldest, older, modern] = [listening(), listening(), listening()]
    const v1 = new ClientV1(info, oldest.options)
    const v2 = new Client(info, { ...older.options, versionNegotiation: { mode: 'legacy' } })
    const newest = new Client(info, { ...modern.options, versionNegotiation: { mode: 'auto' } })
    // exactOptionalPropertyTypes: the class declares `sessionId: string | undefined`
    await v1.connect(new TransportV1(endpoint, { fetch: counted }) as Parameters<ClientV1['connect']>[0])
    await v2.connect(new StreamableHTTPClientTransport(endpoint, { fetch: counted }))
    await newest.connect(new StreamableHTTPClientTransport(endpoint, { fetch: counted }))
    const seen = [oldest, older, modern]
    for (const [build, names] of [
      ['b', ['notes_first', 'notes_slow', 'notes_second']],
      ['c', ['notes_slow', 'notes_third']],
    ] as const) {
      const told = Promise.all(seen.map(({ next }) => next()))
      deploy(root, build)
      t.strictSame(
        await told,
        seen.map(() => [...names, ...meta]),
      )
    }
    for (const client of [v1, v2, newest]) {
      const { content } = await client.callTool({ name: 'notes_third', arguments: {} })
      t.strictSame(content, [{ type: 'text', text: '"three"' }])
      await client.close()
    }
    t.equal(connections, 3, 'the streams of the first build go on')
  },
)

t.test('a build whose list is the same is served, and nobody is told', async (t) => {
  const { root, baseUrl, until } = await watched(t)
  const stream = await fetch(`${baseUrl}/mcp`, { headers: { accept: 'text/event-stream' } })
  change(root, '"one"', '"another one"')
  await until('serves the new build')
  t.equal(await (await fetch(`${baseUrl}/api/notes/first`)).text(), '"another one"')
  deploy(root, 'b')
  await until('serves the new build')
  const [event] = await chunksOf(stream, 1)
  t.match(event, /^id: .*\nevent: message\ndata: .*notifications\/tools\/list_changed"\}\n\n$/)
})

/** Changes the bundle. */
function change(root: string, from: string, to: string): void {
  const file = join(root, '.acmcp/app.mjs')
  const text = readFileSync(file, 'utf8')
  if (!text.includes(from)) throw new Error(`the bundle has no ${from}`)
  writeFileSync(file, text.replace(from, to))
}

async function chunksOf({ body }: Response, count: number): Promise<readonly string[]> {
  const chunks: string[] = []
  for await (const chunk of body ?? []) {
    chunks.push(Buffer.from(chunk).toString())
    if (chunks.length === count) break
  }
  return chunks
}

t.test('a build that cannot be served is told, and the one before goes on', async (t) => {
  const { root, baseUrl, until } = await watched(t)
  const answer = async (): Promise<string> => (await fetch(`${baseUrl}/api/notes/first`)).text()
  change(root, 'config = {}', 'config = { mpc: {} }')
  t.equal(
    await until('not served'),
    'acmcp: the new build is not served: app/config.ts: config has no setting mpc',
  )
  t.equal(await answer(), '"one"')
  writeFileSync(join(root, '.acmcp/app.mjs'), 'this is no module')
  t.match(await until('not served'), /^acmcp: the new build is not served: /)
  t.equal(await answer(), '"one"')
  deploy(root, 'b')
  await until('serves the new build')
  t.equal(await (await fetch(`${baseUrl}/api/notes/second`)).text(), '"two"')
})

t.test('a removed bundle folder is not the end of watching', async (t) => {
  const { root, baseUrl, until } = await watched(t)
  for (const [build, path, answer] of [
    ['b', 'second', '"two"'],
    ['c', 'third', '"three"'],
  ] as const) {
    rmSync(join(root, '.acmcp'), { recursive: true })
    deploy(root, build)
    await until('serves the new build')
    t.equal(await (await fetch(`${baseUrl}/api/notes/${path}`)).text(), answer)
  }
})

t.test('a request under way is answered by the build that it was sent to', async (t) => {
  const { root, baseUrl, until } = await watched(t)
  const answered = fetch(`${baseUrl}/api/notes/slow`)
  while (process.listenerCount('acmcp test: go') === 0) await new Promise(setImmediate) // until it runs
  deploy(root, 'c')
  await until('serves the new build')
  t.equal(await (await fetch(`${baseUrl}/api/notes/slow`)).text(), '"at once"')
  process.emit('acmcp test: go' as 'disconnect') // an event of the test's own
  t.equal(await (await answered).text(), '"the first build"')
})

t.test('closing ends the streams in good order', async (t) => {
  const { baseUrl, served } = await watched(t)
  const stream = await fetch(`${baseUrl}/mcp`, { headers: { accept: 'text/event-stream' } })
  await served.close()
  t.equal(await stream.text(), '')
})

t.test('serve --watch is refused in production', async (t) => {
  const secrets = {
    JWT_SECRET: 'kQ8w-2nB7vXz_4mLr9TgYh3PdSa6EfUj',
    SESSION_SECRET: 'Zx5c-8VbN1mQw_7eRt2YuI0oPaS4dFgH',
  }
  const env = { NODE_ENV: 'production', BASE_URL: 'https://notes.test', ...secrets }
  await t.rejects(serve({ cwd: process.cwd(), env, watch: true, print: () => {} }), {
    name: 'BootError',
    message: 'serve --watch is for development: Node never lets go of the builds before',
  })
})
