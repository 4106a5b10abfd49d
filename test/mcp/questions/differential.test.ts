/** Generated questions to generated clients, and their answers, served both ways: by the endpoint's own path, and by the SDK alone. */
import fc from 'fast-check'
import t from 'tap'
import type { HttpRequest, HttpResponse } from '../../../runtime/contract/http.ts'
import type { InputQuestion } from '../../../runtime/contract/mcp.ts'
import { InputDeclined, InputRequired } from '../../../runtime/errors.ts'
import { toolCallOf } from '../../../runtime/http/pipeline/controller.ts'
import { type App, createApplication, json, message, type Sent, serve } from '../support/support.ts'

const form = { type: 'object', properties: { name: { type: 'string', maxLength: 3 } }, required: ['name'] }
const questions: Readonly<Record<string, InputQuestion>> = {
  typed: 'Who?',
  form: { message: 'Who, "then"?', schema: form },
  url: { message: 'Öffne\u2028', url: 'https://bank.example/7' },
  sampling: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } },
  roots: { method: 'roots/list' },
}
const names = Object.keys(questions)

const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof(fc.constant(undefined), arbitrary)
const answer = fc.oneof(
  fc.record({
    action: fc.constantFrom('accept', 'decline', 'cancel', 'else'),
    content: maybe(fc.record({ name: fc.constantFrom<unknown>('Ada', 'Adele', 7), more: fc.nat() })),
  }),
  fc.record({ roots: fc.constant([]) }),
  fc.jsonValue({ maxDepth: 1 }),
)
const drawn = fc.record({
  isModern: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)),
  asked: fc.subarray(names),
  state: fc.constantFrom<unknown>(null, 1, { round: 'ü' }),
  capabilities: fc.record(
    {
      elicitation: fc.constantFrom({}, { form: {} }, { url: {} }, { form: {}, url: {} }),
      sampling: fc.constant({}),
      roots: fc.constant({}),
    },
    { requiredKeys: [] },
  ),
  responses: maybe(fc.dictionary(fc.constantFrom(...names, 'other'), answer)),
  echoes: fc.constantFrom('state', 'tampered', 'none'),
  token: maybe(fc.constant('p')),
})
type Drawn = typeof drawn extends fc.Arbitrary<infer One> ? One : never

let current: Drawn | null = null

/** Asks what is drawn, until something is answered to all of it. */
async function invoke(routeId: string, request: HttpRequest): Promise<HttpResponse> {
  const call = toolCallOf(request)
  if (call === null || current === null) return createApplication().invoke(routeId, request)
  const { asked: requested, state } = current
  try {
    const read = requested.map((name) =>
      name === 'form' ? call.mcp.accepted(name, { message: '', schema: form }) : call.mcp.answerTo(name),
    )
    if (read.every((value) => value !== null)) return json(200, { read, state: call.mcp.state })
    const wanted = requested.map((name) => [name, questions[name] ?? ''] as const)
    const route = { id: routeId, questions: { typed: form } }
    call.raise(new InputRequired(Object.fromEntries(wanted), state).raisedBy(route))
  } catch (error) {
    if (!(error instanceof InputDeclined)) throw error
    call.raise(error)
  }
  return json(500, {})
}

function sentOf({ isModern, capabilities, responses, token }: Drawn, requestState: string | null): Sent {
  const sent = message(isModern ? 'modern' : 'legacy', 'tools/call', {
    name: 'notes_show',
    arguments: { id: '1' },
    ...(responses === undefined ? {} : { inputResponses: responses }),
    ...(requestState === null ? {} : { requestState }),
  })
  const body = structuredClone(Object(sent.message))
  const progress = token === undefined ? {} : { progressToken: token }
  const declared = isModern ? { 'io.modelcontextprotocol/clientCapabilities': capabilities } : {}
  body.params._meta = { ...body.params._meta, ...declared, ...progress }
  return { ...sent, message: body }
}

async function reportOf(app: App, sent: Sent): Promise<{ status: number; message: unknown }> {
  const { status, text } = await app(sent)
  const data = /^data: ([^\r\n]*)/m.exec(text)?.[1] ?? text
  return { status, message: data === '' ? '' : JSON.parse(data) }
}

t.test('eight hundred questions and answers pass as through the SDK', async (t) => {
  const options = { invoke, clock: () => 0, stateSecrets: ['a secret of at least 32 bytes for this …'] }
  const own = serve(options)
  const sdk = serve({ ...options, isSdkOnly: true })
  let requested = 0
  const differs = fc.asyncProperty(drawn, async (item) => {
    current = item
    let state: string | null = null
    for (const round of [{ ...item, responses: undefined }, item]) {
      const echoed = item.echoes === 'none' ? null : state && item.echoes === 'tampered' ? `${state}x` : state
      const sent = sentOf(round, echoed)
      const first = await reportOf(own, sent)
      t.strictSame(first, await reportOf(sdk, sent), JSON.stringify([item, sent]))
      const { resultType, requestState } = Object(Object(first.message).result)
      if (resultType === 'input_required') requested += 1
      state = typeof requestState === 'string' ? requestState : null
    }
    return t.passing()
  })
  await fc.assert(differs, { seed: 20261123, numRuns: 400, endOnFailure: true })
  t.ok(requested > 200, `${requested} results asked`)
})
