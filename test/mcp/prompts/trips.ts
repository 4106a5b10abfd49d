/** An application with prompts, resources and completions, scopes over some of them, and a way to ask it in both eras. */
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import type { AppBundle } from '../../../runtime/contract/bundle.ts'
import type { TestClient } from '../../../runtime/testing.ts'
import { builtFolder } from '../../support/linked.ts'
import { type Era, message } from '../support/support.ts'

const config = `import { defineApp } from 'acmcp'

export const config = defineApp({
  mcp: { path: '/mcp', serverName: 'Trips' },
  scopes: { 'trips:read': 'See your trips', 'trips:plan': 'Plan trips' },
})
`

const trips = `import { ApplicationController, Forbidden, type Header, InputRequired, type Int32, NotFound, type PromptMessage, Unauthorized } from 'acmcp'

/**
 * Journeys and where they go.
 *
 * @base /trips
 * @scope trips:read
 */
export class Trips extends ApplicationController {
  #key = 'none'

  /** @filter before only=plan,show,cities */
  notBanned(key?: Header<'X-API-Key'>): void {
    if (key === 'banned') throw new Forbidden('you are banned')
    this.#key = key ?? 'none'
  }

  /** @exception {Forbidden} 403 */
  forbidden(error: Forbidden): { reason: string } { return { reason: error.message } }

  /**
   * Plans a journey.
   *
   * @mcp prompt
   * @mcp title="Plan a journey"
   * @scope trips:plan
   * @param city - where to
   * @param days - how long
   * @param style - how to travel
   */
  async plan(city: string, days: Int32 = 3, style: 'slow' | 'fast' | 'sleepless' = 'slow'): Promise<PromptMessage[]> {
    const user = this.access?.user.id ?? 'nobody'
    return [
      { role: 'user', content: { type: 'text', text: \`\${days} \${style} days in \${city} for \${user} with \${this.#key}\` } },
      { role: 'assistant', content: { type: 'image', data: new Uint8Array([1, 2]), mimeType: 'image/png' } },
    ]
  }

  /**
   * Cities that begin so.
   *
   * @complete city of=plan
   * @scope trips:plan
   */
  cities(city: string, style?: 'slow' | 'fast' | 'sleepless'): string[] {
    return ['Basel', 'Bern', 'Biel'].filter((one) => one.startsWith(city)).map((one) => \`\${one}\${style ?? ''}\`)
  }

  /**
   * Asks what to pack, over HTTP too.
   *
   * @post /packing
   * @scope trips:read
   * @mcp prompt hide
   * @param days - how long
   */
  packing(days: Int32): string { return \`What do I need for \${days} days?\` }

  /**
   * Asks its user first.
   *
   * @mcp prompt
   */
  asking(): string {
    const answer = this.mcp?.answerTo('where') ?? null
    if (answer === null) throw new InputRequired({ where: { message: 'Where to?', schema: { type: 'object', properties: {} } } }, 'kept')
    return \`\${JSON.stringify(answer)} \${this.mcp?.state}\`
  }

  /**
   * Returns what is no message.
   *
   * @mcp prompt
   */
  broken(): PromptMessage[] { return JSON.parse('[{"role":"system"}]') }

  /**
   * Reads a journey.
   *
   * @get /:id
   * @mcp resource uri=trips://{id}
   * @param id - which one
   */
  show(id: Int32): { id: number } {
    if (id === 0) throw new NotFound('no such journey')
    if (id === 401) throw new Unauthorized('sign in again')
    return { id }
  }

  /**
   * A picture of a journey.
   *
   * @get /:id/photo
   * @mcp resource
   * @mcp hide
   * @produces image/png
   */
  photo(id: Int32): Blob {
    this.response.set('Cache-Control', 'public, max-age=60')
    this.response.set('ETag', '"p1"')
    return new Blob([new Uint8Array([id])])
  }

  /**
   * A file of a journey.
   *
   * @get /:id/files/*:path
   * @mcp resource uri=trips://{id}/files/{+path}{?lines,upper}
   * @produces text/plain
   */
  attachment(id: Int32, path: string, lines: Int32 = 1, upper = false): string {
    return \`\${id} \${path} \${lines} \${upper}\`
  }

  /**
   * Says who asks.
   *
   * @get /me
   * @scope none
   */
  me(): { id: string } {
    if (this.access === null) throw new Unauthorized('sign in')
    return { id: this.access.user.id }
  }

  /**
   * Where one may go.
   *
   * @get /places
   * @scope none
   * @mcp resource uri=trips://places
   */
  places(): string[] { return ['Bern'] }
}
`

const files: Readonly<Record<string, string>> = {
  'package.json': '{"name":"trips","version":"1.0.0","private":true,"type":"module"}',
  'app/config.ts': config,
  'app/controllers/trips.ts': trips,
}

/** Builds it in a folder of its own, as a user would. */
export async function buildTrips(): Promise<AppBundle> {
  return loadBundle(await builtFolder(files))
}

export interface Requested {
  readonly era: Era
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
}

/** The HTTP status, and the result without what the modern era adds to each, or the error. */
export interface Reported {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  readonly said: any
}

/** Asks the endpoint. */
export async function ask(
  client: TestClient,
  { era, method, params = {}, headers = {} }: Requested,
): Promise<Reported> {
  const sent = message(era, method, params)
  const named: Record<string, string> =
    era === 'modern' && method === 'resources/read' ? { 'mcp-name': String(params.uri) } : {}
  const typed = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
  const answer = await client.request({
    method: 'POST',
    url: '/mcp',
    headers: { ...typed, ...sent.headers, ...named, ...headers } as Readonly<Record<string, string>>, // texts alone
    payload: JSON.stringify(sent.message),
  })
  const data = /^data: (.*)$/m.exec(answer.body)?.[1] ?? answer.body
  const { result, error } = JSON.parse(data)
  if (result === undefined) return { status: answer.statusCode, said: error }
  const { resultType: _type, _meta, ...said } = result
  return { status: answer.statusCode, said }
}
