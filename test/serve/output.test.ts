/** What `acmcp serve` writes to standard output: JSON lines, and on a terminal in development lines for people. */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { readableLine } from '../../runtime/serve/readable-log.ts'
import { serve } from '../../runtime/serve/serve.ts'
import { spawnServe, temporaryFolder } from '../flow/support.ts'
import { freePort } from '../support/free-port.ts'

const secrets = {
  JWT_SECRET: 'kQ8w-2nB7vXz_4mLr9TgYh3PdSa6EfUj',
  SESSION_SECRET: 'Zx5c-8VbN1mQw_7eRt2YuI0oPaS4dFgH',
}

t.test('output: into a pipe every line is JSON, and says the addresses in msg', async (t) => {
  const port = String(await freePort())
  const folder = temporaryFolder()
  const server = await spawnServe(process.cwd(), {
    PORT: port,
    DEV_LOGIN: '1',
    LOG_LEVEL: 'info',
    DATABASE_URL: `sqlite:${join(folder, 'a.db')}`,
    ...secrets,
  })
  server.process.kill()
  const lines = server.lines.map((line) => JSON.parse(line))
  const named = lines
    .flatMap(({ msg }) => msg.match(/https?:[^ ]*/)?.[0] ?? [])
    .map((url) => new URL(url).origin)
  t.strictSame(
    [...new Set(named)],
    [`http://localhost:${port}`],
    'no line names another address than the base URL',
  )
  t.strictSame(
    lines.filter(({ msg }) => !/^Server listening/.test(msg)).map(({ level, msg }) => [level, msg]),
    [
      [30, `acmcp serves http://localhost:${port}`],
      [30, `sign in (development): http://localhost:${port}/auth`],
      [30, `MCP endpoint to paste into a client: http://localhost:${port}/mcp`],
    ],
  )
})

/** What is printed on a terminal until it was closed, with a request in between. */
async function onTerminal(t: Test, env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const lines: string[] = []
  const port = String(await freePort())
  const served = await serve({
    cwd: process.cwd(),
    env: {
      PORT: port,
      HOST: '127.0.0.1',
      DATABASE_URL: `sqlite:${temporaryFolder()}/a.db`,
      ...secrets,
      ...env,
    },
    migrate: true,
    isTerminal: true,
    print: (line) => void lines.push(line.replaceAll(port, 'PORT')),
  })
  t.equal((await fetch(`${served.address}/health?code=secret`)).status, 200)
  await served.close()
  return lines
}

t.test('output: on a terminal people read it, in production it is JSON there too', async (t) => {
  const lines = await onTerminal(t, { BASEURL: 'x', LOG_LEVEL: 'info' })
  t.strictSame(
    lines
      .filter((line) => !line.includes('Server listening'))
      .map((line) => line.replace(/^[\d:.]{12} /, '').replace(/[\d.]+ms$/, 'TIME')),
    [
      'BASEURL is read by nobody: did you mean BASE_URL?',
      'acmcp serves http://localhost:PORT',
      '  MCP endpoint to paste into a client: http://localhost:PORT/mcp',
      'INFO  GET /health?code=[FILTERED] 200 TIME',
    ],
  )
  const production = { NODE_ENV: 'production', BASE_URL: 'https://notes.test' }
  for (const line of await onTerminal(t, production)) t.type(JSON.parse(line).level, 'number')
})

t.test('output: errors keep their trace, and nobody writes to the terminal', (t) => {
  const time = new Date(2026, 0, 2, 3, 4, 5, 6).getTime()
  const line = JSON.stringify({
    level: 50,
    time,
    msg: 'unhandled \u001b[31mexception',
    path: '/a b',
    status: 500,
    err: { message: 'no', stack: 'Error: no\n  at x' },
  })
  t.equal(
    readableLine(`${line}\n`),
    '03:04:05.006 ERROR unhandled ?[31mexception path="/a b" status=500\n    Error: no\n      at x',
  )
  t.equal(readableLine('no JSON\n'), 'no JSON')
  const turned = JSON.stringify({
    level: 30,
    time: 0,
    event: 'response',
    method: 'GET',
    path: '/\u202egpj.exe\u2066',
    status: 200,
    ms: 1,
  })
  t.match(readableLine(turned), / INFO {2}GET \/\?gpj\.exe\? 200 1ms$/, 'nothing turns the writing around')
  const forged = JSON.stringify({
    level: 30,
    time: 0,
    msg: 'a\n03:04:05.006 ERROR forged',
    title: 'x\u2028\u200b',
  })
  t.match(
    readableLine(forged),
    /INFO {2}a\n {4}03:04:05.006 ERROR forged title="x\?\?"$/,
    'and none begins a line of ours',
  )
  t.end()
})
