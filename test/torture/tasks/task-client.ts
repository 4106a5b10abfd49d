/** A client that knows tasks, and asks servers in turn, each time on a connection of its own, as a blind balancer would make it. */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { Servers } from './servers.ts'

export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: a torture looks into answers freely
  readonly said: any
}

/** How long answers took, in milliseconds, and what was no answer. */
export interface Tally {
  readonly createMs: number[]
  readonly getMs: number[]
  /** Connections that broke or were refused. */
  broken: number
  /** Answers that put the client off: 429 and 503. */
  busy: number
}

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {
    elicitation: {},
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  },
}

const pauseMs = 200

export class TaskClient {
  readonly #servers: Servers
  readonly #token: string
  readonly #tally: Tally
  #turn = 0

  constructor(servers: Servers, token: string, tally: Tally) {
    this.#servers = servers
    this.#token = token
    this.#tally = tally
  }

  /** Null when the connection broke: the task may be there, or not. */
  async create(tool: string, args: object): Promise<Answer | null> {
    const began = performance.now()
    const answer = await this.#ask('tools/call', tool, { name: tool, arguments: args })
    if (answer?.status === 200) this.#tally.createMs.push(performance.now() - began)
    return answer
  }

  async get(taskId: string): Promise<Answer> {
    for (;;) {
      const began = performance.now()
      const answer = await this.#ask('tasks/get', taskId, { taskId })
      if (answer?.status === 200) this.#tally.getMs.push(performance.now() - began)
      if (answer !== null && !isBusy(answer)) return answer
      await delay(pauseMs)
    }
  }

  cancel(taskId: string): Promise<Answer> {
    return this.#untilAnswered('tasks/cancel', taskId, { taskId })
  }

  update(taskId: string, inputResponses: object): Promise<Answer> {
    return this.#untilAnswered('tasks/update', taskId, { taskId, inputResponses })
  }

  /** A GET request to the application. */
  async read(path: string): Promise<unknown> {
    const answer = await this.#send({ method: 'GET', path, headers: {}, body: '' })
    if (answer?.status !== 200) throw new Error(`GET ${path}: ${answer?.status}`)
    return JSON.parse(answer.body)
  }

  async #untilAnswered(method: string, name: string, params: object): Promise<Answer> {
    for (;;) {
      const answer = await this.#ask(method, name, params)
      if (answer !== null && !isBusy(answer)) return answer
      await delay(pauseMs)
    }
  }

  async #ask(method: string, name: string, params: object): Promise<Answer | null> {
    const answer = await this.#send({
      method: 'POST',
      path: '/mcp',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        'mcp-name': name,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
    })
    if (answer === null) return null
    if (isBusy(answer)) this.#tally.busy += 1
    const json = /^data: (.*)$/m.exec(answer.body)?.[1] ?? answer.body
    if (!json.startsWith('{')) return { status: answer.status, said: { body: json } }
    const { result, error } = JSON.parse(json)
    return { status: answer.status, said: result ?? error }
  }

  async #send({ method, path, headers, body }: Sent): Promise<{ status: number; body: string } | null> {
    const { ports, baseUrl } = this.#servers
    const port = ports[this.#turn++ % ports.length] ?? 0
    const { host } = new URL(baseUrl)
    const own = { host, authorization: `Bearer ${this.#token}`, ...headers }
    const sent = request({ host: '127.0.0.1', port, method, path, headers: own, agent: false })
    try {
      sent.end(body)
      const [reply] = (await once(sent, 'response')) as [IncomingMessage] // what the event carries
      return { status: Number(reply.statusCode), body: await text(reply) }
    } catch {
      this.#tally.broken += 1
      return null
    }
  }
}

interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const isBusy = ({ status }: { readonly status: number }): boolean => status === 429 || status === 503
