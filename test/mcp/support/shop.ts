/** A stranger's application: people sign in for some of its tools, others are for everybody, one destroys, one fails. */
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import type { AppBundle } from '../../../runtime/contract/bundle.ts'
import { openTestApp, type TestApp } from '../../../runtime/testing.ts'
import { builtFolder } from '../../support/linked.ts'
import { type Era, message } from './support.ts'

const items = `import { Controller, Forbidden, type Header, InputRequired, type Rendered, Unauthorized } from 'acmcp'

/**
 * Things for sale.
 *
 * @base /items
 */
export class Items extends Controller {
  #user: string | null = null

  /** @filter around */
  async timed(next: () => Promise<void>): Promise<void> {
    await next()
  }

  /** @filter before */
  async signIn(authorization?: Header<'Authorization', string>): Promise<void> {
    const token = authorization?.startsWith('Bearer ') ? authorization.slice(7) : null
    this.#user = token === null ? null : ((await this.services.userOfAccessToken(token))?.id ?? null)
    if (this.#user === null) throw new Unauthorized()
    if (this.request.headers['x-api-key'] === 'banned') throw new Forbidden('banned')
  }

  /** @exception {Unauthorized} 401 */
  unauthorized(error: Unauthorized): { error: string } { return { error: error.message } }

  /** @exception {Forbidden} 403 */
  forbidden(error: Forbidden): { error: string } { return { error: error.message } }

  /**
   * Lists the items in a state.
   *
   * @get /
   */
  index(status?: 'open' | 'sold'): { status: string } { return { status: status ?? 'any' } }

  /**
   * Shows one item.
   *
   * @get /:id
   */
  show(id: string): { id: string } { return { id } }

  /**
   * Adds an item.
   *
   * @post /
   */
  create(title: string, price?: number): { title: string; price: number } { return { title, price: price ?? 0 } }

  /**
   * Removes an item for good.
   *
   * @delete /:id
   */
  delete(id: string): { deleted: string } { return { deleted: id } }
}

/**
 * What everybody may ask.
 *
 * @base /open
 */
export class Open extends Controller {
  /**
   * Says what it was told.
   *
   * @get /echo
   */
  echo(word?: string, words_total?: number): { word: string; total: number } { return { word: word ?? '', total: words_total ?? 0 } }

  /**
   * Selects something.
   *
   * @get /select
   */
  select(): { selected: boolean } { return { selected: true } }

  /**
   * Fails.
   *
   * @post /crash
   */
  crash(): { never: string } {
    throw new TypeError('the shelf <b>broke</b> at ?code=SECRET', { cause: new Error('too many books') })
  }

  /**
   * Answers with a page that says that it failed.
   *
   * @post /page
   */
  page(): Rendered { return this.render({ status: 502, html: '<html><body>bad gateway</body></html>' }) }

  /**
   * Asks its user.
   *
   * @post /ask
   */
  ask(): { ok: boolean } {
    throw new InputRequired({ name: { message: 'Who?', schema: { type: 'object', properties: {} } } })
  }
}
`

const files: Readonly<Record<string, string>> = {
  'package.json': '{"name":"shop","version":"4.5.6","private":true,"type":"module"}',
  'app/config.ts': `import { defineApp } from 'acmcp'\nexport const config = defineApp({ mcp: { path: '/mcp', serverName: 'Shop' } })\n`,
  'app/controllers/items.ts': items,
}

/** Builds the shop in a folder of its own, as a user would. */
export async function buildShop(): Promise<AppBundle> {
  return loadBundle(await builtFolder(files))
}

export interface Shop {
  readonly app: TestApp
  /** The token of its development user. */
  readonly token: string
  /** Lines of the log with that message. */
  readonly lines: (msg: string) => readonly Readonly<Record<string, unknown>>[]
  readonly text: () => string
}

export interface ShopOptions {
  readonly config?: object
  readonly production?: boolean
  readonly logLevel?: string
  readonly clock?: () => number
}

/** Opens the shop until the end of the test. */
export async function openShop(
  t: { teardown(clean: () => Promise<void>): void },
  bundle: AppBundle,
  { config = {}, production = false, logLevel = 'info', clock = Date.now }: ShopOptions = {},
): Promise<Shop> {
  const written: string[] = []
  const app = await openTestApp({
    environment: { production, logLevel },
    clock,
    change: () => ({ ...bundle, config: { ...(bundle.config as object), ...config } }), // a plain object
    logStream: { write: (line) => written.push(line) },
  })
  t.teardown(app.close)
  const lines = (msg: string) => written.map((line) => JSON.parse(line)).filter((line) => line.msg === msg)
  return { app, token: await app.accessToken(), lines, text: () => written.join('') }
}

export interface Called {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  readonly answer: any
}

export interface CallOptions {
  readonly era?: Era
  readonly headers?: Readonly<Record<string, string>>
  readonly url?: string
}

/** Calls a tool as a client of the era does; without an account unless `headers` say otherwise. */
export async function callTool(
  { app }: Pick<Shop, 'app'>,
  name: string,
  args: object = {},
  { era = 'modern', headers = {}, url = '/mcp' }: CallOptions = {},
): Promise<Called> {
  const sent = message(era, 'tools/call', { name, arguments: args })
  const response = await app.client().request({
    method: 'POST',
    url,
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...sent.headers,
      ...headers,
    },
    payload: JSON.stringify(sent.message),
  })
  const { statusCode: status, body } = response
  return { status, headers: response.headers, answer: JSON.parse(/^data: (.*)$/m.exec(body)?.[1] ?? body) }
}

/** The text of a tool call that failed. */
export function failureOf({ status, answer }: Called): string {
  const { isError, content } = answer.result
  if (status !== 200 || isError !== true || content.length !== 1) throw new Error(JSON.stringify(answer))
  return content[0].text
}
