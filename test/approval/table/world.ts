/** An application with a call that must be approved behind every entrance, and callers of it. */

import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import type { Test } from 'tap'
import { type Application, createApplication } from '../../../runtime/boot/application.ts'
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import type { AppBundle } from '../../../runtime/contract/bundle.ts'
import { message } from '../../mcp/support/support.ts'
import { builtFolder } from '../../support/linked.ts'
import { surroundings } from '../../support/surroundings.ts'
import { deskOf } from '../desk-of.ts'
import type { Cell, Outcome } from './oracle.ts'

const config = `import { defineApp } from 'acmcp'

export const config = defineApp({ mcp: { path: '/mcp', serverName: 'Table' } })
`

const effects = `import { Controller } from 'acmcp'

export const ran: string[] = []

/** What was done. */
export class Effects extends Controller {
  /**
   * Lists it.
   *
   * @get /
   */
  index(): string[] { return ran }
}
`

/** One route an entrance; `kind` is the folder of the addresses. */
const controller = (kind: string, name: string, words: string): string => `import { Controller } from 'acmcp'
import { ran } from './effects.ts'

/** Calls of which a person decides. */
export class ${name} extends Controller {
  /**
   * Acts.
   *
   * @post /:what
   * @approval ${words}Act on {what}
   */
  act(what: string): string { return this.run(what) }

  /**
   * Acts, for as long as it takes.
   *
   * @post /:what/long
   * @approval ${words}Act on {what}
   * @mcp task
   */
  work(what: string): string { return this.run(what) }

  /**
   * Shows.
   *
   * @get /:what
   * @approval ${words}Show {what}
   * @mcp resource uri=${kind}://{what}
   */
  show(what: string): string { return this.run(what) }

  /**
   * Writes.
   *
   * @mcp prompt
   * @approval ${words}Write {what}
   */
  letter(what: string): string { return this.run(what) }

  private run(what: string): string {
    ran.push(what)
    return what
  }
}
`

const files: Readonly<Record<string, string>> = {
  'package.json': '{"name":"table","version":"1.0.0","private":true,"type":"module"}',
  'app/config.ts': config,
  'app/controllers/effects.ts': effects,
  'app/controllers/plain.ts': controller('plain', 'Plain', ''),
  'app/controllers/lenient.ts': controller('lenient', 'Lenient', 'unless=session '),
}

export const buildTable = async (): Promise<AppBundle> => loadBundle(await builtFolder(files))

/** Whoever sends a request. */
export type Sender = Pick<InjectOptions, 'headers' | 'cookies'> & { readonly remoteAddress: string }

export interface TableWorld {
  readonly clock: { now: number }
  nobody(): Sender
  tokenOf(user: string): Promise<Sender>
  sessionOf(user: string): Promise<Sender>
  call(sender: Sender, cell: Cell, what: string): Promise<Outcome>
  /** About all that waits for the user; resolves with how many were decided. */
  decide(user: string, decision: 'approved' | 'denied'): Promise<number>
  ran(): Promise<readonly string[]>
  /** What the work comes to, while time passes. */
  whileTimePasses<T>(work: Promise<T>): Promise<T>
}

/** Until the end of the test. */
export async function openTable(t: Test, bundle: AppBundle): Promise<TableWorld> {
  const clock = { now: 1_800_000_000_000 }
  const works = new Set<() => Promise<void>>()
  const application = await createApplication(bundle, {
    ...surroundings('http://localhost:4000', { devLogin: true }),
    clock: () => clock.now,
    every: (_ms, work) => {
      works.add(work)
      return async () => void works.delete(work)
    },
  })
  t.teardown(() => application.close(undefined, 0))
  const send: Send = (options) => application.server.inject(options)
  return {
    clock,
    nobody: () => ({ remoteAddress: nextAddress() }),
    tokenOf: async (id) => {
      await application.store.saveUser({ id, name: id, email: null })
      const { accessToken } = await application.developmentToken(id)
      return { headers: { authorization: `Bearer ${accessToken}` }, remoteAddress: nextAddress() }
    },
    sessionOf: (user) => sessionOf(application, user, clock.now),
    call: (sender, cell, what) => ways[cell.entrance]({ send, sender, cell, what }),
    decide: (user, decision) => decide(application, user, decision),
    ran: async () => (await send({ url: '/effects' })).json(),
    async whileTimePasses(work) {
      let isOver = false
      const ended = work.finally(() => {
        isOver = true
      })
      while (!isOver) {
        clock.now += 100
        await Promise.all([...works].map((once) => once()))
        await new Promise(setImmediate)
      }
      return ended
    },
  }
}

type Send = (options: InjectOptions) => Promise<LightMyRequestResponse>

let requested = 0

/** None is held back because it called too often. */
const nextAddress = (): string => {
  requested += 1
  return `10.${(requested >> 16) & 255}.${(requested >> 8) & 255}.${requested & 255}`
}

const dayMs = 86_400_000

/** The development login's, handed to the user. */
async function sessionOf({ server, store }: Application, user: string, now: number): Promise<Sender> {
  await store.saveUser({ id: user, name: user, email: null })
  const remoteAddress = nextAddress()
  const { cookies } = await server.inject({ url: '/auth/dev', remoteAddress })
  for (const { value } of cookies) {
    const [id = ''] = value.split('.') // the rest signs it
    const session = await store.readSession(id)
    if (session !== null) await store.writeSession(id, { ...session, user_id: user }, now + dayMs)
  }
  return { cookies: Object.fromEntries(cookies.map(({ name, value }) => [name, value])), remoteAddress }
}

async function decide(
  application: Application,
  user: string,
  decision: 'approved' | 'denied',
): Promise<number> {
  const waiting = (await deskOf(application)?.pending(user)) ?? []
  for (const { row } of waiting) {
    const { id, digest } = row
    await deskOf(application)?.decide({ id, user, digest, decision, method: 'page', authTime: null })
  }
  return waiting.length
}

interface Way {
  readonly send: Send
  readonly sender: Sender
  readonly cell: Cell
  readonly what: string
}

const kindOf = ({ credential }: Cell): string =>
  credential === 'session, unless=session' ? 'lenient' : 'plain'

const ways: Readonly<Record<Cell['entrance'], (way: Way) => Promise<Outcome>>> = {
  HTTP: async ({ send, sender, cell, what }) => {
    const { statusCode } = await send({ method: 'POST', url: `/${kindOf(cell)}/${what}`, ...sender })
    return statusCode === 200 ? 'ran' : outcomeOf(statusCode)
  },
  tool: (way) => asked(way, 'tools/call', toolCall(way)),
  call_tool: (way) => asked(way, 'tools/call', { name: 'call_tool', arguments: toolCall(way) }),
  batch: async (way) => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: toolCall(way) }
    const [answer] = await posted(way, [call, { jsonrpc: '2.0', id: 2, method: 'ping' }], {
      'mcp-protocol-version': '2025-03-26',
    })
    return reading(answer)
  },
  prompt: (way) =>
    asked(way, 'prompts/get', { name: `${kindOf(way.cell)}_letter`, arguments: { what: way.what } }),
  resource: (way) => asked(way, 'resources/read', { uri: `${kindOf(way.cell)}://${way.what}` }),
  task: async (way) => {
    const begun = await said(way, 'tools/call', toolCall(way, 'work'))
    const taskId = begun.result?.taskId
    if (taskId === undefined) return reading(begun) // nobody has tasks
    for (;;) {
      const { result: task } = await said(way, 'tasks/get', { taskId })
      if (task.status === 'input_required') return 'question'
      if (task.status !== 'working') return reading(task)
      await new Promise(setImmediate)
    }
  },
}

const toolCall = ({ cell, what }: Way, method = 'act') => ({
  name: `${kindOf(cell)}_${method}`,
  arguments: { what },
})

type Params = Readonly<Record<string, unknown>>

const asked = async (way: Way, method: string, params: Params): Promise<Outcome> =>
  reading(await said(way, method, params))

const elicitation: Readonly<Record<Cell['capability'], object>> = {
  URL: { elicitation: { url: {} } },
  form: { elicitation: { form: {} } },
  neither: {},
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
type Said = any

async function said(way: Way, method: string, params: Params): Promise<Said> {
  const { era, capability, entrance } = way.cell
  const sent = message(era === '2025-11-25' ? 'legacy' : 'modern', method, params)
  const body = structuredClone(Object(sent.message))
  if (era === '2026-07-28') {
    const tasks = entrance === 'task' ? { extensions: { 'io.modelcontextprotocol/tasks': {} } } : {}
    body.params._meta['io.modelcontextprotocol/clientCapabilities'] = { ...elicitation[capability], ...tasks }
  }
  const name = params.uri ?? params.taskId
  const named: Record<string, string> =
    era === '2026-07-28' && name !== undefined ? { 'mcp-name': String(name) } : {}
  const versioned: Record<string, string> = era === '2025-11-25' ? { 'mcp-protocol-version': era } : {}
  const [answer] = await posted(way, body, { ...sent.headers, ...versioned, ...named })
  return answer
}

/** The messages of the answer, in the order of their ids. */
async function posted(
  { send, sender }: Way,
  payload: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<readonly Said[]> {
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
  return (events.length > 0 ? events : [JSON.parse(answer.body)].flat()).sort((a, b) => a.id - b.id)
}

/** Of a message, or of a task that has ended. */
function reading({ result, error }: Said): Outcome {
  if (error !== undefined) return outcomeOf(error.code === 428 ? 428 : statusIn(error.message))
  if (result.resultType === 'input_required') return 'question'
  if (result.isError !== true) return 'ran'
  const { text } = result.content[0]
  return outcomeOf(text.startsWith('This call needs the approval of a person first.') ? 428 : statusIn(text))
}

const statusIn = (text: string): number => Number.parseInt(text, 10)

function outcomeOf(status: number): Outcome {
  if (status === 428) return 'told'
  if (status === 403 || status === 409 || status === 429) return status
  throw new Error(`an answer that no row of the table knows: ${status}`)
}
