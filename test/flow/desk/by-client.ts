/** Calls through the typed client, in Node and in a page of Chromium. */
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { valueIn } from './by-hand.ts'
import type { Tokens } from './served.ts'
import { plain, type Wire } from './walked.ts'
import type { Called, Caller, Driver } from './yardsticks.ts'

export const inNode = (t: Test, { call }: Driver, baseUrl: string, tokens: Tokens): Wire =>
  wire(t, tokens, (caller) => call({ ...caller, baseUrl }))

/** In a page of the application itself, where `window.yardstick` is the driver. */
export const inPage = (t: Test, page: Page, tokens: Tokens): Wire =>
  wire(t, tokens, async (caller) => {
    const provided = await Promise.all(
      Object.entries(caller.provided).map(async ([name, value]) => [name, await sendable(value)] as const),
    )
    const sent = { ...caller, baseUrl: '', provided: Object.fromEntries(provided) }
    return page.evaluate((item) => Reflect.get(globalThis, 'yardstick').callFromTest(item), sent)
  })

/** Each answer is also compared, whole and with its types, to the JSON that came. */
const wire =
  (t: Test, tokens: Tokens, call: (caller: Caller) => Promise<Called>): Wire =>
  async ({ who, route, provided, take }) => {
    const { status, data, json } = await call({ baseUrl: '', token: tokens[who], route, provided, take })
    if (json !== null && plain(data) !== plain(valueIn(route, json)))
      t.strictSame(data, valueIn(route, json), `${route}: the data is the JSON that came`)
    return { status, data }
  }

/** No file comes into a page as it is: `callFromTest` makes one of this. */
async function sendable(value: unknown): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map(sendable))
  if (!(value instanceof Blob)) return value
  const base64 = Buffer.from(await value.arrayBuffer()).toString('base64')
  return { base64, type: value.type, fileName: value instanceof File ? value.name : null }
}
