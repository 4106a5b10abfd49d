/** An application whose tenants are clinics, by a header: a filter reads it, and so does what MCP clients reach in other ways. */
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import type { AppConfig } from '../../../runtime/capabilities/exports.ts'
import type { AppBundle } from '../../../runtime/contract/bundle.ts'
import { openTestApp, type TestApp, type TestAppOptions, type TestClient } from '../../../runtime/testing.ts'
import { builtFolder } from '../../support/linked.ts'

const config = `import { defineApp } from 'acmcp'

export const config = defineApp({
  mcp: { path: '/mcp', serverName: 'Clinics', forwardHeaders: ['X-Clinic'] },
})
`

const appointments = `import { ApplicationController, type Header, InputRequired, type Rendered } from 'acmcp'

/** Appointments of one clinic. */
export class Appointments extends ApplicationController {
  #clinic = ''

  /** @filter before */
  inClinic(clinic: Header<'X-Clinic'> = 'main', key?: Header<'X-API-Key'>): Rendered | undefined {
    this.#clinic = clinic
    return this.request.path.endsWith('/me') && key !== clinic + '-key' ? this.head(401) : undefined
  }

  /**
   * Lists the appointments.
   *
   * @get /
   */
  index(): { clinic: string } {
    this.response.set('Cache-Control', 'public, max-age=60')
    return { clinic: this.#clinic }
  }

  /**
   * Says whose key it is.
   *
   * @get /me
   * @mcp hide
   */
  me(): { clinic: string } { return { clinic: this.#clinic } }

  /**
   * The next one.
   *
   * @get /next
   * @mcp resource
   */
  next(): { clinic: string } {
    this.response.set('Cache-Control', 'public, max-age=60')
    return { clinic: this.#clinic }
  }

  /**
   * Asks for one.
   *
   * @mcp prompt
   */
  asking(): string { return 'Make an appointment at ' + this.#clinic }

  /**
   * Says everything that the call brought.
   *
   * @get /brought
   */
  brought(): { headers: Record<string, string> } {
    const { headers } = this.request
    return { headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])) }
  }

  /**
   * Asks its user first.
   *
   * @post /sure
   */
  sure(): string {
    const form = { message: 'Sure?', schema: { type: 'object', properties: { sure: { type: 'boolean' } } } }
    if (this.mcp?.accepted('sure', form) == null) throw new InputRequired({ sure: form }, this.#clinic)
    return String(this.mcp?.state) + ' at ' + this.#clinic
  }

  /**
   * Makes the plan of a day.
   *
   * @post /plan
   * @mcp task idempotent
   */
  plan(): Promise<string> { return Reflect.get(globalThis, 'work')({ name: this.#clinic, signal: this.request.signal }) }
}
`

export interface Clinics {
  readonly folder: string
  readonly bundle: AppBundle
}

export async function buildClinics(): Promise<Clinics> {
  const folder = await builtFolder({
    'package.json': '{"name":"clinics","version":"1.0.0","private":true,"type":"module"}',
    'app/config.ts': config,
    'app/controllers/appointments.ts': appointments,
  })
  return { folder, bundle: await loadBundle(folder) }
}

/** Opens it until the end of the test, with these settings of the endpoint beside its own. */
export async function openClinics(
  t: { teardown(clean: () => Promise<void>): void },
  { folder, bundle }: Clinics,
  {
    mcp = {},
    more = {},
    ...options
  }: { mcp?: AppConfig['mcp']; more?: AppConfig } & Omit<TestAppOptions, 'change' | 'cwd'> = {},
): Promise<TestApp> {
  const own = Object(bundle.config)
  const app = await openTestApp({
    ...options,
    cwd: folder,
    change: () => ({ ...bundle, config: { ...own, ...more, mcp: { ...own.mcp, ...mcp } } }),
  })
  t.teardown(app.close)
  return app
}

/** What a tool says, as the value that its text is. */
export async function reported(client: TestClient, name: string, args = {}): Promise<unknown> {
  const { content } = await client.tool(name, args)
  return JSON.parse(content[0]?.text ?? 'null')
}

/** The result of one message, or the status where it was refused. */
export async function requested(client: TestClient, method: string, params: object = {}): Promise<unknown> {
  const { statusCode, body } = await sent(client, { jsonrpc: '2.0', id: 1, method, params })
  return statusCode === 200 ? JSON.parse(body).result : statusCode
}

export const sent = (client: TestClient, payload: object): ReturnType<TestClient['request']> =>
  client.request({
    method: 'POST',
    url: '/mcp',
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': Array.isArray(payload) ? '2025-03-26' : '2025-11-25',
    },
    payload,
  })
