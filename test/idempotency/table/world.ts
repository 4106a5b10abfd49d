/** Callers of the application of the table, by every entrance, before and after a deploy. */

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import type { Test } from 'tap'
import { type Application, createApplication } from '../../../runtime/boot/application.ts'
import type { AppBundle } from '../../../runtime/contract/bundle.ts'
import { tokenByFlow } from '../../../runtime/testing/access-token.ts'
import { deskOf } from '../../approval/desk-of.ts'
import { temporaryFolder } from '../../flow/support.ts'
import { message } from '../../mcp/support/support.ts'
import { surroundings } from '../../support/surroundings.ts'
import type { Entrance, Kind } from './oracle.ts'

/** Whoever sends a request. */
export type Sender = Pick<InjectOptions, 'headers' | 'cookies'>

/** A call of the route `act`, or of `other`. */
export interface Call {
  readonly kind: 'plain' | 'guarded' | 'approved'
  readonly method: 'act' | 'other'
  readonly args: { readonly what: string; readonly how: string; readonly count?: number }
  readonly key: string | null
  /** Nobody asks what became of it as a task. */
  readonly isLeft?: boolean
}

export interface Answered {
  readonly kind: Kind
  readonly isReplayed: boolean | null
  /** What a method, or the exception handler, answered. */
  readonly value: Readonly<Record<string, unknown>> | null
}

export interface TableWorld {
  readonly clock: { now: number }
  /** How often the method ran for it. */
  readonly runs: Map<string, number>
  tokenOf(user: string, scope?: string): Promise<Sender>
  tokenOfOtherClient(user: string, readOnly: boolean): Promise<Sender>
  revoke(sender: Sender): Promise<void>
  sessionOf(user: string): Promise<Sender>
  call(sender: Sender, entrance: Entrance, call: Call): Promise<Answered>
  approve(user: string): Promise<void>
  /** Resolves when the method has begun. */
  begun(what: string): Promise<void>
  release(): void
  /** From now on the other bundle answers. */
  deploy(bundle: AppBundle): Promise<void>
}

/** Until the end of the test. */
export async function openTable(t: Test, bundle: AppBundle): Promise<TableWorld> {
  const clock = { now: 1_800_000_000_000 }
  const secret = randomBytes(32).toString('hex')
  const more = { databaseUrl: `sqlite:${join(temporaryFolder(), 'table.db')}`, devLogin: true }
  const open = async (opened: AppBundle): Promise<Application> => {
    const application = await createApplication(
      { ...opened, config: { ...Object(opened.config), limits } },
      {
        ...surroundings('http://localhost:4000', { ...more, jwtSecrets: [secret], sessionSecrets: [secret] }),
        clock: () => clock.now,
        every: () => async () => {},
      },
    )
    t.teardown(() => application.close(undefined, 0))
    return application
  }
  let application = await open(bundle)
  const send: Send = (options) => application.server.inject(options)
  const saved = async (id: string): Promise<void> => application.store.saveUser({ id, name: id, email: null })
  return {
    clock,
    ...holding(),
    tokenOf: async (id, scope = 'act see') => {
      await saved(id)
      return bearer((await application.developmentToken(id, scope)).accessToken)
    },
    tokenOfOtherClient: async (id, readOnly) =>
      bearer(await tokenByFlow(browserOf(send, await sessionOf(application, id, clock.now)), { readOnly })),
    revoke: async ({ headers }) => {
      const token = String(headers?.authorization).slice('Bearer '.length)
      await send({
        method: 'POST',
        url: '/oauth/revoke',
        ...form({ token, client_id: 'acmcp-command-line' }),
      })
    },
    sessionOf: (id) => sessionOf(application, id, clock.now),
    call: (sender, entrance, call) => ways[entrance]({ send, sender, entrance, call }),
    approve: async (user) => {
      for (const { row } of (await deskOf(application)?.pending(user)) ?? [])
        await deskOf(application)?.decide({
          ...{ id: row.id, user, digest: row.digest },
          ...{ decision: 'approved', method: 'page', authTime: null },
        })
    },
    deploy: async (next) => {
      application = await open(next)
    },
  }
}

const limits = {
  ...{ concurrentTasks: false, concurrentToolCalls: false, toolCallsPerMinute: false },
  ...{ registerPerHour: false, authorizePerHour: false, tokenPerHour: false },
}

/** What the methods do: they count, and those that are told so wait. */
function holding(): Pick<TableWorld, 'runs' | 'begun' | 'release'> {
  const runs = new Map<string, number>()
  const begun = new Map<string, () => void>()
  let total = 0
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  Reflect.set(globalThis, 'acted', async (what: string, how: string): Promise<number> => {
    const before = runs.get(what) ?? 0
    runs.set(what, before + 1)
    total += 1
    const number = total
    begun.get(what)?.()
    if (how === 'running' && before === 0) await released
    return number
  })
  return {
    runs,
    begun: (what) =>
      (runs.get(what) ?? 0) > 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            begun.set(what, resolve)
          }),
    release: () => release(),
  }
}

type Send = (options: InjectOptions) => Promise<LightMyRequestResponse>

const bearer = (token: string): Sender => ({ headers: { authorization: `Bearer ${token}` } })

const form = (fields: Readonly<Record<string, string>>) => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  payload: new URLSearchParams(fields).toString(),
})

const dayMs = 86_400_000

/** The development login's, handed to the user. */
async function sessionOf({ server, store }: Application, user: string, now: number): Promise<Sender> {
  await store.saveUser({ id: user, name: user, email: null })
  const { cookies } = await server.inject({ url: '/auth/dev' })
  for (const { value } of cookies) {
    const [id = ''] = value.split('.') // the rest signs it
    const session = await store.readSession(id)
    if (session !== null) await store.writeSession(id, { ...session, user_id: user }, now + 30 * dayMs)
  }
  return { cookies: Object.fromEntries(cookies.map(({ name, value }) => [name, value])) }
}

function browserOf(send: Send, { cookies = {} }: Sender): Parameters<typeof tokenByFlow>[0] {
  const jar = new Map(Object.entries(cookies))
  const visit: Send = async (options) => {
    const answer = await send({ ...options, cookies: Object.fromEntries(jar) })
    for (const { name, value } of answer.cookies) jar.set(name, value)
    return answer
  }
  return {
    get: (url) => visit({ url }),
    json: (url, value) => visit({ method: 'POST', url, payload: Object(value) }),
    submit: (url, fields) => visit({ method: 'POST', url, ...form(fields) }),
  }
}

interface Way {
  readonly send: Send
  readonly sender: Sender
  readonly entrance: Entrance
  readonly call: Call
}

const ways: Readonly<Record<Entrance, (way: Way) => Promise<Answered>>> = {
  HTTP: overHttp,
  'tool, 2025-11-25': (way) => asked(way, 'tools/call', toolCall(way)),
  'tool, 2026-07-28': (way) => asked(way, 'tools/call', toolCall(way)),
  'call_tool, 2025-11-25': (way) => asked(way, 'tools/call', proxied(way)),
  'call_tool, 2026-07-28': (way) => asked(way, 'tools/call', proxied(way)),
  batch: async (way) => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: toolCall(way) }
    const payload = [call, { jsonrpc: '2.0', id: 2, method: 'ping' }]
    return reading(await posted(way, payload, { 'mcp-protocol-version': '2025-03-26' }))
  },
  task: async (way) => {
    const begun = await said(way, 'tools/call', toolCall(way))
    const taskId = begun.result?.taskId
    if (taskId === undefined) return reading(begun) // it was refused before it became one
    if (way.call.isLeft === true) return { kind: 'running', isReplayed: null, value: null }
    for (;;) {
      const task = await said(way, 'tasks/get', { taskId })
      if (task.error !== undefined) return reading(task)
      if (task.result.status !== 'working')
        return reading({ result: task.result.result, error: task.result.error })
      await new Promise(setImmediate)
    }
  },
}

async function overHttp({ send, sender, call }: Way): Promise<Answered> {
  const { kind, method, args, key } = call
  const { statusCode, headers, body } = await send({
    method: 'POST',
    url: `/${kind}${method === 'act' ? '' : '/other'}`,
    ...sender,
    headers: {
      ...sender.headers,
      accept: 'application/json',
      ...(key === null ? {} : { 'idempotency-key': key }),
    },
    payload: args,
  })
  const value = /json/.test(String(headers['content-type'])) ? JSON.parse(body) : null
  const isReplayed = headers['idempotent-replayed'] === 'true'
  return { kind: kindOf(statusCode, String(value?.type), value), isReplayed, value }
}

const reasons: Readonly<Record<string, Kind>> = {
  'urn:acmcp:idempotency-reused': 'reused',
  'urn:acmcp:idempotency-running': 'running',
  'urn:acmcp:idempotency-done': 'done',
  'urn:acmcp:idempotency-no-caller': 'no caller',
}

const sentences: readonly (readonly [RegExp, Kind])[] = [
  [/another call had this idempotency key/, 'reused'],
  [/is still running/, 'running'],
  [/its answer was not kept/, 'done'],
  [/needs credentials of one user or client/, 'no caller'],
  [/needs the approval of a person/, 428],
  [/The call was done, and only its answer is too long/, 'returned'],
]

function kindOf(status: number, type: string, value: unknown): Kind {
  const known = reasons[type]
  if (known !== undefined) return known
  if (status === 200) return 'returned'
  if (status === 500) return 'failed'
  if (status === 409 && value !== null && 'taken' in Object(value)) return 'handled'
  if (status === 401 || status === 403 || status === 422 || status === 428) return status
  throw new Error(`an answer that no row of the table knows: ${status} ${JSON.stringify(value)}`)
}

const toolCall = ({ call: { kind, method, args, key } }: Way) => ({
  name: `${kind}_${method}`,
  arguments: { ...args, ...(key === null ? {} : { idempotencyKey: key }) },
})

const proxied = (way: Way) => ({ name: 'call_tool', arguments: toolCall(way) })

type Params = Readonly<Record<string, unknown>>

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
type Said = any

const asked = async (way: Way, method: string, params: Params): Promise<Answered> =>
  reading(await said(way, method, params))

async function said(way: Way, method: string, params: Params): Promise<Said> {
  const isModern = way.entrance === 'task' || way.entrance.endsWith('2026-07-28')
  const sent = message(isModern ? 'modern' : 'legacy', method, params)
  const body = structuredClone(Object(sent.message))
  if (way.entrance === 'task')
    body.params._meta['io.modelcontextprotocol/clientCapabilities'] = {
      extensions: { 'io.modelcontextprotocol/tasks': {} },
    }
  const named: Record<string, string> =
    params.taskId === undefined ? {} : { 'mcp-name': String(params.taskId) }
  const versioned: Record<string, string> = isModern ? {} : { 'mcp-protocol-version': '2025-11-25' }
  return posted(way, body, { ...sent.headers, ...versioned, ...named })
}

/** The first message of the answer, in the order of their ids. */
async function posted(
  { send, sender }: Way,
  payload: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<Said> {
  const answer = await send({
    method: 'POST',
    url: '/mcp',
    ...sender,
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...headers,
      ...sender.headers,
    },
    payload: JSON.stringify(payload),
  })
  const events = [...answer.body.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data))
  const all: readonly Said[] = events.length > 0 ? events : [JSON.parse(answer.body)].flat()
  const [first] = [...all].sort((a, b) => a.id - b.id)
  return { ...first, status: answer.statusCode }
}

/** Of a message, or of a task that has ended. */
function reading({ result, error, status }: Said): Answered {
  if (error !== undefined || result === undefined)
    return { kind: kindOfText(String(error?.message ?? ''), status), isReplayed: null, value: null }
  const text: string = result.content.map((block: Said) => block.text ?? '').join('\n')
  if (result.isError !== true)
    return { kind: 'returned', isReplayed: null, value: result.structuredContent ?? null }
  const kind = kindOfText(text, Number.parseInt(text, 10))
  return { kind, isReplayed: null, value: kind === 'handled' ? { taken: /taken \d+/.exec(text)?.[0] } : null }
}

function kindOfText(text: string, status: number): Kind {
  const [, known] = sentences.find(([sentence]) => sentence.test(text)) ?? []
  return known ?? kindOf(status, '', /taken \d+/.test(text) ? { taken: text } : null)
}
