/** An application whose tools become tasks, instances of it on one store, and a way to ask them. */
import { randomBytes } from 'node:crypto'
import type { Test } from 'tap'
import { type Application, createApplication } from '../../../runtime/boot/application.ts'
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import type { AppBundle } from '../../../runtime/contract/bundle.ts'
import { builtFolder } from '../../support/linked.ts'
import { surroundings } from '../../support/surroundings.ts'

const config = `import { defineApp } from 'acmcp'

export const config = defineApp({
  mcp: { path: '/mcp', serverName: 'Jobs', authProbe: '/jobs/me' },
  scopes: { 'jobs:run': 'Run jobs', 'jobs:see': 'See jobs' },
})
`

const jobs = `import { ApplicationController, Conflict, type Elicited, InputRequired, type Rendered, Unauthorized } from 'acmcp'

interface Amount { euros: number }

const amountSchema = { type: 'object', properties: { euros: { type: 'number' } }, required: ['euros'] } as const
const howSchema = { type: 'object', properties: { card: { type: 'boolean' } }, required: ['card'] } as const

/**
 * Jobs that take long.
 *
 * @base /jobs
 */
export class Jobs extends ApplicationController {
  /**
   * Makes something, once.
   *
   * @post /make
   * @scope jobs:run
   * @mcp task
   * @param name - what
   */
  make(name: string): Promise<string> { return this.work(name) }

  /**
   * Makes something, again and again to the same.
   *
   * @post /remake
   * @scope jobs:run
   * @mcp task idempotent
   * @param name - what
   */
  remake(name: string): Promise<string> { return this.work(name) }

  /**
   * Makes what nobody waits for.
   *
   * @post /big
   * @mcp task=required
   */
  big(): string { throw new Conflict('too big') }

  /**
   * Pays, when its user says how much and how.
   *
   * @post /pay
   * @mcp task
   */
  async pay(): Promise<string> {
    const amount = this.mcp?.answerTo('amount') ?? null
    if (amount === null) throw new InputRequired({ amount: { message: 'How much?', schema: amountSchema } })
    const how = this.mcp?.answerTo('how') ?? null
    if (how === null) throw new InputRequired({ how: { message: 'By card?', schema: howSchema } }, amount)
    return this.work(JSON.stringify([how, this.mcp?.state]))
  }

  /**
   * Pays back, when its user says how much.
   *
   * @post /refund
   * @mcp task
   */
  async refund(amount?: Elicited<Amount>): Promise<string> {
    if (amount === undefined) throw new InputRequired({ amount: 'How much?' })
    return this.work(String(amount.euros))
  }

  /**
   * Orders something.
   *
   * @post /orders
   * @returns 202
   * @param name - what
   * @param at - where to ask
   */
  order(name: string, at: string = '/jobs/orders/' + encodeURIComponent(name) + '?full=1'): Rendered {
    this.response.set('Location', at)
    return this.head(202)
  }

  /**
   * What came of an order.
   *
   * @get /orders/:name
   * @scope jobs:see
   * @mcp hide
   * @param name - which
   */
  async ordered(name: string, full = false): Promise<Rendered> {
    const status = await this.work(name)
    if (status === 'moved') return this.redirectTo('/jobs/orders/there', 303)
    return this.render({ status: Number(status), json: { name, full, user: this.access?.user.id } })
  }

  /**
   * Counts what there is.
   *
   * @post /stock
   * @mcp task
   * @mcp brief name
   */
  async stock(): Promise<{ name: string; note: string }> { return { name: await this.work('stock'), note: 'n' } }

  /**
   * Says who asks.
   *
   * @get /me
   * @mcp hide
   */
  me(): { id: string } {
    if (this.access === null) throw new Unauthorized('sign in')
    return { id: this.access.user.id }
  }

  private work(name: string): Promise<string> {
    return Reflect.get(globalThis, 'work')({
      name,
      user: this.access?.user.id,
      signal: this.request.signal,
      progress: (done: number, total?: number, message?: string) => this.mcp?.progress(done, total, message),
    })
  }
}
`

export const builtJobs = (): Promise<string> =>
  builtFolder({
    'package.json': '{"name":"jobs","version":"1.0.0","private":true,"type":"module"}',
    'app/config.ts': config,
    'app/controllers/jobs.ts': jobs,
  })

export const buildJobs = async (): Promise<AppBundle> => loadBundle(await builtJobs())

export interface Work {
  readonly name: string
  readonly user: string
  readonly signal: AbortSignal
  readonly progress: (done: number, total?: number, message?: string) => void
}

/** What routes do from now on. */
export function whenRequested(work: (run: Work) => Promise<string>): void {
  Reflect.set(globalThis, 'work', work)
}

export interface Held {
  readonly runs: readonly Work[]
  /** Resolves with the run of that number (from 0) when it has begun. */
  readonly begun: (at: number) => Promise<Work>
  readonly finish: (at: number, result: string) => void
}

export function heldWork(): Held {
  const runs: Work[] = []
  const ends: ((result: string) => void)[] = []
  const waiting = new Map<number, (run: Work) => void>()
  whenRequested(
    (run) =>
      new Promise((resolve, reject) => {
        run.signal.addEventListener('abort', () => reject(new Error('stopped')))
        ends.push(resolve)
        waiting.get(runs.push(run) - 1)?.(run)
      }),
  )
  return {
    runs,
    begun: (at) => {
      const run = runs[at]
      return run === undefined ? new Promise((resolve) => waiting.set(at, resolve)) : Promise.resolve(run)
    },
    finish: (at, result) => ends[at]?.(result),
  }
}

export interface Instance {
  readonly application: Application
  /** Does once what it does again and again. */
  readonly beat: () => Promise<void>
}

export interface Instances {
  readonly all: readonly Instance[]
  readonly clock: { now: number }
  /** By so much the clock of each is set wrong. */
  readonly wrong: number[]
  readonly tokenOf: (user: string, scope?: string) => Promise<string>
}

/** So many on the store at `databaseUrl`, with one clock; they do nothing of themselves. */
export async function openInstances(
  t: Test,
  bundle: AppBundle,
  {
    databaseUrl,
    count,
    ...config
  }: { databaseUrl: string; count: number; limits?: object; plugins?: object; providers?: object },
): Promise<Instances> {
  const clock = { now: 1_800_000_000_000 }
  const wrong = new Array<number>(count).fill(0)
  const secret = randomBytes(32).toString('hex')
  const secrets = { jwtSecrets: [secret], sessionSecrets: [secret] }
  const all: Instance[] = []
  for (let at = 0; at < count; at += 1) {
    const works = new Set<() => Promise<void>>()
    const application = await createApplication(
      { ...bundle, config: { ...Object(bundle.config), ...config } },
      {
        ...surroundings('http://localhost:4000', { databaseUrl, ...secrets }),
        clock: () => clock.now + (wrong[at] ?? 0),
        monotonic: () => clock.now,
        every: (_ms, work) => {
          works.add(work)
          return async () => void works.delete(work)
        },
      },
    )
    t.teardown(() => application.close(undefined, 0))
    all.push({ application, beat: async () => void (await Promise.all([...works].map((work) => work()))) })
  }
  const [first] = all
  const tokenOf: Instances['tokenOf'] = async (user, scope = 'jobs:run jobs:see') => {
    await first?.application.store.saveUser({ id: user, name: user, email: null })
    return String((await first?.application.developmentToken(user, scope))?.accessToken)
  }
  return { all, clock, wrong, tokenOf }
}

/** Is sent as lists in lists, so deep that `JSON.stringify` throws. */
export const deep = 'many lists'
const deepText = '['.repeat(20_000) + ']'.repeat(20_000)

const tasksExtension = 'io.modelcontextprotocol/tasks'

export interface Reported {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  readonly said: any
}

export interface JobsClient {
  readonly ask: (method: string, params: Record<string, unknown>, headers?: object) => Promise<Reported>
  readonly call: (name: string, args?: object, more?: object) => Promise<Reported>
  readonly get: AboutTask
  readonly cancel: AboutTask
  readonly update: AboutTask
}

type AboutTask = (taskId: string, more?: object) => Promise<Reported>

/** A client that knows tasks, unless `capabilities` say otherwise. */
export function clientOf(
  { application }: Instance,
  token: string,
  capabilities: object = { elicitation: {}, extensions: { [tasksExtension]: {} } },
): JobsClient {
  const ask = async (
    method: string,
    params: Record<string, unknown>,
    headers: object = {},
  ): Promise<Reported> => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    }
    const answer = await application.server.inject({
      method: 'POST',
      url: '/mcp',
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        'mcp-name': String(params.taskId ?? params.name),
        ...headers,
      },
      payload: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }).replace(
        `"${deep}"`,
        deepText,
      ),
    })
    if (answer.body === '') return { status: answer.statusCode, said: null }
    const { result, error } = JSON.parse(/^data: (.*)$/m.exec(answer.body)?.[1] ?? answer.body)
    const { _meta: _server, ...said } = result ?? error ?? {}
    return { status: answer.statusCode, said }
  }
  const about =
    (method: string) =>
    (taskId: string, more: object = {}) =>
      ask(`tasks/${method}`, { taskId, ...more })
  return {
    ask,
    call: (name: string, args: object = {}, more: object = {}) =>
      ask('tools/call', { name, arguments: args, ...more }),
    get: about('get'),
    cancel: about('cancel'),
    update: about('update'),
  }
}

/** Asks until the task is as it is to be; who writes it is another turn of this process. */
export async function until(client: JobsClient, taskId: string, status: string): Promise<Reported['said']> {
  for (;;) {
    const { said } = await client.get(taskId)
    if (said.status === status || said.code !== undefined) return said
    await new Promise(setImmediate)
  }
}
