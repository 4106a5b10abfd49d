/** What one run of a route costs without any transport: `node dist/test/bench/http/invoke.bench.js [runs]`, with
 *  `--cpu-prof` for a profile. Two ways in: a tool call's parsed arguments, and bytes that arrive as a promise.
 *  Each is set beside the same work written by hand, so that the ratio carries over to other machines. */
import type { HttpRequest, HttpResponse, RequestBody } from '../../../runtime/contract/http.ts'
import type { Route, RouteCodec } from '../../../runtime/contract/route.ts'
import * as c from '../../../runtime/http/codec/codec.ts'
import { Controller } from '../../../runtime/http/pipeline/controller.ts'
import { prepareRoute } from '../../../runtime/http/pipeline/prepare/prepare-route.ts'
import { noServices } from '../../boot/no-services.ts'
import { plainFormats } from '../../http/support/formats.ts'

interface NewNote {
  readonly title: string
  readonly text: string
  readonly pinned?: boolean
}

class Notes extends Controller {
  user = ''
  authenticate(authorization: string): void {
    if (!authorization.startsWith('Bearer ')) throw new Error('unauthorized')
    this.user = authorization.slice(7)
  }
  create(note: NewNote): object {
    return { id: 7, user: this.user, ...note, tags: ['a', 'b'] }
  }
}

const route: Route = {
  id: 'notes_create',
  verb: 'POST',
  path: '/api/notes',
  status: 201,
  statuses: [],
  websocket: false,
  requiresTls: false,
  controller: Notes,
  produces: null,
  filters: [
    {
      when: 'before',
      name: 'authenticate',
      call: (controller: Notes, args: readonly [string]) => controller.authenticate(...args),
    },
  ],
  handlers: [],
  create: () => new Notes(),
  call: (controller: Notes, args: readonly [NewNote]) => controller.create(...args),
}

const note = c.object({
  title: c.string,
  text: c.string,
  pinned: c.optional(c.boolean),
})

const codec: RouteCodec = {
  params: [{ name: 'note', from: 'body', required: true, codec: note }],
  filters: [[{ name: 'Authorization', from: 'header', required: true, codec: c.string }]],
  handlers: [],
}

const services = noServices
const sent = { title: 'Shopping', text: 'milk, bread and a fresh newspaper', pinned: true }
const bytes = Buffer.from(JSON.stringify(sent))
const session = { get: () => null, set: () => {}, remove: () => {}, regenerate: async () => {} }
const query = new URLSearchParams()
const { signal } = new AbortController()

const request = (body: RequestBody): HttpRequest => ({
  id: '1',
  method: 'POST',
  url: '/api/notes',
  path: '/api/notes',
  query,
  params: {},
  cookies: {},
  headers: { authorization: 'Bearer token', accept: 'application/json, text/event-stream' },
  ip: '127.0.0.1',
  session,
  body,
  signal,
})

const prepared = prepareRoute(route, codec, { baseUrl: 'http://localhost:3000', formats: plainFormats })
const parsed = (): RequestBody => ({ kind: 'value', value: sent })
const streamed = (): RequestBody => ({
  kind: 'bytes',
  contentType: 'application/json',
  read: () => Promise.resolve(bytes),
})

/** The same route without a framework. */
function byHand(value: typeof sent): HttpResponse {
  const notes = new Notes()
  notes.authenticate('Bearer token')
  if (typeof value.title !== 'string' || typeof value.text !== 'string') throw new Error('invalid')
  if (value.pinned !== undefined && typeof value.pinned !== 'boolean') throw new Error('invalid')
  const body = JSON.stringify(notes.create({ title: value.title, text: value.text, pinned: value.pinned }))
  return { status: 201, headers: { 'content-type': 'application/json; charset=utf-8' }, body }
}

const ways: Readonly<Record<string, () => HttpResponse | Promise<HttpResponse>>> = {
  'by hand, parsed arguments': () => byHand(sent),
  'invoke, parsed arguments': () => prepared.run(request(parsed()), services, null),
  'by hand, bytes': () => Promise.resolve(bytes).then((text) => byHand(JSON.parse(text.toString()))),
  'invoke, bytes': () => prepared.run(request(streamed()), services, null),
}

async function microseconds(way: () => HttpResponse | Promise<HttpResponse>, runs: number): Promise<number> {
  const start = process.cpuUsage()
  for (let run = 0; run < runs; run++) {
    const outcome = way()
    if (outcome instanceof Promise) await outcome
  }
  const { user, system } = process.cpuUsage(start)
  return (user + system) / runs
}

const runs = Number(process.argv[2] ?? 200_000)
const only = process.argv[3] ?? ''
for (const [name, way] of Object.entries(ways).filter(([key]) => key.startsWith(only))) {
  await microseconds(way, runs / 10)
  const rounds: number[] = []
  for (let round = 0; round < 3; round++) rounds.push(await microseconds(way, runs))
  console.log(`${name}: ${Math.min(...rounds).toFixed(2)} µs of CPU per run`)
}
