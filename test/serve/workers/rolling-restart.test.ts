/** `acmcp serve --workers`: a rolling restart at SIGHUP, under load. */
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as after } from 'node:timers/promises'
import t from 'tap'
import { WebSocket } from 'ws'
import { readAll } from '../../http/support/one-route.ts'
import { type PostgresServer, postgresOrNotice } from '../../store/postgres-server.ts'
import { Connection, dialed } from '../support/connection.ts'
import { paceMs } from '../support/dev-process.ts'
import { connectionToEach, type DeskInstance, deploy, startDesk } from './support/desk-app.ts'
import { restartAmongPausing } from './support/pausing-clients.ts'

t.setTimeout(240_000) // a busy machine

interface Load {
  /** How often each answer came. */
  readonly answers: Map<string, number>
  end(): Promise<void>
}

/** Clients that work until the end, each in its own way, and say what came. */
function underLoad(clients: readonly (() => Promise<string>)[]): Load {
  const answers = new Map<string, number>()
  let isOver = false
  const work = async (client: () => Promise<string>): Promise<void> => {
    while (!isOver) {
      const answer = await client().catch(
        (error: Error & { code?: string }) => `FAILED ${error.code ?? error.message}`,
      )
      answers.set(answer, (answers.get(answer) ?? 0) + 1)
      await after(paceMs)
    }
  }
  const all = clients.map(work)
  return {
    answers,
    async end() {
      isOver = true
      await Promise.all(all)
    },
  }
}

/** One request after the other on a kept connection. */
function keepAliveClient({ baseUrl }: DeskInstance): () => Promise<string> {
  const connection = new Connection(baseUrl)
  return async () => (await connection.ask('/api/build')).body
}

/** Each on a connection of its own. */
function newConnectionClient({ baseUrl }: DeskInstance): () => Promise<string> {
  return async () => {
    const connection = new Connection(baseUrl)
    const { body } = await connection.ask('/api/build', null, { connection: 'close' })
    connection.close()
    return body
  }
}

/** Reads a stream to its end, and opens it anew. */
function streamClient({ baseUrl }: DeskInstance, path: string): () => Promise<string> {
  return async () => {
    const stream = await new Connection(baseUrl).open(path, null, { accept: 'text/event-stream' })
    if (stream.statusCode !== 200) return `FAILED ${stream.statusCode}`
    await text(stream) // rejects when it breaks off
    return `${path} ended`
  }
}

function socketClient({ baseUrl }: DeskInstance): () => Promise<string> {
  return async () => {
    const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/api/echo`)
    await once(socket, 'open')
    socket.send('hello')
    await once(socket, 'message')
    const [code] = await once(socket, 'close')
    return `socket closed with ${code}`
  }
}

const server = await postgresOrNotice((text) => t.comment(text))

if (server !== null) await restarted(server)

async function restarted(server: PostgresServer): Promise<void> {
  /** Until the load ends it: each test goes on where the one before has ended. */
  const desk = await startDesk(t, { databaseUrl: await server.freshDatabase() })

  t.test('a build that does not start leaves the old one serving, and says so', async (t) => {
    const before = [...desk.workerPids()].sort()
    const bundle = join(desk.root, '.acmcp/app.mjs')
    const text = readFileSync(bundle, 'utf8')
    writeFileSync(bundle, 'process.exit(3)')
    await t.rejects(desk.restart(), {
      message: 'acmcp: not restarted: the application ended (exit code 3) before it served',
    })
    t.strictSame([...desk.workerPids()].sort(), before)
    const answer = await new Connection(desk.baseUrl).ask('/api/build', null, { connection: 'close' })
    t.equal(answer.body, '"first build"')
    writeFileSync(bundle, text)
  })

  t.test('a connection that waits for a request has one answer more, the last of it', async (t) => {
    const before = desk.workerPids()
    const kept = await connectionToEach(t, desk, 2)
    const listening = new Connection(desk.baseUrl)
    await listening.pid()
    const unused = await dialed(desk.baseUrl)
    const half = await dialed(desk.baseUrl)
    half.write('GET /api/pid HTTP/1.1\r\n')
    await desk.restart()
    const last: number[] = []
    for (const connection of kept) {
      const { isKept, status, headers, body } = await connection.ask('/api/pid')
      t.strictSame([isKept, status, headers.connection], [true, 200, 'close'])
      last.push(Number(body))
      t.ok(!before.includes(await connection.pid()), 'the next connection is to a new worker')
    }
    const stream = await listening.open('/mcp', null, { accept: 'text/event-stream' })
    t.strictSame([stream.statusCode, stream.headers.connection], [200, 'close'])
    await text(stream) // which ends at once, so that its client comes back
    const end = `host: ${new URL(desk.baseUrl).host}\r\n\r\n`
    half.write(end)
    unused.write(`GET /api/pid HTTP/1.1\r\n${end}`)
    for (const socket of [half, unused]) {
      const [, pid] = /connection: close\r\n[\s\S]*\r\n\r\n(\d+)$/i.exec(await readAll(socket)) ?? []
      last.push(Number(pid))
    }
    t.strictSame(
      last.filter((pid) => !before.includes(pid)),
      [],
      'of the old ones',
    )
    while (desk.workerPids().some((pid) => before.includes(pid))) await kept[0]?.pid()
  })

  t.test('clients that pause between requests lose none in a rolling restart', async (t) => {
    const { answered, failures } = await restartAmongPausing(desk, { restarts: 1, each: 4, maxPauseMs: 600 })
    t.comment(`${answered} requests`)
    t.strictSame(failures, [])
  })

  t.test(
    'a rolling restart under load fails no request, and ends streams and sockets in order',
    async (t) => {
      const load = underLoad([
        ...Array.from({ length: 4 }, () => keepAliveClient(desk)),
        newConnectionClient(desk),
        streamClient(desk, '/api/events'),
        streamClient(desk, '/mcp'),
        socketClient(desk),
      ])
      for (const [from, to] of [
        ['first build', 'second build'],
        ['second build', 'third build'],
      ] as const) {
        deploy(desk.root, from, to)
        await desk.restart()
        t.equal(
          (await new Connection(desk.baseUrl).ask('/api/build', null, { connection: 'close' })).body,
          JSON.stringify(to),
        )
      }
      const stopped = desk.stop()
      await load.end()
      t.strictSame(await stopped, [0, null])
      const counts = load.answers
      const failures = [...counts.keys()].filter(
        (answer) => answer.startsWith('FAILED') && !/ECONNREFUSED/.test(answer),
      )
      t.strictSame(failures, [])
      const seen = [
        '"first build"',
        '"second build"',
        '"third build"',
        '/api/events ended',
        '/mcp ended',
        'socket closed with 1001',
      ]
      t.strictSame(
        seen.filter((answer) => !counts.has(answer)),
        [],
        [...counts].join(' '),
      )
      t.comment([...counts].join(' '))
    },
  )
}
