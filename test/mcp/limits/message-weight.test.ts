/** What messages cost that run no tool: each is counted, and none makes the protocol copy more than it has to say. */
import t from 'tap'
import { growth } from '../../support/report/growth.ts'
import { catalogue, type Era, message, routes, rpc, type Sent, serve } from '../support/support.ts'

t.setTimeout(240_000) // a busy machine

const eras: readonly Era[] = ['legacy', 'modern']
const names = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at.toString(36).padStart(6, '0')}`, 1]))

/** The message with more in its parameters. */
const withParams = (sent: Sent, more: object): Sent => {
  const { params, ...rest } = Object(sent.message)
  return { ...sent, message: { ...rest, params: { ...params, ...more } } }
}

t.test(
  'every message counts, whatever its method is, and tool calls have a count of their own',
  async (t) => {
    const methods = ['tools/list', 'no/such', 'tools/call']
    for (const era of eras) {
      for (const method of era === 'modern' ? methods : ['ping']) {
        const app = serve({ toolCallsPerMinute: 1 })
        const sent = message(era, method)
        for (let count = 0; count < 600; count += 1) await app(sent)
        const refused = await app(sent)
        t.strictSame(
          [refused.status, refused.headers['retry-after'], rpc(refused).error],
          [429, '60', { code: 429, message: 'Too many messages' }],
          `${era} ${method}`,
        )
        const call = await app(message(era, 'tools/call', { name: 'files_answer' }))
        t.equal(call.status, 200, 'a tool can be called')
        t.equal((await app({ ...sent, ip: '192.0.2.8' })).status === 429, false, 'of another client')
      }
    }
  },
)

t.test('nothing counts where limits are switched off', async (t) => {
  const app = serve({ toolCallsPerMinute: null })
  for (let count = 0; count < 601; count += 1) await app(message('legacy', 'ping'))
  t.equal((await app(message('legacy', 'ping'))).status, 200)
})

t.test('a message that has little to say may not be large', async (t) => {
  const app = serve()
  for (const era of eras) {
    for (const method of ['ping', 'tools/list', 'prompts/list', 'resources/read', 'no/such']) {
      const { status, text } = await app(withParams(message(era, method), { note: 'x'.repeat(65_536) }))
      t.strictSame(
        [status, JSON.parse(text).error.message],
        [413, 'a message of this method is larger than 65536 bytes'],
      )
    }
    const called = { name: 'files_answer', arguments: { status: 'x'.repeat(900_000) } }
    t.equal((await app(message(era, 'tools/call', called))).status, 200)
    const { status, text } = await app(
      withParams(message(era, 'tools/call', { name: 'files_answer' }), names(3_000)),
    )
    t.strictSame(
      [status, JSON.parse(text).error.message],
      [413, 'the message is made of more than 2000 names and items besides arguments and answers'],
    )
  }
})

t.test('messages with many names take time in proportion to their bytes, and little', async (t) => {
  const app = serve()
  const sizes = [7_500, 15_000, 30_000] // the last is nearly half a megabyte
  const control = ({ message: sent }: Sent): unknown => JSON.parse(JSON.stringify(sent))
  const retry = { name: 'files_answer', task: {} } // what the SDK judges
  const cases: readonly (readonly [string, (count: number) => Sent])[] = [
    ['names in the parameters of a ping', (count) => withParams(message('legacy', 'ping'), names(count))],
    ['names in `_meta`', (count) => withParams(message('legacy', 'ping'), { _meta: names(count) })],
    ['names in a result', (count) => ({ message: { jsonrpc: '2.0', id: 1, result: names(count) } })],
    [
      'names in a batch',
      (count) => ({ message: [Object(withParams(message('legacy', 'ping'), names(count))).message] }),
    ],
    [
      'names of arguments that the SDK hands on',
      (count) => message('modern', 'tools/call', { ...retry, arguments: names(count) }),
    ],
    [
      'names in what a user answered',
      (count) =>
        message('modern', 'tools/call', {
          name: 'files_answer',
          inputResponses: { a: { content: names(count) } },
        }),
    ],
    [
      'names in what a user answered, for the SDK',
      (count) => message('modern', 'tools/call', { ...retry, inputResponses: names(count) }),
    ],
    [
      'more messages than a batch may have',
      (count) => ({ message: [...Array.from({ length: count * 4 }, () => ({})), { method: 'tools/call' }] }),
    ],
    ['names beside a tool', (count) => message('modern', 'tools/call', { ...retry, ...names(count) })],
  ]
  for (const [name, input] of cases)
    await growth(t, { name: `${name}: names of 7 characters`, sizes, input, work: app, control })
})

t.test(
  'what a user answered is judged in time in proportion to its bytes, whatever may be chosen',
  async (t) => {
    const chosen = (values: readonly string[]) => ({ type: 'array', items: { type: 'string', enum: values } })
    const titled = (values: readonly string[]) => ({
      type: 'array',
      items: { oneOf: values.map((value) => ({ const: value })) },
    })
    const values = Array.from({ length: 250 }, (_, at) => `choice ${at}`)
    for (const [name, property] of Object.entries({ chosen: chosen(values), titled: titled(values) })) {
      const form = { type: 'object', properties: { choices: property } }
      const asking = { verb: 'GET', path: '/api/users/current', questions: { form } } as const
      const app = serve({ catalogue, routes: new Map([...routes, ['users_current', asking]]) })
      await growth(t, {
        name: `a form, ${name}: items`,
        sizes: [20_000, 40_000, 80_000],
        input: (count) => {
          const content = { choices: Array.from({ length: count }, (_, at) => `choice ${at % 250}`) }
          return message('modern', 'tools/call', {
            name: 'users_current',
            inputResponses: { form: { action: 'accept', content } },
          })
        },
        work: app,
        control: ({ message: sent }) => JSON.parse(JSON.stringify(sent)),
        maxMs: 100,
      })
    }
  },
)
