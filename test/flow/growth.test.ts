/** What capabilities do with what a caller sends: twice as much of it takes twice the time. */
import t from 'tap'
import { loadBundle } from '../../runtime/boot/bundle.ts'
import { openTestApp } from '../../runtime/testing.ts'
import { builtFolder } from '../support/linked.ts'
import { growth } from '../support/report/growth.ts'

t.setTimeout(240_000) // a busy machine

const vault = `import { type Body, Controller, type Elicited, InputRequired, type UploadedFile } from 'acmcp'

interface Payment {
  amount: number
  [note: string]: unknown
}

export interface Said {
  /** @untrusted */
  text: string
  /** @secret */
  note?: string
}

export interface Tree {
  kids?: Tree[]
  note?: string
}

export interface Consent {
  /** Sure? */
  sure: boolean
  why?: string
}

/** A vault. */
export class Vault extends Controller {
  /**
   * Pays.
   *
   * @post /payments
   * @approval Pay {amount}
   */
  pay(payment: Body<Payment>): void {}

  /**
   * Keeps.
   *
   * @post /things
   * @approval Keep {name} and {note}
   */
  keep(name: string, note?: string): void {}

  /**
   * Charges.
   *
   * @post /charges
   * @idempotencyKey
   */
  charge(payment: Body<Payment>): { amount: number } { return { amount: payment.amount } }

  /**
   * Repeats what others wrote.
   *
   * @post /said
   */
  say(said: Body<Said[]>): Said[] { return said }

  /**
   * Takes a tree.
   *
   * @post /trees
   */
  plant(tree: Body<Tree>): void {}

  /**
   * Asks.
   *
   * @post /asked
   */
  ask(consent?: Elicited<Consent>): boolean {
    if (consent === undefined) throw new InputRequired({ consent: 'Sure?' })
    return consent.sure
  }

  /**
   * Takes photos.
   *
   * @post /photos
   */
  keepPhotos(photos: UploadedFile[]): number { return photos.length }
}
`

const cwd = await builtFolder({
  'package.json': '{"name":"vault","version":"1.0.0","private":true,"type":"module"}',
  'app/config.ts': `import { defineApp } from 'acmcp'

export const config = defineApp({ mcp: { path: '/mcp', serverName: 'Vault' }, limits: { toolCallsPerMinute: false, files: 100 } })
`,
  'app/controllers/vault.ts': vault,
})
const bundle = await loadBundle(cwd)
const app = await openTestApp({ cwd, change: () => bundle })
t.teardown(() => app.close())
const client = app.client().withBearer(await app.accessToken({ id: 'dev:ada', name: 'Ada', email: null }))
const accept = 'application/json, text/event-stream'

async function posted(url: string, payload: string, status: number, more: object = {}): Promise<void> {
  const headers = { accept, 'content-type': 'application/json', ...more }
  const answer = await client.request({ method: 'POST', url, headers, payload })
  if (answer.statusCode !== status) throw new Error(`${answer.statusCode}: ${answer.body.slice(0, 200)}`)
}

const control = (payload: string): unknown => JSON.parse(JSON.stringify(payload))
const properties = (count: number): string => {
  const of = Array.from({ length: count }, (_, at) => [`n${at}`, at])
  return JSON.stringify({ amount: 1, name: 'a', ...Object.fromEntries(of) })
}
const keyed = (payload: string) => ({ 'idempotency-key': `a-key-for-${payload.length}` })

const shapes: readonly (readonly [
  name: string,
  input: (count: number) => string,
  work: (payload: string) => Promise<void>,
])[] = [
  ['approval, properties of a body', properties, (of) => posted('/vault/payments', of, 428)],
  ['approval, fields of JSON', properties, (of) => posted('/vault/things', of, 428)],
  ['idempotency key, properties of a body', properties, (of) => posted('/vault/charges', of, 200, keyed(of))],
]

t.test('what a call brings to an approval or a key takes time in proportion to it', async (t) => {
  for (const [name, input, work] of shapes)
    await growth(t, { name: `${name}: their number`, sizes: [2_000, 4_000], input, work, control })
  await growth(t, {
    name: 'approval, too many properties to ask a person about: their number',
    sizes: [25_000, 50_000],
    input: properties,
    work: (of) => posted('/vault/payments', of, 413),
    control,
  })
})

/** A message to the endpoint, of a client that shows forms. */
const rpc = (method: string, params: object): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method,
    params: {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
      },
    },
  })

const called = (name: string, args: object, more: object = {}): string =>
  rpc('tools/call', { name, arguments: args, ...more })

/** Sends a message, and looks for a text in its answer. */
const toldBy =
  (name: string, wanted: RegExp, more: object = {}) =>
  async (payload: string) => {
    const headers = {
      ...{ accept, 'content-type': 'application/json', 'mcp-protocol-version': '2026-07-28' },
      ...{ 'mcp-method': 'tools/call', 'mcp-name': name },
      ...more,
    }
    const { body } = await client.request({ method: 'POST', url: '/mcp', headers, payload })
    if (!wanted.test(body)) throw new Error(body.slice(0, 300))
  }

const noted = (count: number): Record<string, unknown> => ({ amount: 1, ...JSON.parse(properties(count)) })
const deep = (levels: number): object => JSON.parse(`${'{"kids":['.repeat(levels)}${']}'.repeat(levels)}`)
const throughCallTool = (args: object): string => called('call_tool', { name: 'vault_say', arguments: args })
const ofSay = { 'mcp-param-tool': 'vault_say' }
const answers = (content: object): object => ({
  inputResponses: { consent: { action: 'accept', content: { sure: true, ...content } } },
})
const files = (count: number): string => {
  const part = '--x\r\nContent-Disposition: form-data; name="photos"; filename="a"\r\n\r\nv\r\n'
  return `${part.repeat(count)}--x--\r\n`
}
const uploaded = { 'content-type': 'multipart/form-data; boundary=x' }
const hidden = '\u202ea\u{e0041}\u200d'
const batch = (count: number): string =>
  JSON.stringify(
    Array.from({ length: 10 }, (_, id) => ({
      ...{ jsonrpc: '2.0', id, method: 'tools/call' },
      params: { name: 'vault_say', arguments: { said: [{ text: 'a'.repeat(count) }] } },
    })),
  )

const messages: readonly (readonly [
  name: string,
  sizes: readonly number[],
  input: (count: number) => string,
  work: (payload: string) => Promise<void>,
])[] = [
  [
    'answers to a question: properties that nobody asked for',
    [2_000, 4_000],
    (count) => called('vault_ask', {}, answers(noted(count))),
    toldBy('vault_ask', /true/),
  ],
  [
    'answers to a question: characters',
    [200_000, 400_000],
    (count) => called('vault_ask', {}, answers({ why: '\u00e9'.repeat(count) })),
    toldBy('vault_ask', /true/),
  ],
  [
    'answers that were not asked for: questions',
    [1_000, 2_000],
    (count) => called('vault_ask', {}, { inputResponses: noted(count) }),
    toldBy('vault_ask', /inputRequests/),
  ],
  [
    'text of others: characters that are spelled out',
    [32_000, 64_000],
    (count) => called('vault_say', { said: [{ text: hidden.repeat(count / 5) }] }),
    toldBy('vault_say', /u\{202E\}/),
  ],
  [
    'texts of others, each with a secret: their number',
    [2_000, 4_000],
    (count) => called('vault_say', { said: Array(count).fill({ text: hidden, note: 'secret' }) }),
    toldBy('vault_say', /u\{202E\}/),
  ],
  [
    'properties that nobody knows, of each item: items',
    [2_000, 4_000],
    (count) => called('vault_say', { said: Array(count).fill({ txet: 'a', ntoe: 'b' }) }),
    toldBy('vault_say', /unknown property/),
  ],
  [
    'properties that nobody knows, through call_tool: items',
    [2_000, 4_000],
    (count) => throughCallTool({ said: Array(count).fill({ txet: 'a', ntoe: 'b' }) }),
    toldBy('call_tool', /unknown property/, ofSay),
  ],
  [
    'text of others, through call_tool: characters that are spelled out',
    [32_000, 64_000],
    (count) => throughCallTool({ said: [{ text: hidden.repeat(count / 5) }] }),
    toldBy('call_tool', /u\{202E\}/, ofSay),
  ],
  [
    'members that call_tool itself does not know',
    [2_000, 4_000],
    (count) => called('call_tool', { ...noted(count), name: 'vault_say', arguments: {} }),
    toldBy('call_tool', /unknown|result|error/, ofSay),
  ],
  [
    'levels of a tree',
    [200, 400],
    (count) => called('vault_plant', { tree: deep(count) }),
    toldBy('vault_plant', /result/),
  ],
  [
    'levels of a tree that is too deep',
    [10_000, 20_000],
    (count) => called('vault_plant', {}).replace('{}', `{"tree":${'['.repeat(count)}${']'.repeat(count)}}`),
    toldBy('vault_plant', /nested|tree/),
  ],
  [
    'a batch: characters of each call',
    [16_000, 32_000],
    batch,
    (of) => posted('/mcp', of, 200, { 'mcp-protocol-version': '2025-03-26' }),
  ],
  ['uploads: files', [25, 50], files, (of) => posted('/vault/photos', of, 200, uploaded)],
]

t.test('messages, their answers and uploads take time in proportion to what they bring', async (t) => {
  for (const [name, sizes, input, work] of messages) await growth(t, { name, sizes, input, work, control })
  await posted('/vault/photos', files(101), 413, uploaded)
})
