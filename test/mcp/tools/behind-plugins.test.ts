/** What a hostile client or a careless route does with tool calls behind plugins: calls that call, and clients that leave.
 *  Source: house.md, The runtime. */
import { request as httpRequest } from 'node:http'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import type { AppPlugin } from '../../../runtime/contract/application.ts'
import type { Controller } from '../../../runtime/http/pipeline/controller.ts'
import { gate } from '../../http/support/one-route.ts'
import { listening } from '../../http/support/raw.ts'
import { message } from '../support/support.ts'

type Call = (controller: Controller) => unknown

interface Opened {
  readonly server: FastifyInstance
  readonly port: number
  /** Addresses that the plugin's hook saw. */
  readonly hooked: string[]
}

/** The example without authentication, all of whose routes do `call`; one running call of a client, unless told otherwise. */
async function open(t: Test, isHooked: boolean, call: Call, limits: object): Promise<Opened> {
  const hooked: string[] = []
  const plugin: AppPlugin = async (app) => {
    app.addHook('onRequest', async ({ url }) => void hooked.push(url))
  }
  const plugins = isHooked ? [plugin] : []
  const environment = { production: true }
  const { app, port } = await listening({ mcp: { path: '/mcp' }, plugins, limits }, { call, environment })
  t.teardown(app.close)
  return { server: app.application.server, port, hooked }
}

const sentCall = (name: string) => {
  const { headers, message: body } = message('modern', 'tools/call', { name })
  const typed = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  return { headers: { ...typed, ...headers }, payload: JSON.stringify(body) }
}

interface Answer {
  readonly status: number
  readonly text: string
}

async function callTool(server: FastifyInstance, name: string, headers: object = {}): Promise<Answer> {
  const sent = sentCall(name)
  const { statusCode, body } = await server.inject({
    method: 'POST',
    url: '/mcp',
    headers: { ...sent.headers, ...headers },
    payload: sent.payload,
  })
  const { result } = JSON.parse(body)
  return { status: statusCode, text: result === undefined ? '' : result.content[0].text }
}

t.test(
  'a tool call that calls tools: each runs its own route, with its own hooks and credentials',
  async (t) => {
    for (const isHooked of [false, true]) {
      const call = async ({ mcp, request }: Controller): Promise<unknown> => {
        const { path, headers } = request
        if (mcp === null || path.startsWith('/api/users')) return { path, key: headers['x-api-key'] ?? null }
        // all that the route was given goes on, as a careless proxy has it
        const inner = await callTool(server, 'users_current', { ...headers, 'x-api-key': 'inner' })
        const direct = await server.inject({
          url: '/health',
          headers: { ...headers } as Record<string, string>,
        })
        return {
          path,
          key: headers['x-api-key'] ?? null,
          inner: JSON.parse(inner.text),
          direct: direct.json(),
        }
      }
      const { server, hooked } = await open(t, isHooked, call, {})
      const { status, text } = await callTool(server, 'notes_index', { 'x-api-key': 'outer' })
      t.strictSame(
        [status, JSON.parse(text)],
        [
          200,
          {
            path: '/api/notes/',
            key: 'outer',
            inner: { path: '/api/users/current', key: 'inner' },
            direct: { path: '/health', key: 'outer' },
          },
        ],
      )
      const seen = ['/mcp', '/api/notes/', '/mcp', '/api/users/current', '/health']
      t.strictSame(hooked, isHooked ? seen : [])
    }
  },
)

t.test(
  'a tool that calls itself for ever ends at the share of its caller, and gives all of it back',
  async (t) => {
    for (const isHooked of [false, true]) {
      let runs = 0
      const call = async (): Promise<unknown> => {
        runs += 1
        return { inner: (await callTool(server, 'notes_index')).status }
      }
      const { server } = await open(t, isHooked, call, { concurrentToolCallsPerUser: 7 })
      for (let round = 1; round <= 3; round++) {
        const { status, text } = await callTool(server, 'notes_index')
        t.strictSame([status, JSON.parse(text), runs], [200, { inner: 200 }, round * 7])
      }
    }
  },
)

t.test(
  'a client that leaves: the route hears it, and the place is free when the work has ended, not before',
  async (t) => {
    for (const isHooked of [false, true]) {
      for (const heeds of [true, false]) {
        const about = `${isHooked ? 'behind plugins' : 'directly'}, ${heeds ? 'heeded' : 'not heeded'}`
        let [begun, heard, work] = [gate(), gate(), gate()]
        let isQuick = false
        const call = async ({ mcp }: Controller): Promise<unknown> => {
          if (isQuick) return { quick: true }
          mcp?.signal.addEventListener('abort', heard.open)
          begun.open()
          await (heeds ? heard.opened : work.opened)
          return {}
        }
        const { server, port } = await open(t, isHooked, call, { concurrentToolCallsPerUser: 1 })
        for (let round = 0; round < 5; round++) {
          ;[begun, heard, work, isQuick] = [gate(), gate(), gate(), false]
          const { headers, payload } = sentCall('notes_index')
          const leaving = httpRequest({ host: '127.0.0.1', port, method: 'POST', path: '/mcp', headers })
          leaving.on('error', () => {})
          leaving.end(payload)
          await begun.opened
          isQuick = true
          t.equal((await callTool(server, 'notes_index')).status, 429, `${about}: the place is taken`)
          leaving.destroy()
          await new Promise((closed) => leaving.once('close', closed))
          await heard.opened
          if (!heeds) t.equal((await callTool(server, 'notes_index')).status, 429, `${about}: it still works`)
          work.open()
          await new Promise(setImmediate)
          t.equal((await callTool(server, 'notes_index')).status, 200, `${about}: the place is free`)
        }
      }
    }
  },
)
