/** What completions, addresses of resources, and long answers of prompts and resources cost: in proportion to their bytes. */
import t, { type Test } from 'tap'
import type { Catalogue, PromptEntry, TextArgument } from '../../../runtime/contract/mcp.ts'
import { growth } from '../../support/report/growth.ts'
import { type App, catalogue, json, message, rpc, type Served, serve, serveAll } from '../support/support.ts'

t.setTimeout(240_000) // a busy machine

const control = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const argument = (name: string, more: Partial<TextArgument> = {}): TextArgument => ({
  ...{ argument: name, from: 'query', name, description: '', required: true, values: null, completion: null },
  ...more,
})
const entry = (name: string, taken: readonly TextArgument[]): PromptEntry => ({
  ...{ name, route: 'notes_index', toolbox: 'notes', title: null, description: 'Reads.', arguments: taken },
})

/** What an endpoint says to one message; an error is thrown unless it is expected. */
async function said(app: App, method: string, params: Readonly<Record<string, unknown>>) {
  const sent = message('legacy', method, params)
  const answer = rpc(await app(sent))
  return answer.result ?? answer.error
}

function serveThese(more: Partial<Catalogue>, answer: () => unknown = () => ({})): App {
  return serve({ catalogue: { ...catalogue, ...more }, invoke: async () => json(200, answer()) })
}

t.test('a completion takes time in proportion to the values and to what is written', async (t) => {
  let found: unknown = []
  const ref = { type: 'ref/prompt', name: 'one' }
  const completing = { route: 'notes_index', arguments: [argument('by')] }
  const app = serveThese(
    { prompts: [entry('one', [argument('by', { completion: completing })])] },
    () => found,
  )
  const answers: readonly (readonly [string, (count: number) => readonly unknown[]])[] = [
    ['values', (count) => Array.from({ length: count }, (_, at) => `value ${at}`)],
    ['long values', (count) => Array.from({ length: 100 }, () => 'a'.repeat(count / 5))],
  ]
  for (const [name, input] of answers)
    await growth(t, {
      name: `completed by a method, ${name}: values`,
      sizes: [12_500, 25_000, 50_000],
      input,
      work: async (values) => {
        found = values
        return said(app, 'completion/complete', { ref, argument: { name: 'by', value: 'v' } })
      },
      control,
    })

  const listed = (count: number): App => {
    const values = Array.from({ length: count }, (_, at) => `Value ${at}`)
    return serveThese({ prompts: [entry('one', [argument('by', { values })])] })
  }
  const requested = { ref, argument: { name: 'by', value: 'VALUE 1' } }
  t.equal((await said(listed(2_000), 'completion/complete', requested)).completion.total, 1_111)
  await growth(t, {
    name: 'completed from an enum: its values',
    sizes: [2_000, 4_000, 8_000],
    input: (count) => ({
      app: listed(count),
      values: Array.from({ length: count }, (_, at) => `Value ${at}`),
    }),
    work: ({ app }) => said(app, 'completion/complete', requested),
    control: ({ values }) => control(values),
  })
  const item = listed(100)
  const written: readonly (readonly [string, (length: number) => object])[] = [
    ['the text', (length) => ({ ref, argument: { name: 'by', value: 'a'.repeat(length) } })],
    ['the argument', (length) => ({ ref, argument: { name: 'a'.repeat(length), value: '' } })],
    ['the prompt', (length) => ({ ref: { ...ref, name: 'a'.repeat(length) }, argument: requested.argument })],
  ]
  for (const [name, input] of written)
    await growth(t, {
      name: `a long completion, ${name}: characters`,
      sizes: [262_144, 524_288, 1_000_000],
      input: (length) => input(length) as Readonly<Record<string, unknown>>, // an object as any
      work: (params) => said(item, 'completion/complete', params),
      control,
    })
})

const templates: readonly (readonly [string, (at: number) => string])[] = [
  ['that begin otherwise', (at) => `x${at}://{a}-{b}`],
  ['of one guessed end', (at) => `x://{+a}/end${at}`],
  ['of several guessed ends', (at) => `x://{+a}/v{b}-{+c}end${at}`],
  ['with a query', (at) => `x://{+a}/q${at}{?b,c}`],
  ['whose texts all stand in it', (at) => `x://{+a}/k${at}-{b}-{c}-{d}`],
]

const serveTemplates = (count: number, uriOf: (at: number) => string): Served =>
  serveAll({ catalogue: { ...catalogue, resources: templatesOf(count, uriOf) } })

function templatesOf(count: number, uriOf: (at: number) => string): NonNullable<Catalogue['resources']> {
  return Array.from({ length: count }, (_, at) => {
    const uri = uriOf(at)
    const names = [...uri.replace(/\?b,c/, 'b}{c').matchAll(/\w+(?=\})/g)].map(([name]) => argument(name))
    return { ...entry(`one${at}`, names), uri, mimeType: null }
  })
}

/** Opens a stream that hears of these resources, and leaves. */
async function subscribed({ open }: Served, resourceSubscriptions: readonly string[]): Promise<void> {
  const sent = message('modern', 'subscriptions/listen', { notifications: { resourceSubscriptions } })
  const stream = await open(sent)
  if (stream.status !== 200) throw new Error(String(stream.status))
  stream.leave()
}

const texts = Array.from({ length: 100 }, (_, at) => `/k${at}-`).join('')
/** What no template has, though it looks so until its end. */
const addressOf = (length: number): string => {
  const start = `x://a${texts}`.slice(0, length / 2)
  return `${start}${'/v--'.repeat((length - start.length - 6) / 4)}?b=1#`
}

t.test(
  'an address is looked for in time in proportion to its length and to how many templates there are',
  async (t) => {
    for (const [name, uriOf] of templates) {
      const { app } = serveTemplates(25, uriOf)
      await growth(t, {
        name: `an address of no resource, 25 templates ${name}: characters`,
        sizes: [16_000, 32_000, 64_000],
        input: addressOf,
        work: (uri) => said(app, 'resources/read', { uri }),
        control,
        maxMs: 60,
      })
      await growth(t, {
        name: `an address of no resource, 8,000 characters, templates ${name}: templates`,
        sizes: [25, 50, 100],
        input: (count) => serveTemplates(count, uriOf),
        work: (own) => said(own.app, 'resources/read', { uri: addressOf(8_000) }),
        control: () => control(addressOf(8_000)),
        maxMs: 60,
      })
      const hundred = serveTemplates(100, uriOf)
      await growth(t, {
        name: `subscribed to addresses of no resource, 100 templates ${name}: addresses of 2,000 characters`,
        sizes: [4, 8, 16],
        input: (count) => Array.from({ length: count }, (_, at) => addressOf(2_000).replace('a', `${at}`)),
        work: (uris) => subscribed(hundred, uris),
        control,
        maxMs: 250,
      })
    }
  },
)

/** So many levels in one another, the last with the rest of the bytes. */
function nested(levels: number, bytes: number): object {
  let value: object = { note: 'abcdefgh '.repeat(bytes / 9) }
  for (let level = 0; level < levels; level += 1) value = { left: value, note: ['n', level] }
  return value
}

async function grows(t: Test, name: string, work: (value: object) => Promise<unknown>): Promise<void> {
  await growth(t, {
    name: `${name}, 2 kB: levels`,
    sizes: [8, 16, 32],
    input: (levels) => nested(levels, 2_000),
    work,
    control,
  })
  await growth(t, {
    name: `${name}, 32 levels: bytes`,
    sizes: [262_144, 524_288, 1_000_000],
    input: (bytes) => nested(32, bytes),
    work,
    control,
  })
}

t.test(
  'what a resource or a prompt answers takes time in proportion to its bytes and its depth',
  async (t) => {
    let value: unknown = null
    const resource = { ...entry('one', []), uri: 'x://one', mimeType: null }
    const app = serveThese({ resources: [resource], prompts: [entry('one', [])] }, () => value)
    const read = async (provided: object): Promise<unknown> => {
      value = provided
      return said(app, 'resources/read', { uri: 'x://one' })
    }
    t.match(await read(nested(32, 2_000)), { contents: [{ text: JSON.stringify(nested(32, 2_000)) }] })
    await grows(t, 'a resource read', read)

    const got = async (provided: object): Promise<unknown> => {
      const content = { type: 'text', text: 'Read it.', _meta: { given: provided } }
      value = [{ role: 'user', content }]
      return said(app, 'prompts/get', { name: 'one' })
    }
    t.match(await got(nested(32, 2_000)), {
      messages: [{ content: { _meta: { given: nested(32, 2_000) } } }],
    })
    await grows(t, 'a prompt with nested data', got)
    await growth(t, {
      name: 'a prompt: messages',
      sizes: [2_500, 5_000, 10_000],
      input: (count) =>
        Array.from({ length: count }, () => ({ role: 'user', content: { type: 'text', text: 'Hi' } })),
      work: async (messages) => {
        value = messages
        return said(app, 'prompts/get', { name: 'one' })
      },
      control,
    })
  },
)
