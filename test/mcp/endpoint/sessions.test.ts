/** What a tool call leaves in the browser session. Source: rules.md, Unhandled exceptions (only the keep list survives the
 *  reset); rules.md, What the service does 1. */
import t, { type Test } from 'tap'
import type { AppPlugin } from '../../../runtime/contract/application.ts'
import type { AppBundle } from '../../../runtime/contract/bundle.ts'
import { InputRequired } from '../../../runtime/errors.ts'
import type { Controller } from '../../../runtime/http/pipeline/controller.ts'
import type { TestApp, TestClient } from '../../../runtime/testing.ts'
import { listening } from '../../http/support/raw.ts'

const plugin: AppPlugin = (_app, _options, done) => done()

type Deed = 'set' | 'fail' | 'handled' | 'change' | 'regenerate' | 'look'

/** What each route does, by the request's header over HTTP and by turns in a tool call. */
interface Turn {
  deed: Deed
}

function act({ request: { session } }: Controller, { deed }: Turn): unknown {
  const { at } = (session.get('box') ?? { at: 'nothing' }) as { at: string }
  if (deed === 'look') return { at }
  if (deed === 'set' || deed === 'fail' || deed === 'handled') session.set('box', { at: deed })
  if (deed === 'change') Object.assign(Object(session.get('box')), { at: deed })
  if (deed === 'regenerate') return session.regenerate().then(() => broken())
  if (deed === 'fail' || deed === 'change') return broken()
  if (deed === 'handled') throw new RangeError('told')
  return { at: deed }
}

function broken(): never {
  throw new Error('broken')
}

type Way = (client: TestClient) => Promise<unknown>
const overHttp: Way = (client) => client.get('/api/users/current')
const overTool: Way = (client) => client.tool('users_current')

async function open(t: Test, turn: Turn, config: object): Promise<TestApp> {
  const call = (controller: Controller): unknown => act(controller, turn)
  const rescue = (): unknown => ({ told: true })
  const { app } = await listening(
    { mcp: { path: '/mcp' }, ...config },
    { call, rescue, environment: { production: true } },
  )
  t.teardown(app.close)
  return app
}

/** What stands in the session after each deed, seen over HTTP. */
async function left(t: Test, way: Way, config: object): Promise<readonly unknown[]> {
  const turn: Turn = { deed: 'look' }
  const client = (await open(t, turn, config)).client()
  const seen: unknown[] = []
  for (const deed of ['fail', 'set', 'fail', 'change', 'handled', 'regenerate'] as const) {
    turn.deed = deed
    await way(client)
    turn.deed = 'look'
    seen.push((await client.get('/health')).json().at)
  }
  return seen
}

t.test('spec, Unhandled exceptions: a tool call that fails leaves the session as HTTP does', async (t) => {
  const reset = ['nothing', 'set', 'set', 'set', 'handled', 'nothing']
  const kept = ['fail', 'set', 'fail', 'change', 'handled', 'nothing']
  for (const plugins of [[], [plugin]]) {
    for (const [keepHeaders, expected] of [
      [[], reset],
      [['Set-Cookie'], kept],
    ] as const) {
      const config = { plugins, errors: { keepHeaders } }
      const about = `${plugins.length} plugins, ${keepHeaders.length} kept`
      t.strictSame(await left(t, overHttp, config), expected, `HTTP, ${about}`)
      t.strictSame(await left(t, overTool, config), expected, `tool, ${about}`)
    }
  }
})

t.test('spec, Unhandled exceptions: of a batch only what the failing call did is dropped', async (t) => {
  const call = ({ request: { session, path }, mcp }: Controller): unknown => {
    if (mcp === null) return { failed: session.get('failed') ?? null, fine: session.get('fine') ?? null }
    const isFine = path.startsWith('/api/notes')
    session.set(isFine ? 'fine' : 'failed', true)
    return isFine ? [] : broken()
  }
  for (const plugins of [[], [plugin]]) {
    const environment = { production: true }
    const { app } = await listening({ mcp: { path: '/mcp' }, plugins }, { call, environment })
    t.teardown(app.close)
    const client = app.client()
    const sent = (id: number, name: string): object => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, arguments: {} },
    })
    const { body } = await client.request({
      method: 'POST',
      url: '/mcp',
      headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-03-26' },
      payload: [sent(1, 'users_current'), sent(2, 'notes_index'), sent(3, 'users_current')],
    })
    const answers = [...body.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data))
    t.strictSame(
      answers.map(({ result }) => result.isError ?? false),
      [true, false, true],
    )
    t.strictSame((await client.get('/health')).json(), { failed: null, fine: true })
  }
})

/** A tool call that has told its progress: the head of its answer has left, and with it the chance to set a cookie. */
for (const plugins of [[], [plugin]])
  t.test(`a session is kept or refused once progress was told (${plugins.length} plugins)`, async (t) => {
    const lines: string[] = []
    let goOn = (): void => {}
    const call = async ({ request: { session }, mcp }: Controller): Promise<unknown> => {
      if (mcp === null) {
        if (session.get('box') === undefined) session.set('box', 'before')
        return { box: session.get('box'), early: session.get('early') ?? null }
      }
      session.get('box') // whoever looks alone loses nothing
      if (session.get('box') !== undefined) session.set('early', 'set')
      mcp.progress(1)
      await new Promise<void>((resolve) => {
        goOn = resolve
      })
      session.set('box', 'after')
      return { done: true }
    }
    const { app, port } = await listening(
      { mcp: { path: '/mcp' }, plugins },
      {
        call,
        environment: { production: true, logLevel: 'error' },
        logStream: { write: (line) => void lines.push(line) },
      },
    )
    t.teardown(app.close)
    const base = `http://127.0.0.1:${port}`
    const run = async (cookie: string): Promise<unknown> => {
      const answer = await fetch(`${base}/mcp`, {
        method: 'POST',
        headers: {
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          'mcp-protocol-version': '2025-11-25',
          ...(cookie === '' ? {} : { cookie }),
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'users_current', arguments: {}, _meta: { progressToken: 7 } },
        }),
      })
      goOn()
      const [, data = ''] = [...(await answer.text()).matchAll(/^data: (.*)$/gm)].at(-1) ?? []
      return JSON.parse(data).result.isError ?? false
    }
    const first = await fetch(`${base}/health`)
    const cookie = String(first.headers.get('set-cookie')).split(';', 1).join()
    t.equal(await run(cookie), false)
    const seen = await fetch(`${base}/health`, { headers: { cookie } })
    t.strictSame(await seen.json(), { box: 'after', early: 'set' })
    t.strictSame(lines, [])
    t.equal(await run(''), true, 'who sends no cookie cannot be sent one')
    t.match(
      lines.join(''),
      "the session cannot keep 'box': the answer has begun, and a new session needs its cookie",
    )
  })

/** Every tool becomes a task for clients that know tasks. */
const allTasks = (bundle: AppBundle): AppBundle => ({
  ...bundle,
  catalogue: {
    ...bundle.catalogue,
    tools: bundle.catalogue.tools.map((tool) => ({ ...tool, task: 'optional' as const })),
  },
})

type Said = Readonly<Record<string, unknown>>

/** The result of one message of 2026-07-28. */
async function said(base: string, method: string, params: Said, cookie: string): Promise<Said> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {
      elicitation: {},
      extensions: { 'io.modelcontextprotocol/tasks': {} },
    },
  }
  const answer = await fetch(`${base}/mcp`, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'mcp-name': String(params.taskId ?? params.name),
      ...(cookie === '' ? {} : { cookie }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  })
  const text = await answer.text()
  const { result, error } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text)
  return result ?? error
}

const form = { message: 'How?', schema: { type: 'object', properties: { how: { type: 'string' } } } }
const filledIn = { action: 'accept', content: { how: 'so' } }

for (const plugins of [[], [plugin]])
  t.test(
    `a session is kept or refused in a task whose creation was answered (${plugins.length} plugins)`,
    async (t) => {
      const lines: string[] = []
      let goOn = (): void => {}
      let deed: 'set' | 'regenerate' | 'ask' = 'set'
      const call = async ({ request: { session }, mcp }: Controller): Promise<unknown> => {
        if (mcp === null) {
          if (session.get('box') === undefined) session.set('box', 'before')
          return { box: session.get('box'), asked: session.get('asked') ?? null }
        }
        await new Promise<void>((resolve) => {
          goOn = resolve
        })
        if (deed === 'regenerate') await session.regenerate()
        if (deed === 'ask' && mcp.answerTo('how') === null) {
          session.set('asked', true)
          throw new InputRequired({ how: form })
        }
        session.set('box', 'after')
        return { done: true }
      }
      const { app, port } = await listening(
        { mcp: { path: '/mcp' }, plugins },
        {
          call,
          change: allTasks,
          environment: { production: true, logLevel: 'error' },
          logStream: { write: (line) => void lines.push(line) },
        },
      )
      t.teardown(app.close)
      const base = `http://127.0.0.1:${port}`
      const look = (cookie: string) => fetch(`${base}/health`, cookie === '' ? {} : { headers: { cookie } })
      const browser = async () =>
        String((await look('')).headers.get('set-cookie'))
          .split(';', 1)
          .join()
      const seen = async (cookie: string): Promise<unknown> => (await look(cookie)).json()
      /** The task once it is over, or asks. */
      const over = async (taskId: unknown, cookie: string): Promise<Said> => {
        for (;;) {
          const task = await said(base, 'tasks/get', { taskId }, cookie)
          if (task.status !== 'working') return task
          await new Promise(setImmediate)
        }
      }
      const run = async (cookie: string): Promise<Said> => {
        const { taskId } = await said(base, 'tools/call', { name: 'users_current', arguments: {} }, cookie)
        goOn()
        return over(taskId, cookie)
      }
      const fine = { status: 'completed', result: { structuredContent: { done: true } } }
      const failed = { status: 'completed', result: { isError: true } }
      const first = await browser()
      t.match(await run(first), fine)
      t.strictSame(await seen(first), { box: 'after', asked: null })
      t.strictSame(lines, [])
      const [name = ''] = first.split('=')
      for (const cookie of ['', 'other=1', `${name}=unknown`, `${first}x`]) {
        t.match(await run(cookie), failed, `no session of ours: ${cookie}`)
        t.match(lines.splice(0).join(''), "the session cannot keep 'box': the answer has begun")
      }
      deed = 'ask'
      const second = await browser()
      const asking = await run(second)
      t.match(asking, { status: 'input_required' })
      t.strictSame(await seen(second), { box: 'before', asked: true }, 'what it did before it asked')
      await said(
        base,
        'tasks/update',
        { taskId: asking.taskId, inputResponses: { '1.how': filledIn } },
        second,
      )
      goOn()
      t.match(await over(asking.taskId, second), fine)
      t.strictSame(await seen(second), { box: 'after', asked: true })
      deed = 'regenerate'
      t.match(await run(second), failed, 'the cookie of the new one reaches nobody')
      t.strictSame(await seen(second), { box: 'before', asked: null })
    },
  )

t.test('what a tool call does to the session before it asks its user is kept, and after, too', async (t) => {
  for (const plugins of [[], [plugin]])
    for (const telling of [false, true]) {
      const call = ({ request: { session }, mcp }: Controller): unknown => {
        if (mcp === null) {
          if (session.get('box') === undefined) session.set('box', 'before')
          return { box: session.get('box'), asked: session.get('asked') ?? null }
        }
        if (telling) mcp.progress(1)
        const isAsking = mcp.answerTo('how') === null
        session.set(isAsking ? 'asked' : 'box', true)
        if (isAsking) throw new InputRequired({ how: form })
        return { done: true }
      }
      const { app, port } = await listening({ mcp: { path: '/mcp' }, plugins }, { call })
      const base = `http://127.0.0.1:${port}`
      const cookie = String((await fetch(`${base}/health`)).headers.get('set-cookie'))
        .split(';', 1)
        .join()
      const seen = async () => (await fetch(`${base}/health`, { headers: { cookie } })).json()
      const params = { name: 'users_current', arguments: {} }
      const asked = await said(base, 'tools/call', params, cookie)
      t.match(asked, { resultType: 'input_required' })
      t.strictSame(await seen(), { box: 'before', asked: true })
      const answers = { requestState: asked.requestState, inputResponses: { how: filledIn } }
      const done = await said(base, 'tools/call', { ...params, ...answers }, cookie)
      t.match(done, { structuredContent: { done: true } })
      t.strictSame(await seen(), { box: true, asked: true })
      await app.close()
    }
})
