/** What ends an approval, or makes of a call another one: a deploy, a secret, the clock, a revoked grant, one character. */
// Source: decisions/http.md, Approval.

import t, { type Test } from 'tap'
import { approvalVerbs } from '../../runtime/capabilities/approval/verbs.ts'
import { temporaryFolder } from '../flow/support.ts'
import { deskOf } from './desk-of.ts'
import { ada, type ChangeOrders, type Opened, type OpenOptions, openOrders } from './orders.ts'

t.setTimeout(240_000) // a busy machine

async function open(t: Test, options: OpenOptions = {}): Promise<Opened> {
  const opened = await openOrders(options)
  t.teardown(() => opened.app.close())
  return opened
}

/** Over HTTP, with the token of an application that was there before. */
const remove = async ({ app }: Opened, token: string, url = '/orders/5?amount=300') => {
  const { statusCode } = await app.client().withBearer(token).request({ method: 'DELETE', url })
  return statusCode
}

const asTool = async ({ app }: Opened, token: string, at: number): Promise<string> => {
  const { isError, content } = await app
    .client()
    .withBearer(token)
    .tool(`orders_remove${at}`, { id: '5', amount: 300 })
  return isError === true ? (content[0]?.text ?? '') : 'ran'
}

/** What a deploy changes of a route that deletes an order. */
const deploys: Readonly<Record<string, readonly [from: string, to: string]>> = {
  'the sentence': ['Delete order {id} and refund', 'Delete order {id} for good and refund'],
  'its placeholders': ['Delete order {id} and refund {amount}', 'Delete order {id}'],
  'the text of the tool': ['Deletes an order.', 'Deletes an order for good.'],
  'the text of a parameter': ['in cents', 'in euros'],
  'the type of a parameter': ['amount: number', 'amount: 300 | 301'],
  'a further parameter': ['amount: number', 'amount: number, note = ""'],
  'what the tool answers': ['{ removed: string } {', '{ removed: string; by?: string } {'],
  'nothing that is told': ['{ removed: id }', '{ removed: String(id) }'],
}

/** A route for each of them, before the deploy and after it. */
const withDeploys =
  (isDeployed: boolean): ChangeOrders =>
  (source) => {
    const methods = Object.values(deploys).map(([from, to], at) => {
      const method = removing(at)
      if (!method.includes(from)) throw new Error(`nothing says ${from}`)
      return isDeployed ? method.replace(from, to) : method
    })
    return source.replace(/}\n$/, `${methods.join('')}}\n`)
  }

const removing = (at: number): string => `
  /**
   * Deletes an order.
   *
   * @delete /:id/${at}
   * @approval Delete order {id} and refund {amount}
   * @param id - which one
   * @param amount - in cents
   */
  remove${at}(id: string, amount: number): { removed: string } { return { removed: id } }
`

t.test(
  'a deploy makes another call of what was approved when it changes what is told, the same one else; a page that was open approves what it showed',
  async (t) => {
    const databaseUrl = `sqlite:${temporaryFolder()}/orders.db`
    const before = await openOrders({ databaseUrl, change: withDeploys(false) })
    const { clock, token } = before
    /** Over HTTP, by what is changed. */
    const all = async (opened: Opened): Promise<Readonly<Record<string, number>>> => {
      const statuses: Record<string, number> = {}
      for (const [at, what] of Object.keys(deploys).entries())
        statuses[what] = await remove(opened, token, `/orders/5/${at}?amount=300`)
      return statuses
    }
    const each = (status: number, unchanged: number): Readonly<Record<string, number>> => ({
      ...Object.fromEntries(Object.keys(deploys).map((what) => [what, status])),
      'nothing that is told': unchanged,
    })
    t.strictSame(await all(before), each(428, 428))
    t.equal(await before.decide('approved'), 8)
    const shown = '/orders/6/2?amount=300'
    t.equal(await remove(before, token, shown), 428)
    await before.app.close()
    const after = await open(t, { databaseUrl, clock, change: withDeploys(true) })
    t.equal(await after.decide('approved'), 1, 'the page that was open')
    t.equal(await remove(after, token, shown), 428, 'is not of the new call')
    const asTools: Record<string, string> = {}
    for (const [at, what] of Object.keys(deploys).entries()) asTools[what] = await asTool(after, token, at)
    const { 'nothing that is told': same, ...others } = asTools
    t.equal(same, 'ran')
    t.match(Object.values(others), Array(7).fill(/needs the approval/))
    t.strictSame(await all(after), each(428, 409))
    t.equal(await after.decide('approved'), 8)
    t.strictSame(await all(after), each(200, 409))
  },
)

t.test('a new first secret: what was approved is another call, and can still be read', async (t) => {
  const databaseUrl = `sqlite:${temporaryFolder()}/orders.db`
  const [old, next] = ['o'.repeat(64), 'n'.repeat(64)]
  const before = await openOrders({ databaseUrl, environment: { sessionSecrets: [old] } })
  const { clock, token } = before
  t.equal(await remove(before, token), 428)
  t.equal(await remove(before, token, '/orders/6?amount=300'), 428)
  await before.decide('approved')
  t.equal(await remove(before, token, '/orders/7?amount=300'), 428)
  await before.app.close()
  const both = await openOrders({ databaseUrl, clock, environment: { sessionSecrets: [next, old] } })
  const waiting = await deskOf(both.app.application)?.pending(ada.id)
  t.strictSame(
    waiting?.map(({ sentence }) => sentence),
    ['Delete order 7 and refund 300'],
  )
  t.equal(await remove(both, token), 428)
  await both.app.close()
  const back = await open(t, { databaseUrl, clock, environment: { sessionSecrets: [old] } })
  t.equal(await remove(back, token, '/orders/6?amount=300'), 200, 'and that secret once more')
})

const hour = 3_600_000

t.test('the clock jumps back: what was approved runs once all the same', async (t) => {
  const opened = await open(t)
  const { clock, token } = opened
  t.equal(await remove(opened, token), 428)
  clock.now -= hour
  t.equal(await remove(opened, token), 428)
  t.equal(
    (await opened.app.application.store.verbs(approvalVerbs).listApprovals({}, 10)).length,
    1,
    'the same row',
  )
  await opened.decide('approved')
  clock.now -= hour
  t.equal(await remove(opened, token), 200)
  clock.now -= hour
  t.equal(await remove(opened, token), 409)
  clock.now += 3 * hour
  t.equal(await remove(opened, token), 428)
  t.strictSame(await opened.ran(), ['remove 5 300'])
})

t.test(
  'the clock jumps ahead: what waits has ended, and what was approved; jumping back revives neither',
  async (t) => {
    const opened = await open(t)
    const { clock, app } = opened
    const first = await remove(opened, opened.token)
    clock.now += hour
    const token = await app.accessToken(ada)
    t.equal(await opened.decide('approved'), 0)
    const second = await remove(opened, token)
    t.equal(await opened.decide('approved'), 1)
    clock.now += 300_000
    const third = await remove(opened, token)
    clock.now -= 300_000
    const fourth = await remove(opened, token)
    t.strictSame([first, second, third, fourth], [428, 428, 428, 428])
    t.strictSame(await opened.ran(), [])
  },
)

t.test('a denial outlives a clock that jumps back', async (t) => {
  const opened = await open(t)
  const { clock, token } = opened
  await remove(opened, token)
  await opened.decide('denied')
  clock.now -= hour
  t.equal(await remove(opened, token), 403)
})

t.test('a revoked grant: what was approved and what waits have ended with it', async (t) => {
  const opened = await open(t)
  const { app, clock } = opened
  const token = async (): Promise<string> => (await app.application.developmentToken(ada.id)).accessToken
  const first = await token()
  t.equal(await remove(opened, first), 428)
  await opened.decide('approved')
  t.equal(await remove(opened, first, '/orders/6?amount=300'), 428)
  const [waiting] = (await deskOf(app.application)?.pending(ada.id)) ?? []
  const browser = app.client()
  await browser.signIn(ada)
  const page = `/auth/approvals/${waiting?.row.id}`
  t.equal((await browser.get(page)).statusCode, 200)
  await browser.submit('/auth/connections', { client_id: String(waiting?.row.client) })
  t.equal((await browser.get(page)).statusCode, 404)
  t.equal(await opened.decide('approved'), 0)
  t.equal(await remove(opened, first), 403, 'there is nobody behind it any more')
  clock.now += 1000
  t.equal(await remove(opened, await token()), 428, 'the same client and user, another grant')
  t.strictSame(await opened.ran(), [])
})

/** Each differs from it by one character, at every place that is not of its form. */
const variants = (text: string): readonly string[] =>
  [...text].flatMap((character, at) => {
    if (!/[a-z0-9]/i.test(character)) return []
    const other = /[0-9]/.test(character)
      ? String((Number(character) + 1) % 10)
      : character === 'a'
        ? 'b'
        : 'a'
    return [text.slice(0, at) + other + text.slice(at + 1)]
  })

t.test('one changed character is another call, wherever it stands', async (t) => {
  const opened = await open(t)
  const { app, token } = opened
  interface Sent {
    readonly id: string
    readonly pin: string
    readonly reason: string
    readonly amount: string
    readonly note: string
    readonly language: string
    readonly tenant: string
  }
  const sent: Sent = {
    ...{ id: 'o-7b', pin: '0815', reason: 'late', amount: '120', note: 'x1' },
    ...{ language: 'de', tenant: 'north' },
  }
  const send = async ({ id, pin, reason, amount, note, language, tenant }: Sent): Promise<number> => {
    const { statusCode } = await app
      .client()
      .withBearer(token)
      .request({
        method: 'POST',
        url: `/orders/${id}/refund`,
        headers: { 'content-type': 'application/json', 'x-language': language, 'x-tenant': tenant },
        payload: `{"amount":${amount},"reason":"${reason}","pin":"${pin}","undeclared":"${note}"}`,
      })
    return statusCode
  }
  t.equal(await send(sent), 428)
  await opened.decide('approved')
  const others = Object.entries(sent).flatMap(([name, text]) =>
    variants(text).map((other) => ({ ...sent, [name]: other })),
  )
  const asked: number[] = []
  for (const other of others) {
    asked.push(await send(other))
    await opened.decide('approved') // ten may wait
  }
  t.strictSame(
    asked,
    others.map(() => 428),
    `${others.length} calls`,
  )
  t.strictSame(await opened.ran(), [])
  t.equal(await send(sent), 200)
  t.strictSame(await opened.ran(), ['refund o-7b 120'])
})

t.test('the same values in another spelling are the same call', async (t) => {
  const opened = await open(t)
  const { app, token } = opened
  const spellings = [
    ['/orders/5/refund', '{"amount":120,"reason":"late"}'],
    ['/orders/%35/refund', '{ "reason": "l\\u0061te", "amount": 120 }'],
    ['/orders/5/refund?', '{"amount":1.2e2,"reason":"late"}'],
  ] as const
  const statuses: number[] = []
  for (const [url, payload] of spellings) {
    const headers = { 'content-type': 'application/json' }
    const answer = await app.client().withBearer(token).request({ method: 'POST', url, headers, payload })
    statuses.push(answer.statusCode)
    await opened.decide('approved')
  }
  t.strictSame(statuses, [428, 200, 409])
})
