/** An application that is deployed again with more under its scopes, on one database, and a client that somebody has connected to it. */
import type { Test } from 'tap'
import type { AppConfig } from '../../../runtime/capabilities/exports.ts'
import { openTestApp, type TestApp, type TestClient } from '../../../runtime/testing.ts'
import { builtFolder } from '../../support/linked.ts'
import { type ConsentForm, readConsent } from '../support/consent-form.ts'
import {
  authorizationRequest,
  authorizeUrl,
  redirectUri,
  registerClient,
  verifier,
} from '../support/scene.ts'

const config = `import { defineApp } from 'acmcp'

export const config = defineApp({
  mcp: {
    path: '/mcp',
    authProbe: '/open',
    resourceMetadata: (_request, { baseUrl }) => ({ authorizationServers: [baseUrl], scopesSupported: ['api'] }),
  },
  limits: { registerPerHour: false, authorizePerHour: false, tokenPerHour: false },
  scopes: { 'notes:read': 'See your notes', 'notes:write': 'Change your notes' },
})
`

/** A class with what each version has, and what only this one has. */
const notes = (own: string): string => `import { ApplicationController } from 'acmcp'

/** Notes. */
export class Notes extends ApplicationController {
  /**
   * Lists notes.
   *
   * @get /
   * @scope notes:read
   */
  index(): string[] { return ['one'] }

  /**
   * Looks for notes.
   *
   * @post /search
   * @scope notes:read
   * @mcp readOnly
   */
  search(): string[] { return [] }

  /**
   * Marks the notes as seen.
   *
   * @get /seen
   * @scope notes:read
   * @mcp readOnly=false
   */
  seen(): { seen: number } { return { seen: 1 } }
${own}}
`

const first = notes(`
  /**
   * Adds a note.
   *
   * @post /
   * @scope notes:write
   */
  create(): { added: number } { return { added: 1 } }

  /**
   * Archives a note.
   *
   * @post /archive
   * @scope notes:read
   */
  archive(): { archived: number } { return { archived: 1 } }
`)

/** `create` has another name, `archive` asks for more, `remove` and `hidden` are new, and `count` looks only. */
const second = notes(`
  /**
   * Adds a note.
   *
   * @post /
   * @scope notes:write
   */
  add(): { added: number } { return { added: 1 } }

  /**
   * Archives a note.
   *
   * @post /archive
   * @scope notes:read notes:write
   */
  archive(): { archived: number } { return { archived: 1 } }

  /**
   * Deletes <all> notes.
   *
   * @delete /
   * @scope notes:write
   */
  remove(): { removed: number } { return { removed: 1 } }

  /**
   * @put /hidden
   * @scope notes:write
   * @mcp hide
   */
  hidden(): { hidden: number } { return { hidden: 1 } }

  /**
   * Counts notes.
   *
   * @get /count
   * @scope notes:write
   */
  count(): { count: number } { return { count: 1 } }
`)

/** Asks nobody for a scope, and has no handlers. */
const open = `import { Controller } from 'acmcp'

/** Whatever. */
export class Open extends Controller {
  /**
   * Says hello.
   *
   * @get /
   */
  index(): string { return 'hello' }

  /**
   * Counts a visit.
   *
   * @post /
   * @scope none
   */
  visit(): { visits: number } { return { visits: 1 } }
}
`

const filesOf = (controller: string): Readonly<Record<string, string>> => ({
  'package.json': '{"name":"notes","version":"1.0.0","private":true,"type":"module"}',
  'app/config.ts': config,
  'app/controllers/notes.ts': controller,
  'app/controllers/open.ts': open,
})

const versions: Readonly<Record<'first' | 'second', string>> = { first, second }

export interface Connected {
  readonly access: string
  readonly refresh: string
}

export interface Deployed {
  readonly app: TestApp
  /** A browser that the development user is signed in to. */
  readonly browser: TestClient
  page(clientId: string, scope?: string): Promise<ConsentForm>
  /** Answers the page with what is ticked at first, and `fields`. */
  allow(clientId: string, form: ConsentForm, fields?: Readonly<Record<string, string>>): Promise<Connected>
  refreshed(clientId: string, refresh: string): Promise<Connected>
  /** Status, challenge and body. */
  http(access: string, method: Verb, url: string): Promise<Answered>
  call(access: string, tool: string): Promise<Answered>
  listed(access: string): Promise<readonly string[]>
}

type Verb = 'GET' | 'POST' | 'PUT' | 'DELETE'
type Answered = readonly [status: number, challenge: unknown, body: string]

/** What the form of the page sends beside scopes. */
export const readOnly: Readonly<Record<string, string>> = { read_only: 'on' }

/** That version on that database, until the test ends. */
export async function deploy(
  t: Test,
  version: keyof typeof versions,
  databaseUrl: string,
  more: Partial<AppConfig> = {},
): Promise<Deployed> {
  const cwd = await builtFolder(filesOf(versions[version]))
  const app = await openTestApp({
    cwd,
    environment: { databaseUrl },
    change: (bundle) => ({ ...bundle, config: { ...Object(bundle.config), ...more } }),
  })
  t.teardown(app.close)
  const browser = app.client()
  await browser.signIn()
  const post = (access: string, message: object) =>
    app.application.server.inject({
      method: 'POST',
      url: '/mcp',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        authorization: `Bearer ${access}`,
      },
      payload: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    })
  const tokens = async (fields: Readonly<Record<string, string>>): Promise<Connected> => {
    const answer = (await browser.submit('/oauth/token', fields)).json()
    return { access: answer.access_token, refresh: answer.refresh_token }
  }
  return {
    app,
    browser,
    page: async (clientId, scope = 'api') => {
      const { statusCode, body } = await browser.get(
        authorizeUrl({ ...authorizationRequest(clientId), scope }),
      )
      return readConsent({ status: statusCode, headers: {}, body })
    },
    allow: async (clientId, { hidden, ticks }, fields = {}) => {
      const on = ticks.filter(({ isTicked }) => isTicked).map(({ field }) => [field, 'on'])
      const form = { ...hidden, ...Object.fromEntries(on), ...fields, decision: 'allow' }
      const { headers } = await browser.submit('/oauth/authorize', form)
      const code = new URL(String(headers.location)).searchParams.get('code') ?? ''
      const by = { redirect_uri: redirectUri, code, code_verifier: verifier }
      return tokens({ grant_type: 'authorization_code', client_id: clientId, ...by })
    },
    refreshed: (clientId, refresh) =>
      tokens({ grant_type: 'refresh_token', client_id: clientId, refresh_token: refresh }),
    http: async (access, method, url) => {
      const { statusCode, headers, body } = await app.application.server.inject({
        ...{ method, url },
        headers: { authorization: `Bearer ${access}` },
      })
      return [statusCode, headers['www-authenticate'], body]
    },
    call: async (access, tool) => {
      const { statusCode, headers, body } = await post(access, {
        method: 'tools/call',
        params: { name: 'call_tool', arguments: { name: tool } },
      })
      const { result } = JSON.parse(body)
      return [statusCode, headers['www-authenticate'], result?.content[0].text ?? '']
    },
    listed: async (access) => {
      const boxes = ['notes', 'open'].map(async (name) => {
        const { body } = await post(access, {
          method: 'tools/call',
          params: { name: 'open_toolbox', arguments: { name } },
        })
        const { structuredContent } = JSON.parse(body).result
        return (structuredContent?.tools ?? []).map((tool: { readonly name: string }) => tool.name)
      })
      return (await Promise.all(boxes)).flat().sort()
    },
  }
}

export const newClient = ({ browser }: Deployed): Promise<string> => registerClient(browser)
