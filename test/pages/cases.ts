/** Every page that people see, each a line of data: its name (also of its pictures) and how a browser comes to it. */
import { createHash } from 'node:crypto'
import type { Page } from 'playwright-core'
import { inbox } from '../../runtime/capabilities/approval/page.ts'
import type { Route } from '../../runtime/contract/route.ts'
import { buildPage } from '../../templates/pages/build.ts'
import { connectionsPage } from '../../templates/pages/connections.ts'
import { publish } from '../oauth/support/document-host.ts'
import { approvalCases, waitingCalls } from './approval-cases.ts'
import { blocksPage } from './blocks-page.ts'
import { connectCases } from './connect-cases.ts'
import { consentCases } from './consent/cases.ts'
import type { Scene } from './scene.ts'

export interface PageCase {
  readonly name: string
  /** Goes there. */
  readonly open: (page: Page, scene: Scene) => Promise<unknown>
}

export const cases: readonly PageCase[] = [
  { name: 'sign-in-none', open: (page, scene) => openSignIn(page, scene, 'none', []) },
  { name: 'sign-in-one', open: (page, scene) => openSignIn(page, scene, 'one', ['github']) },
  { name: 'sign-in-five', open: (page, scene) => openSignIn(page, scene, 'five', [...presets, 'company']) },
  {
    name: 'sign-in-development',
    open: async (page, scene) => page.goto(`${await scene.serve('example')}/auth`),
  },
  { name: 'signed-in', open: openSignedIn },
  { name: 'consent-registered', open: (page, scene) => openConsent(page, scene, registered) },
  { name: 'consent-loopback', open: (page, scene) => openConsent(page, scene, loopback) },
  { name: 'consent-long', open: (page, scene) => openConsent(page, scene, long) },
  { name: 'consent-document', open: openDocumentConsent },
  { name: 'consent-again', open: openRepeatedConsent },
  ...consentCases,
  { name: 'connections', open: async (page, scene) => page.goto(await scene.show(connections)) },
  ...approvalCases,
  { name: 'exception', open: openException },
  { name: 'build-mistakes', open: async (page, scene) => page.goto(await scene.show(buildPage(mistakes))) },
  { name: 'blocks', open: async (page, scene) => page.goto(await scene.show(blocksPage())) },
  ...connectCases,
  { name: 'docs-index', open: async (page, scene) => page.goto(await scene.docs()) },
  {
    name: 'docs-reference',
    open: async (page, scene) => page.goto(`${await scene.docs()}/reference-settings`),
  },
]

/** After one of three was disconnected. */
const connections = connectionsPage({
  service: { name: 'Notes', host: 'notes.example' },
  userName: 'Ada Lovelace',
  ended: 'Claude Code',
  isFirst: true,
  sections: [inbox(waitingCalls)],
  next: '/auth/connections?after=5f0c2f8e',
  clients: [
    {
      id: 'https://chat.example/client.json',
      name: 'ChatGPT',
      host: 'chat.example',
      isSetUpHere: false,
      permissions: [
        'read your notes',
        'write notes and share them with everybody whom you know, at any time of the day',
      ],
      isReadOnly: true,
      allowedBy: 'your organization',
      since: '2026-10-02T08:00:00.000Z',
      lastUsed: '2026-11-22T21:14:00.000Z',
      called: [
        { tool: 'notes_list', count: 412 },
        { tool: 'notes_create', count: 31 },
        { tool: 'notes_share_with_everybody_whom_somebody_knows_at_any_time_of_the_day', count: 2 },
        { tool: 'notes_remove', count: 2 },
        { tool: 'users_current', count: 1 },
        { tool: 'notes_find', count: 1 },
      ],
    },
    {
      id: '5f0c2f8e',
      name: `An ${'extraordinarily '.repeat(5)}long assistant Donaudampfschifffahrtselektrizitätenhauptbetriebswerk`,
      host: null,
      isSetUpHere: false,
      permissions: ['everything that you may'],
      isReadOnly: false,
      allowedBy: null,
      since: '2026-11-20T08:00:00.000Z',
      lastUsed: null,
      called: [],
    },
  ],
})

/** As `acmcp dev` shows them. */
const mistakes: Parameters<typeof buildPage>[0] = {
  title: 'The build failed',
  texts: ['Save a correction, and it is built again. The last good build is served meanwhile.'],
  mistakes: [
    {
      severity: 'error',
      code: 'ACM110',
      message: 'unknown tag @gett',
      hint: 'Did you mean @get?',
      place: 'app/controllers/notes.ts:12:6',
      frame: [
        '11 |    *',
        '12 |    * @gett /a/path/that/is/long/enough/to/leave/the/screen/of/a/phone/:id/and/of/a/desktop/too/perhaps',
        '   |      ^',
        '13 |    */',
      ].join('\n'),
    },
    {
      severity: 'warning',
      code: 'ACM221',
      message: 'the parameter `limit` of notes_index has no text',
      hint: 'Write `@param limit - …` in the doc comment: a model reads it.',
      place: null,
      frame: null,
    },
  ],
}

const presets = ['google', 'microsoft', 'github', 'gitlab']

async function openSignIn(page: Page, scene: Scene, name: string, names: readonly string[]): Promise<void> {
  const own = { clientId: 'c', clientSecret: 's' }
  const providers = names.map((text) => [
    text,
    text === 'company' ? { ...own, issuer: 'https://id.company.example' } : own,
  ])
  const variant = { config: { providers: Object.fromEntries(providers) }, environment: { devLogin: false } }
  await page.goto(`${await scene.serve(name, variant)}/auth`)
}

async function openSignedIn(page: Page, scene: Scene): Promise<void> {
  await page.goto(`${await scene.serve('example')}/auth/dev`)
}

interface ClientCase {
  readonly name: string
  readonly redirectUri: string
}

const registered: ClientCase = { name: 'Claude', redirectUri: 'https://claude.ai/api/mcp/auth_callback' }
const loopback: ClientCase = { name: 'Claude Code', redirectUri: 'http://localhost:3118/callback' }
const long: ClientCase = {
  name: `The ${'extraordinarily '.repeat(6)}long assistant Donaudampfschifffahrtselektrizitätenhauptbetriebswerk`,
  redirectUri: `https://a-client-with-a-rather-long-name.department.company.example/oauth/callback?${'tenant=0123456789&'.repeat(60)}`,
}

const authorizeUrl = (baseUrl: string, clientId: string, redirectUri: string): string =>
  `${baseUrl}/oauth/authorize?${new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update('a verifier').digest('base64url'),
    code_challenge_method: 'S256',
    state: 'a state',
  })}`

async function openConsent(page: Page, scene: Scene, client: ClientCase): Promise<void> {
  const baseUrl = await scene.serve('example')
  const answer = await fetch(`${baseUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: client.name, redirect_uris: [client.redirectUri] }),
  })
  await page.goto(`${baseUrl}/auth/dev`)
  await page.goto(authorizeUrl(baseUrl, String((await answer.json()).client_id), client.redirectUri))
}

/** A client that a document at its own address describes. */
async function openDocumentConsent(page: Page, scene: Scene): Promise<void> {
  const host = await scene.documentHost()
  const id = host.url('/oauth/client.json')
  publish(host, { client_id: id, client_name: 'ChatGPT', redirect_uris: [registered.redirectUri] })
  const variant = {
    config: { clientIdMetadataDocuments: true },
    dependencies: { network: host.network },
  }
  const baseUrl = await scene.serve('documents', variant)
  await page.goto(`${baseUrl}/auth/dev`)
  await page.goto(authorizeUrl(baseUrl, id, registered.redirectUri))
}

/** The form of an older session: its token is no longer this one's. */
async function openRepeatedConsent(page: Page, scene: Scene): Promise<void> {
  await openConsent(page, scene, registered)
  await page.evaluate('document.querySelector("input[name=csrf_token]").value = "of an older session"')
  await page.click('button[value=allow]')
}

/** An action whose exception has a cause, and no handler. */
async function openException(page: Page, scene: Scene): Promise<void> {
  const failing = (route: Route): Route =>
    route.id === 'health_show' ? { ...route, call: readRooms } : route
  const baseUrl = await scene.serve('failing', {
    change: (bundle) => ({ ...bundle, routes: bundle.routes.map(failing) }),
  })
  await page.goto(`${baseUrl}/health?floor=2&token=masked`)
}

function readRooms(): never {
  try {
    throw JSON.parse('{ "rooms": [101, 102, }')
  } catch (cause) {
    throw new Error('the list of rooms could not be read', { cause })
  }
}
