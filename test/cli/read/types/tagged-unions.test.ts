/** What is wrong inside a union that a tag tells apart is told by its own path, and missing is told from wrong.
 *  Source: language.md, Parameters. */
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { ParamError } from '../../../../runtime/errors.ts'
import { built, folderOf } from '../../support/built-app.ts'

t.setTimeout(120_000)

const root = folderOf(t, {
  'app/controllers/pets.ts': `import { type Body, Controller } from 'acmcp'
export interface Cat { kind: 'cat'; lives: number; toys: { name: string }[] }
export interface Dog { kind: 'dog'; name: string }
export interface Bird { kind: 'bird' | 'hen'; wings: number }
export interface Fish { kind: Water; name: string }
export enum Water { Fresh = 'fresh', Salt = 'salt' }
export interface Card { card: string; code: string }
export interface Iban { iban: string }
export type Versioned = { v: 1; a: string } | { v: 2; b: string }
/** Pets. */
export class Pets extends Controller {
  /**
   * Adds.
   *
   * @post /
   */
  add(pet: Body<Cat | Dog>): void { void pet }

  /**
   * Changes.
   *
   * @put /
   */
  change(thing: Body<Versioned | null>): void { void thing }

  /**
   * Finds those alike.
   *
   * @get /
   */
  find(pet: Cat | Dog): void { void pet }

  /**
   * Feeds.
   *
   * @patch /
   */
  feed(pet: Body<Bird | Fish>): void { void pet }

  /**
   * Pays.
   *
   * @get /pay
   */
  pay(by: Card | Iban): void { void by }
}
`,
})
const { status } = await built(root)
const { codecs } = await import(pathToFileURL(`${root}/.acmcp/app.mjs`).href)

function messageOf(id: string, value: unknown): unknown {
  try {
    return codecs[id].params[0].codec.fromJson(value, 'pet')
  } catch (error) {
    return error instanceof Error ? error.message : error
  }
}

function read(id: string, value: unknown): unknown {
  try {
    return codecs[id].params[0].codec.fromJson(value, '')
  } catch (error) {
    if (!(error instanceof ParamError)) throw error
    return `${error.constructor.name} ${error.parameter}: ${error.restriction}`
  }
}

t.test('the application is built', async (t) => t.equal(status, 0))

t.test('the tag decides which member is read, and the member says what is wrong', async (t) => {
  const cat = { kind: 'cat', lives: 9, toys: [] }
  t.strictSame(
    [
      cat,
      { ...cat, lives: 'x' },
      { ...cat, toys: [{ name: 'a' }, {}] },
      { kind: 'dog' },
      { kind: 'dog', name: 1 },
    ].map((value) => read('pets_add', value)),
    [
      cat,
      'ValueError lives: Float64',
      'MissingError toys.1.name: string',
      'MissingError name: string',
      'ValueError name: string',
    ],
  )
})

t.test('without a known tag the whole is wrong', async (t) => {
  t.strictSame(
    [{ kind: 'bird' }, {}, 'x'].map((value) => read('pets_add', value)),
    ['ValueError : Cat | Dog', 'ValueError : Cat | Dog', 'ValueError : Cat | Dog'],
  )
})

t.test('a member may have several tags', async (t) => {
  const hen = { kind: 'hen', wings: 2 }
  t.strictSame(
    [hen, { kind: 'salt', name: 'Eel' }, { kind: 'bird' }, { kind: 'fresh', name: 1 }].map((value) =>
      read('pets_feed', value),
    ),
    [hen, { kind: 'salt', name: 'Eel' }, 'MissingError wings: Float64', 'ValueError name: string'],
  )
  t.equal(
    messageOf('pets_feed', { kind: 'cat' }),
    `invalid parameter value for 'pet': kind must be one of "bird", "hen", "fresh", "salt", got object`,
  )
})

t.test('JSON in a text is told as JSON is', async (t) => {
  const message = (text: string): unknown => {
    try {
      return codecs.pets_pay.params[0].codec.fromText([text], 'by')
    } catch (error) {
      return error instanceof Error ? error.message : error
    }
  }
  t.strictSame(['{"card":"x"}', '{"iban":1}', '{}', 'card'].map(message), [
    "missing required parameter 'by.code'",
    "invalid parameter value for 'by.iban': expected string, got 1",
    "invalid parameter value for 'by': expected Card | Iban, got object",
    "invalid parameter value for 'by': expected Card | Iban, got text",
  ])
})

t.test('numbers are tags too', async (t) => {
  t.strictSame(
    [{ v: 2, b: 'x' }, null, { v: 2, a: 'x' }, { v: '2', b: 'x' }].map((value) => read('pets_change', value)),
    [{ v: 2, b: 'x' }, null, 'MissingError b: string', 'ValueError : object'],
  )
})

t.test('the message of a union names the tag and its values', async (t) => {
  t.strictSame(
    [{ kind: 'bird' }, {}, 'x'].map((value) => messageOf('pets_add', value)),
    ['object', 'object', 'text'].map(
      (came) => `invalid parameter value for 'pet': kind must be one of "cat", "dog", got ${came}`,
    ),
  )
  t.equal(
    messageOf('pets_change', { v: 3 }),
    "invalid parameter value for 'pet': v must be one of 1, 2, got object",
  )
})

const sent = (name: 'fromText' | 'fromFields', id: string, provided: unknown): unknown => {
  try {
    return codecs[id].params[0].codec[name](provided, 'pet')
  } catch (error) {
    return error instanceof Error ? error.message : error
  }
}

t.test('so it is in a query and in a form', async (t) => {
  const unknown = (came: string): string =>
    `invalid parameter value for 'pet': kind must be one of "cat", "dog", got ${came}`
  const lives = "invalid parameter value for 'pet.lives': expected Float64, got text"
  t.strictSame(
    ['{"kind":"dog","name":"Rex"}', '{"kind":"bird"}', '{}', 'x', '{"kind":"cat","lives":"x","toys":[]}'].map(
      (text) => sent('fromText', 'pets_find', [text]),
    ),
    [{ kind: 'dog', name: 'Rex' }, unknown('object'), unknown('object'), unknown('text'), lives],
  )
  t.strictSame(
    ['kind=dog&name=Rex', 'kind=bird', '', 'kind=cat&lives=x&toys='].map((form) =>
      sent('fromFields', 'pets_add', new URLSearchParams(form)),
    ),
    [{ kind: 'dog', name: 'Rex' }, unknown('a form'), unknown('a form'), lives],
  )
  t.strictSame(
    ['v=2&b=x', 'v=2&a=x', 'v=3'].map((form) => sent('fromFields', 'pets_change', new URLSearchParams(form))),
    [
      { v: 2, b: 'x' },
      "missing required parameter 'pet.b'",
      "invalid parameter value for 'pet': v must be one of 1, 2, got a form",
    ],
  )
})

t.test('all invalid properties are told, the first as before', async (t) => {
  const wrong = { kind: 'cat', lives: 'x', toys: [{ name: 'a' }, {}, { name: 1 }] }
  t.equal(read('pets_add', wrong), 'ValueError lives: Float64')
  t.equal(
    messageOf('pets_add', wrong),
    "invalid parameter value for 'pet.lives': expected Float64, got text; " +
      "missing required parameter 'pet.toys.1.name' (string); " +
      "invalid parameter value for 'pet.toys.2.name': expected string, got 1",
  )
  const many = { kind: 'cat', lives: 1, toys: Array(100_000).fill({}) }
  t.equal(read('pets_add', many), 'MissingError toys.0.name: string')
  t.equal(String(messageOf('pets_add', many)).split('; ').length, 10, 'at most ten')
})
