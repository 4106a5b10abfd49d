/** What errors tell of a value: where it stands, what was expected and its kind; never a text, wherever it was read from. */
import t from 'tap'
import { openTestApp } from '../../../runtime/testing.ts'
import { built, folderOf } from '../../cli/support/built-app.ts'

t.setTimeout(240_000)

const root = folderOf(t, {
  'app/config.ts':
    "import { defineApp } from 'acmcp'\nexport const config = defineApp({ mcp: { path: '/mcp' } })\n",
  'app/controllers/signs.ts': `import { ApplicationController, type Body, type Int32 } from 'acmcp'

export interface Mail { mail: string }
export interface Phone { phone: number }
export interface Letter { street: string; town: string }
export interface Sign {
  /** @pattern ^[0-9]{4}$ */
  pin: string
  /** @maximum 9 */
  level: Int32
  isNew: boolean
  way: Mail | Phone | Letter
  ways?: (Mail | Letter)[]
  born?: Date
}

/** Signs. */
export class Signs extends ApplicationController {
  /**
   * Signs up.
   *
   * @post /
   * @param sign - who
   */
  create(sign: Body<Sign>): Sign { return sign }
  /**
   * Finds.
   *
   * @get /
   * @param pin - whose
   */
  find(/** @pattern ^[0-9]{4}$ */ pin: string, level: Int32 = 1, ids: Int32[] = [], way?: Mail | Phone): unknown {
    return [pin, level, ids, way]
  }
}
`,
})

const { status } = await built(root)
const app = await openTestApp({ cwd: root })
t.teardown(app.close)
const client = app.client()
const secret = 'hunter2-\u{1F600}'
const good = { pin: '1234', level: 1, isNew: true, way: { mail: 'a' } }

const messageOf = (answer: { json(): unknown }): string => Object(answer.json()).error
const told = async (change: object): Promise<string> =>
  messageOf(await client.json('/signs', { ...good, ...change }))
const of = (place: string): string => `invalid parameter value for '${place}' in the body 'sign'`

t.test('the application is built', async (t) => t.equal(status, 0))

const cases: readonly (readonly [change: object, message: string])[] = [
  [{ pin: secret }, `${of('pin')}: must match ^[0-9]{4}$, got text`],
  [{ pin: '' }, `${of('pin')}: must match ^[0-9]{4}$, got empty text`],
  [{ pin: 12345 }, `${of('pin')}: expected string, got 12345`],
  [{ pin: [secret] }, `${of('pin')}: expected string, got list`],
  [{ pin: { [secret]: secret } }, `${of('pin')}: expected string, got object`],
  [{ level: 10 }, `${of('level')}: must be at most 9, got 10`],
  [{ level: secret }, `${of('level')}: expected Int32, got text`],
  [{ level: '1234' }, `${of('level')}: expected Int32, got text`],
  [{ level: 1e300 }, `${of('level')}: expected Int32, got 1e+300`],
  [{ isNew: null }, `${of('isNew')}: expected boolean, got null`],
  [{ level: false }, `${of('level')}: expected Int32, got false`],
  [{ born: secret }, `${of('born')}: expected Date, got text`],
  [{ way: { fax: secret } }, `${of('way')}: expected Mail | Phone | Letter, got object`],
  [{ way: secret }, `${of('way')}: expected Mail | Phone | Letter, got text`],
  [{ ways: secret }, `${of('ways')}: expected (Mail | Letter)[], got text`],
  [{ ways: [{ mail: 'a' }, { mail: 1 }] }, `${of('ways.1.mail')}: expected string, got 1`],
]

for (const [change, message] of cases) {
  t.test(`${JSON.stringify(change)}: what came is told by its kind`, async (t) => {
    t.equal(await told(change), message)
    const { content, isError } = await client.tool('signs_create', { sign: { ...good, ...change } })
    t.strictSame([isError, content[0]?.text?.includes(JSON.stringify(message).slice(1, -1))], [true, true])
    t.equal(content[0]?.text?.includes(secret), false)
  })
}

t.test('all that is wrong is told, each with what was expected', async (t) => {
  t.equal(
    await told({ pin: undefined, level: 'x', isNew: 0, way: {} }),
    [
      "missing required parameter 'pin' in the body 'sign' (string)",
      `${of('level')}: expected Int32, got text`,
      `${of('isNew')}: expected boolean, got 0`,
      `${of('way')}: expected Mail | Phone | Letter, got object`,
    ].join('; '),
  )
})

t.test('in a query, too: a number only where one is wanted', async (t) => {
  const find = async (query: string): Promise<string> => messageOf(await client.get(`/signs?${query}`))
  t.equal(await find('pin=12345'), "invalid parameter value for 'pin': must match ^[0-9]{4}$, got text")
  const big = '99999999999'
  t.equal(
    await find(`pin=1234&level=${big}&ids=1,x&way=[]`),
    [
      `invalid parameter value for 'level': expected Int32, got ${big}`,
      "invalid parameter value for 'ids.1': expected Int32, got text",
      "invalid parameter value for 'way': expected Mail | Phone, got list",
    ].join('; '),
  )
  t.equal(
    await find(`pin=1234&level=${'9'.repeat(500)}&ids=1&ids=2.5`),
    [
      "invalid parameter value for 'level': expected Int32, got text",
      "invalid parameter value for 'ids.1': expected Int32, got 2.5",
    ].join('; '),
  )
})

t.test('a form is judged by its fields', async (t) => {
  const answer = await client.submit('/signs', { pin: secret, level: '12', isNew: 'x', way: secret })
  t.equal(
    messageOf(answer),
    [
      `${of('pin')}: must match ^[0-9]{4}$, got text (string)`,
      `${of('level')}: must be at most 9, got 12 (Int32)`,
      `${of('isNew')}: expected boolean, got text`,
      `${of('way')}: expected Mail | Phone | Letter, got text`,
    ].join('; '),
  )
})

t.test('the place is bounded, and no half of a character is left', async (t) => {
  const bag = { pin: '1234', level: 1, isNew: true, way: { mail: 'a' } }
  const answer = await client.json('/signs', { ...bag, level: { [`${'\u{1F600}'.repeat(2000)}`]: 1 } })
  t.equal(messageOf(answer), `${of('level')}: expected Int32, got object`)
  t.equal((answer.body as string & { isWellFormed(): boolean }).isWellFormed(), true)
})
