/** What is wrong inside a union that a tag tells apart is told by its own path, and missing is told from wrong.
 *  Source: annotations.md, Parameters; issue 3, Deliver 6. */
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { built, folderOf } from './built-app.ts'

t.setTimeout(120_000)

const root = folderOf(t, {
  'app/controllers/pets.ts': `import { type Body, Controller } from 'acmcp'
export interface Cat { kind: 'cat'; lives: number; toys: { name: string }[] }
export interface Dog { kind: 'dog'; name: string }
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
}
`,
})
const { status } = await built(root)
const { codecs } = await import(pathToFileURL(`${root}/.acmcp/app.mjs`).href)

function read(id: string, value: unknown): unknown {
  try {
    return codecs[id].params[0].codec.fromJson(value, '')
  } catch (error) {
    const { parameter, restriction } = error as { parameter: string; restriction: string } // what decoders throw
    return `${Object(error).constructor.name} ${parameter}: ${restriction}`
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
    ['ValueError : object | object', 'ValueError : object | object', 'ValueError : object | object'],
  )
})

t.test('numbers are tags too', async (t) => {
  t.strictSame(
    [{ v: 2, b: 'x' }, null, { v: 2, a: 'x' }, { v: '2', b: 'x' }].map((value) => read('pets_change', value)),
    [{ v: 2, b: 'x' }, null, 'MissingError b: string', 'ValueError : object | object'],
  )
})
