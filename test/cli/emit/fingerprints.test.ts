/** The fingerprints of `mcp.yml`: what a client that pins tools computes of a server's answers, of every tool; what changes them, and
 *  that they are no text of anybody. */
import fc from 'fast-check'
import t from 'tap'
import { type Compilation, compile } from '../../../cli/compiler/compile.ts'
import { editedLine } from '../../../cli/compiler/emit/mcp/mcp-yml.ts'
import { createSession } from '../../../cli/compiler/read/program/session.ts'
import { loadCatalogue } from '../codecs/printed.ts'
import { randomApplication } from '../random/random-application.ts'
import { type Files, memoryHost } from '../support/memory-host.ts'
import { type Pins, servedPins, writtenPins } from '../support/pinned.ts'

t.setTimeout(240_000)

const files: Files = {
  'app/types.ts': `/** Where something goes. */
export interface Address {
  /** With its number. */
  street: string
  /** Of whoever moved. */
  before?: Address
}
/** What was bought. */
export interface Order {
  id: string
  to: Address
  /** @untrusted */
  note: string
  /** @secret */
  pin: string
  state: 'open' | 'sent'
}
`,
  'app/icons/one.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'app/icons/two.svg': '<svg xmlns="http://www.w3.org/2000/svg" />',
  'app/controllers/orders.ts': `import { type Body, Controller, type Int32 } from 'acmcp'
import type { Address, Order } from '../types.ts'

/**
 * Orders.
 *
 * @icon ../icons/one.svg
 */
export class Orders extends Controller {
  /**
   * Lists orders, newest first.
   *
   * @get /
   * @param limit - how many
   * @mcp root
   * @mcp title="All orders"
   * @mcp keywords purchases
   * @mcp brief id state
   */
  index(limit: Int32 = 20): Order[] { return [].slice(limit) }

  /**
   * Sends an order.
   *
   * @post /:id/sent
   * @approval Send {id}
   * @idempotencyKey required
   * @limit 5/min
   * @timeout 2min
   * @mcp destructive=false
   * @mcp budget 9000
   * @mcp example {"id":"7","street":"Main"}
   */
  send(id: string, street: string, also: Address[] = []): Order { throw new Error(id + street + also.length) }

  /** @post /closed */
  closed(order: Body<{ b?: number; a: '\ud83d\ude00' | 1e21 }>): void { void order }

  /** @delete /:id */
  remove(id: string): void { void id }
}
`,
  'app/controllers/people.ts': `import { type Body, Controller } from 'acmcp'
import type { Address } from '../types.ts'

/** People. */
export class People extends Controller {
  /**
   * Moves somebody.
   *
   * @put /
   */
  move(to: Body<Address>): void { void to }

  /**
   * Names them.
   *
   * @get /
   */
  names(): string[] { return [] }
}
`,
}

function ymlOf({ files: made, diagnostics }: Compilation): string {
  const text = made.find(({ path }) => path === 'generated/mcp.yml')?.text
  if (text === undefined) throw new Error(JSON.stringify(diagnostics, null, 1))
  return text
}

const build = (from: Files): Compilation => compile(memoryHost(from))
const before = build(files)
const pins = writtenPins(ymlOf(before))

t.test('fingerprints are those of what a server of 2026-07-28 answers, of every tool', async (t) => {
  t.strictSame(pins, await servedPins(loadCatalogue(before.catalogue)))
  t.strictSame(Object.keys(pins), [
    ...['orders_index', 'orders_send', 'orders_closed', 'orders_remove'],
    ...['people_move', 'people_names'],
  ])
  t.equal(new Set(Object.values(pins).map(([tool]) => tool)).size, 6)
})

t.test('fingerprints of random applications are those that are served', async (t) => {
  let tools = 0
  const property = fc.asyncProperty(randomApplication, async (random) => {
    const compilation = build(random)
    const served = await servedPins(loadCatalogue(compilation.catalogue))
    tools += Object.keys(served).length
    return JSON.stringify(writtenPins(ymlOf(compilation))) === JSON.stringify(served)
  })
  await fc.assert(property, { numRuns: 25, seed: 20261127 })
  t.ok(tools > 50, `${tools} tools`)
})

/** The names of the tools whose first and whose second fingerprint is another. */
const changedIn = (after: Pins): readonly (readonly string[])[] =>
  [0, 1].map((place) => Object.keys(pins).filter((name) => after[name]?.[place] !== pins[name]?.[place]))

const [orders, types] = ['app/controllers/orders.ts', 'app/types.ts']
const send = ['orders_send']

type Change = readonly [
  what: string,
  path: string,
  replaced: readonly [from: string, to: string],
  tools: readonly string[],
  answers: readonly string[],
]

const changes: readonly Change[] = [
  ['a description', orders, ['Sends an order.', 'Sends it.'], send, []],
  ['a title', orders, ['All orders', 'Every order'], ['orders_index'], []],
  ['no title', orders, ['   * @mcp title="All orders"\n', ''], ['orders_index'], []],
  ['the type of an argument', orders, ['street: string,', 'street: string | null,'], send, []],
  ['a default', orders, ['= 20', '= 21'], ['orders_index'], []],
  ['the text of an argument', orders, ['- how many', '- how many of them'], ['orders_index'], []],
  ['a hint', orders, ['destructive=false', 'destructive'], send, []],
  ['an example', orders, ['"id":"7"', '"id":"8"'], send, []],
  ['the sentence of an approval', orders, ['Send {id}', 'Send {id} now'], send, []],
  ['no key', orders, ['   * @idempotencyKey required\n', ''], send, []],
  [
    'a shared type',
    types,
    ['With its number.', 'With a number.'],
    ['orders_send', 'people_move'],
    ['orders_index', 'orders_send'],
  ],
  ['what others wrote', types, ['  /** @untrusted */\n', ''], ['orders_index', 'orders_send'], []],
  ['the type of an answer', types, ["'sent'", "'gone'"], [], ['orders_index', 'orders_send']],
  ['no secret', types, ['  /** @secret */\n', ''], ['orders_index'], ['orders_index', 'orders_send']],
  ['a picture', orders, ['one.svg', 'two.svg'], [], []],
  ['keywords', orders, ['purchases', 'sales'], [], []],
  ['a limit', orders, ['5/min', '6/min'], [], []],
  ['a time', orders, ['2min', '3min'], [], []],
  ['a budget', orders, ['9000', '9001'], [], []],
  ['whether it is listed at first', orders, ['   * @mcp root\n', ''], [], []],
  ['the text of a toolbox', orders, ['* Orders.', '* All orders.'], [], []],
  ['an address', orders, ['@post /:id/sent', '@post /:id/gone'], [], []],
]

/** Those that change no fingerprint are told in other lines. */
for (const [what, path, [from, to], tools, answers] of changes)
  t.test(`fingerprints after a change of ${what}, in a full build and in a session`, async (t) => {
    const session = createSession()
    const { reading } = compile(memoryHost(files), { session })
    const after = { ...files, [path]: files[path]?.replace(from, to) ?? '' }
    const [full, next] = [
      build(after),
      compile(memoryHost(after), { session, change: { before: reading, files: [path] } }),
    ]
    t.not(ymlOf(full), ymlOf(before))
    t.strictSame(changedIn(writtenPins(ymlOf(full))), [tools, answers])
    t.strictSame([next.files, next.catalogue], [full.files, full.catalogue])
  })

t.test('what tags say of a call stands in mcp.yml as they have it', async (t) => {
  const lines = /^ {8}hints: .*\n {8}budget(?:.|\n)*? {8}examples:/m.exec(ymlOf(before))?.[0]
  t.equal(
    lines,
    `        hints: [idempotent]
        budget: 9000
        limit: 5/min
        timeout: 120s
        idempotencyKey: required
        untrusted: [note]
        leavesOut: [pin]
        examples:`,
  )
  const none = ymlOf(
    build({ ...files, [orders]: (files[orders] ?? '').replace('5/min', 'none').replace('2min', 'none') }),
  )
  t.match(none, /\n {8}limit: none\n {8}timeout: none\n/)
})

t.test('a fingerprint is nobody’s text: no edit of it stops a build, nor does a file without', async (t) => {
  const yml = ymlOf(before)
  const without = yml.replace(/^ +(answerF|f)ingerprint: .*\n/gm, '')
  t.strictSame([yml, without, yml.replace(/ingerprint: ..../g, 'ingerprint: 0000')].map(editedLine), [
    null,
    null,
    null,
  ])
  const line = yml.split('\n').findIndex((text) => text.startsWith('  - name: orders')) + 1
  t.equal(editedLine(yml.replace('ingerprint: ', 'ingerprint: I')), line, 'no fingerprint')
  const edited = without.replace('Sends an order.', 'Sends it.')
  t.equal(editedLine(edited), line)
  for (const older of ['version: 1', 'version: 2'])
    t.equal(editedLine(edited.replace('version: 3', older)), null, `${older} is of an older acmcp`)
})
