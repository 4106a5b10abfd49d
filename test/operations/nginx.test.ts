/** The nginx of the page on several instances, as it stands there, before two servers: restarting them costs nothing. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { type SpawnedServer, spawnServe, temporaryFolder } from '../flow/support.ts'
import { selfSigned } from '../oauth/support/certificate.ts'
import { paceMs } from '../serve/support/dev-process.ts'
import { freePort } from '../support/free-port.ts'
import { nginxComplaints, nginxProgram, startNginx } from './nginx-server.ts'
import { blocksOf, blockWith } from './pages.ts'

t.setTimeout(240_000) // a busy machine

interface Addresses {
  readonly port: number
  readonly upstreams: readonly number[]
}

/** The page's block, at addresses of this machine. */
function here(block: string, { port, upstreams }: Addresses): string {
  const folder = temporaryFolder()
  const { key, cert } = selfSigned(['localhost'])
  writeFileSync(join(folder, 'key.pem'), key)
  writeFileSync(join(folder, 'cert.pem'), cert)
  let next = 0
  return block
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace(/(?<=ssl_certificate +)\S+(?=;)/, join(folder, 'cert.pem'))
    .replace(/(?<=ssl_certificate_key +)\S+(?=;)/, join(folder, 'key.pem'))
    .replace(/(?<=^ *server )[\d.]+:\d+/gm, () => `127.0.0.1:${upstreams[next++] ?? 1}`)
}

/** What clients met: how often each status, or the code of an error. */
type Tally = Record<string, number>

interface Load {
  readonly tally: Tally
  stop(): Promise<void>
}

/** So many clients that ask again a moment after they have an answer: GET and POST in turn, on kept connections. */
function load(port: number, clients: number): Load {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false })
  const tally: Tally = {}
  let isOver = false
  const item = async (): Promise<void> => {
    for (let turn = 0; !isOver; turn += 1) {
      const outcome = await ask(agent, port, turn % 2 === 0)
      tally[outcome] = (tally[outcome] ?? 0) + 1
      await after(paceMs)
    }
  }
  const all = Array.from({ length: clients }, item)
  return {
    tally,
    async stop() {
      isOver = true
      await Promise.all(all)
      agent.destroy()
    },
  }
}

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'load', version: '1' },
  },
})

/** A POST of a message is answered with 401, by a server that asks for a token: it is an answer of ours. */
async function ask(agent: Agent, port: number, isGet: boolean): Promise<string> {
  const at = { agent, host: '127.0.0.1', port, servername: 'localhost' }
  const headers = { host: 'localhost', accept: 'application/json, text/event-stream' }
  const sent = isGet
    ? request({ ...at, path: '/health', headers }).end()
    : request({
        ...at,
        path: '/mcp',
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
      }).end(initialize)
  try {
    const [response] = await once(sent, 'response')
    response.resume()
    await once(response, 'end')
    return `${isGet ? 'GET' : 'POST'} ${response.statusCode}`
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'broken'
  }
}

interface Two {
  readonly upstreams: readonly number[]
  /** Ends one, waits until it has gone, and starts it anew. */
  readonly restart: (which: number) => Promise<void>
}

async function twoServers(): Promise<Two> {
  const upstreams = [await freePort(), await freePort()] as const
  const folder = temporaryFolder()
  const secret = randomBytes(32).toString('base64url')
  const start = (upstream: number): Promise<SpawnedServer> =>
    spawnServe(process.cwd(), {
      PORT: String(upstream),
      HOST: '127.0.0.1',
      NODE_ENV: 'production',
      BASE_URL: 'https://localhost',
      DATABASE_URL: `sqlite:${folder}/acmcp.db`,
      JWT_SECRET: secret,
      SESSION_SECRET: secret.replace(/^./, 's'),
    })
  const first = await spawnServe(process.cwd(), { DATABASE_URL: `sqlite:${folder}/acmcp.db`, PORT: '0' })
  await ended(first) // development migrates by itself
  const servers = [await start(upstreams[0]), await start(upstreams[1])]
  t.teardown(() => Promise.all(servers.map(ended)))
  return {
    upstreams,
    restart: async (which) => {
      const [server, upstream] = [servers[which], upstreams[which]]
      if (server === undefined || upstream === undefined) throw new Error(`there is no server ${which}`)
      await ended(server)
      servers[which] = await start(upstream)
    },
  }
}

async function behind(t: Test, program: string, block: string, { upstreams }: Two): Promise<number> {
  const port = await freePort()
  await startNginx(t, program, { http: here(block, { port, upstreams }), port })
  return port
}

async function ended({ process: child }: SpawnedServer): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  await exit
}

const program = nginxProgram
if (program === null) {
  t.comment('nginx is not installed: its configurations are not tried')
} else {
  t.test('nginx takes every configuration of the pages', async (t) => {
    const blocks = blocksOf('nginx')
    t.ok(blocks.length >= 2)
    for (const { text, at } of blocks)
      t.equal(nginxComplaints(program, here(text, { port: await freePort(), upstreams: [1, 2] })), '', at)
  })

  const page = blockWith('nginx', 'instances', 'max_fails=0')
  const two = await twoServers()

  t.test('both instances are restarted one after the other under load: no request fails', async (t) => {
    const port = await behind(t, program, page, two)
    const { tally, stop } = load(port, 8)
    await two.restart(0)
    await two.restart(1)
    await stop()
    t.strictSame(Object.keys(tally).sort(), ['GET 200', 'POST 401'], JSON.stringify(tally))
    t.ok((tally['GET 200'] ?? 0) > 100)
  })

  t.test("with nginx's defaults the same restarts leave nobody for some seconds", async (t) => {
    const defaults = page.replaceAll(' max_fails=0', '')
    const port = await behind(t, program, defaults, two)
    const { tally, stop } = load(port, 8)
    await two.restart(0)
    await two.restart(1)
    await stop()
    t.ok((tally['GET 502'] ?? 0) > 0, JSON.stringify(tally))
  })
}
