/** Generated subscriptions, served both ways: by the endpoint's own path, and by the SDK alone. */
import fc from 'fast-check'
import t from 'tap'
import type { HttpResponse } from '../../../runtime/contract/http.ts'
import type { Catalogue } from '../../../runtime/contract/mcp.ts'
import { catalogue, message, type Sent, serveAll } from '../support/support.ts'

const entry = {
  ...{ name: 'users_current', route: 'users_current', toolbox: 'users', title: null, mimeType: null },
  ...{ description: 'Reads.', arguments: [] },
}
const whole: Catalogue = {
  ...catalogue,
  prompts: [entry],
  resources: [
    { ...entry, uri: 'users://me' },
    { ...entry, uri: 'users://{+id}' },
  ],
}

const mostly = <T, U>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<U>): fc.Arbitrary<T | U> =>
  fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: odd })
const odd = fc.jsonValue({ maxDepth: 1 })
const flag = mostly(fc.boolean(), odd)
const uris = fc.uniqueArray(
  fc.webSegment().map((id) => `users://x${id}`),
  { maxLength: 4 },
)
const filter = fc.record(
  {
    toolsListChanged: flag,
    promptsListChanged: flag,
    resourcesListChanged: flag,
    resourceSubscriptions: mostly(uris, fc.oneof(odd, fc.array(odd))),
    unknown: odd,
  },
  { requiredKeys: [] },
)
const drawn = fc.record({
  catalogue: fc.constantFrom(whole, catalogue),
  filter: mostly(filter, odd),
  id: mostly(fc.oneof(fc.nat(), fc.string()), fc.constantFrom<unknown>(null, 1.5)),
})

/** The first message of an answer, which may go on for ever. */
async function firstOf({ status, body }: HttpResponse): Promise<unknown> {
  const text = await firstText(body)
  return { status, message: JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) }
}

async function firstText(body: HttpResponse['body']): Promise<string> {
  if (body instanceof ReadableStream) {
    for await (const chunk of body) return Buffer.from(chunk).toString()
    return ''
  }
  if (typeof body !== 'object' || body === null || !('open' in body))
    return Buffer.from(body ?? '').toString()
  let text = ''
  const write = (more: string): boolean => {
    text += more
    return true
  }
  body.open({ write, offer: () => {}, end: () => {} })()
  return text
}

t.test('five hundred subscriptions are answered as the SDK would', async (t) => {
  const served = (isSdkOnly: boolean) =>
    new Map([whole, catalogue].map((item) => [item, serveAll({ catalogue: item, isSdkOnly })]))
  const [own, sdk] = [served(false), served(true)]
  const differs = fc.asyncProperty(drawn, async ({ catalogue: item, filter: notifications, id }) => {
    const sent = message('modern', 'subscriptions/listen', { notifications })
    const requested: Sent = { ...sent, message: { ...Object(sent.message), id } }
    const answers = await Promise.all([own, sdk].map((all) => all.get(item)?.handle(requested)))
    const [first, second] = await Promise.all(answers.flatMap((answer) => (answer ? [firstOf(answer)] : [])))
    t.strictSame(first, second, JSON.stringify(requested))
    return t.passing()
  })
  await fc.assert(differs, { seed: 20261123, numRuns: 500, endOnFailure: true })
})
