/** `acmcp serve --watch`: builds that are not served, builds that follow each other, and what is left of its processes. */
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as after } from 'node:timers/promises'
import t from 'tap'
import { ask, change, deploy } from './support/builds.ts'
import { paceMs } from './support/dev-process.ts'
import { spawnWatch, watched } from './support/watched.ts'

t.setTimeout(240_000) // a busy machine

/** Of one process, to the first signal: each test goes on where the one before has ended. */
const shared = await watched(t)
const { root, baseUrl, until } = shared

t.test('a build that cannot be served is told, and the one before goes on', async (t) => {
  const answer = (): Promise<string> => ask(`${baseUrl}/api/notes/first`)
  change(root, 'config = {}', 'config = { mpc: {} }')
  t.equal(
    await until('not served'),
    'acmcp: the new build is not served: app/config.ts: config has no setting mpc, did you mean: mcp',
  )
  t.equal(await answer(), '200 "one"')
  writeFileSync(join(root, '.acmcp/app.mjs'), 'this is no module')
  t.match(await until('not served'), /^acmcp: the new build is not served: .*: Unexpected identifier 'is'$/)
  t.equal(await answer(), '200 "one"')
  writeFileSync(join(root, '.acmcp/app.mjs'), 'process.exit(3)')
  t.equal(
    await until('not served'),
    'acmcp: the new build is not served: the application ended (exit code 3) before it served',
  )
  t.equal(await answer(), '200 "one"')
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
  for (const [from, to] of ['one', 'two', 'three'].map((word, at, all) => [all[at - 1], word])) {
    if (from === undefined) continue
    change(root, `"${from}"`, `"${to}"`)
    await until('serves the new build')
    t.equal(await ask(`${baseUrl}/api/notes/first`), `200 "${to}"`)
  }
  isOver = true
  await Promise.all(clients)
  const expected = ['one', 'two', 'three'].map((word) => `200 "${word}"`)
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
    process.kill(signal === 'SIGINT' ? -Number(parent.pid) : Number(parent.pid), signal)
    t.equal(await stream.text(), '')
    t.strictSame(await gone, [0, null])
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
