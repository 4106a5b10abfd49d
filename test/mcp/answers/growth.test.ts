/** What answers cost: in proportion to their bytes, however deep they are, also where they are cut. */
import t from 'tap'
import { growth } from '../../support/report/growth.ts'
import { call, catalogue, json, serve } from '../support/support.ts'

const [provided] = catalogue.tools.filter(({ name }) => name === 'files_answer')

/** Calls the tool and answers what it is given. */
function answering(answerChars: number, more: object = {}) {
  const inputSchema = { type: 'object', properties: {}, additionalProperties: false }
  if (provided === undefined) throw new Error('no such tool')
  const tools = [{ ...provided, inputSchema, arguments: [], ...more }]
  let value: unknown = null
  const app = serve({
    catalogue: { ...catalogue, tools },
    invoke: async () => json(200, value),
    answerChars,
  })
  return (answer: unknown) => {
    value = answer
    return call(app, 'modern', 'files_answer')
  }
}

const letters = (length: number): string => 'abcdefgh '.repeat(Math.ceil(length / 9)).slice(0, length)

t.setTimeout(240_000) // a busy machine

t.test('the cost of a cut answer grows as its bytes do, 32 levels deep and at random shapes', async (t) => {
  const deep = (bytes: number): object => {
    let value: object = { rows: [] }
    for (let level = 0; level < 32; level += 1) value = { rows: [value, { text: letters(bytes / 32) }] }
    return value
  }
  const wide = (bytes: number): object => {
    const rows = Array.from({ length: bytes / 64 }, (_, id) => ({ id, note: letters(40) }))
    return { rows, total: rows.length }
  }
  const members = (bytes: number): object =>
    Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`part${at}`, wide(bytes / 8)]))
  const map = (bytes: number): object =>
    Object.fromEntries(Array.from({ length: bytes / 64 }, (_, at) => [`k${at}`, { a: letters(40), b: [at] }]))
  const sizes = [262_144, 524_288, 1_048_576]
  const control = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
  const curves = [
    ['lists in lists', deep, 2_000],
    ['lists in lists', deep, 100_000],
    ['one list', wide, 100_000],
    ['eight lists', members, 2_000],
    ['a map', map, 100_000],
  ] as const
  for (const [shape, input, chars] of curves) {
    const name = `cut at ${chars} characters, ${shape}: bytes`
    await growth(t, { name, sizes, input, work: answering(chars), control })
  }
})

t.test('the cost of an answer in brief grows as its bytes do', async (t) => {
  const names = Array.from({ length: 30 }, (_, at) => `name${at}`)
  const brief = { names: names.slice(0, 15), more: names.slice(15), items: 'rows' }
  await growth(t, {
    name: 'a page in brief: items',
    sizes: [1_000, 2_000, 4_000],
    input: (length) => {
      const row = Object.fromEntries(names.map((name) => [name, letters(20)]))
      return { rows: Array.from({ length }, () => row) }
    },
    work: answering(10_000_000, { brief }),
    control: (value) => JSON.parse(JSON.stringify(value)),
  })
})
