/** Replays what a known client sends (`cli/doctor/hosts/`), from the 401 to the second call with a refreshed token. */
import { createHash, randomBytes } from 'node:crypto'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import type { Host, Way } from '../../../cli/doctor/hosts/host.ts'
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import { type Application, createApplication } from '../../../runtime/boot/compose.ts'
import type { AppBundle } from '../../../runtime/contract/bundle.ts'
import type { ProfileName } from '../../../runtime/oauth/profile.ts'
import { surroundings } from '../../support/surroundings.ts'
import { type DocumentHost, publish } from './document-host.ts'

type Test = { teardown(f: () => unknown): void }

/** On loopback, where the setting lets documents of this machine in: a server at an https address refuses those. */
const baseUrl = 'http://localhost:3000'

export interface Replayed {
  readonly host: string
  readonly way: Way['by']
  /** What each step came to: `yes`, or why not; a step behind one that failed is absent. */
  readonly steps: Readonly<Partial<Record<StepName, string>>>
}

export const stepNames = ['registers', 'signs in', 'lists', 'calls', 'stays signed in'] as const
type StepName = (typeof stepNames)[number]

/** The worked example in a profile, taking client documents as a public server does. */
export async function publicServer(
  t: Test,
  profile: ProfileName,
  documents: DocumentHost,
): Promise<Application> {
  const bundle = await loadBundle(process.cwd())
  const off = { registerPerHour: false, authorizePerHour: false, tokenPerHour: false }
  const config = {
    ...(bundle.config as object),
    oauth: { profile },
    limits: off,
    clientIdMetadataDocuments: true,
  } // a plain object
  const changed: AppBundle = { ...bundle, config }
  const application = await createApplication(changed, {
    ...surroundings(baseUrl, { devLogin: true }),
    network: documents.network,
  })
  await application.server.ready()
  t.teardown(application.close)
  return application
}

export interface Replaying {
  readonly host: Host
  readonly way: Way
  /** Publishes its document. */
  readonly documents: DocumentHost
}

/** One client at one server. */
export async function replay(application: Application, client: Replaying): Promise<Replayed> {
  const steps: Partial<Record<StepName, string>> = {}
  const visit = new Visit(application, client)
  const run: Readonly<Record<StepName, () => Promise<string>>> = {
    registers: () => visit.register(),
    'signs in': () => visit.signIn(),
    lists: () => visit.list(),
    calls: () => visit.call(),
    'stays signed in': () => visit.refreshTwice(),
  }
  for (const name of stepNames) {
    steps[name] = await run[name]()
    if (steps[name] !== yes) break
  }
  return { host: client.host.name, way: client.way.by, steps }
}

const yes = 'yes'
const verifier = 'v'.repeat(43)
const challenge = createHash('sha256').update(verifier).digest('base64url')

class Visit {
  readonly #cookies = new Map<string, string>()
  #metadata: Record<string, unknown> = {}
  #scope: string | null = null
  #resource = ''
  #clientId = ''
  #tokens: Record<string, unknown> = {}
  #tool = ''

  readonly #application: Application
  readonly #client: Replaying

  constructor(application: Application, client: Replaying) {
    this.#application = application
    this.#client = client
  }

  /** From the 401 to a client id. */
  async register(): Promise<string> {
    const refused = await this.#mcp('initialize', {})
    if (refused.statusCode !== 401) return `no 401 but ${refused.statusCode}`
    const header = String(refused.headers['www-authenticate'])
    const resource = (await this.#get(quoted(header, 'resource_metadata'))).json()
    this.#scope = this.#client.host.scope ?? quoted(header, 'scope')
    this.#resource = String(resource.resource)
    this.#metadata = (
      await this.#get(`${resource.authorization_servers[0]}/.well-known/oauth-authorization-server`)
    ).json()
    const { way } = this.#client
    if (way.by === 'hand') return 'only by hand'
    if (way.metadata === 'not published') return way.metadata
    if (way.by === 'document') {
      if (this.#metadata.client_id_metadata_document_supported !== true) return 'no client documents'
      this.#clientId = this.#client.documents.url(`/${randomBytes(8).toString('hex')}.json`)
      publish(this.#client.documents, { ...way.metadata, client_id: this.#clientId })
      return yes
    }
    const answer = await this.#send({
      method: 'POST',
      url: this.#address('registration_endpoint'),
      payload: { ...way.metadata },
    })
    this.#clientId = String(answer.json().client_id)
    return answer.statusCode === 201 ? yes : errorIn(answer)
  }

  /** From the authorization request to tokens. */
  async signIn(): Promise<string> {
    await this.#get('/auth/dev')
    const parameters = {
      response_type: 'code',
      client_id: this.#clientId,
      redirect_uri: this.#client.host.redirectUri,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      state: 'state',
      ...(this.#scope === null || this.#scope === '' ? {} : { scope: this.#scope }),
      ...(this.#client.host.sendsResource === false ? {} : { resource: this.#resource }),
    }
    const page = await this.#get(
      `${this.#address('authorization_endpoint')}?${new URLSearchParams(parameters)}`,
    )
    if (page.statusCode !== 200) return errorIn(page)
    const hidden = [...page.body.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
    const form = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, unescaped(value)]))
    const allowed = await this.#form(this.#address('authorization_endpoint'), { ...form, decision: 'allow' })
    const back = String(allowed.headers.location)
    if (!back.startsWith(this.#client.host.redirectUri)) return `no way back: ${allowed.statusCode}`
    const code = new URL(back).searchParams.get('code') ?? ''
    return this.#redeem({
      grant_type: 'authorization_code',
      redirect_uri: this.#client.host.redirectUri,
      code,
      code_verifier: verifier,
    })
  }

  async list(): Promise<string> {
    const { result } = bodyOf(await this.#mcp('tools/list', {}))
    this.#tool =
      result?.tools?.find(
        ({ annotations }: { annotations?: { readOnlyHint?: boolean } }) => annotations?.readOnlyHint,
      )?.name ?? ''
    return this.#tool === '' ? 'no tools' : yes
  }

  async call(): Promise<string> {
    const { result } = bodyOf(await this.#mcp('tools/call', { name: this.#tool, arguments: {} }))
    return result !== undefined && result.isError !== true ? yes : 'the call failed'
  }

  /** A refresh and a call, twice. */
  async refreshTwice(): Promise<string> {
    for (let count = 0; count < 2; count += 1) {
      const refreshed = await this.#redeem({
        grant_type: 'refresh_token',
        refresh_token: String(this.#tokens.refresh_token),
      })
      const outcome = refreshed === yes ? await this.call() : refreshed
      if (outcome !== yes) return outcome
    }
    return yes
  }

  async #redeem(fields: Readonly<Record<string, string>>): Promise<string> {
    const resource: Readonly<Record<string, string>> =
      this.#client.host.sendsResource === false ? {} : { resource: this.#resource }
    const answer = await this.#form(this.#address('token_endpoint'), {
      ...fields,
      ...resource,
      client_id: this.#clientId,
    })
    if (answer.statusCode !== 200) return errorIn(answer)
    this.#tokens = answer.json()
    return yes
  }

  #mcp(method: string, params: object): Promise<LightMyRequestResponse> {
    const { access_token: token } = this.#tokens
    return this.#send({
      method: 'POST',
      url: '/mcp',
      headers: {
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      payload: { jsonrpc: '2.0', id: 1, method, params },
    })
  }

  readonly #address = (name: string): string => String(this.#metadata[name])

  readonly #get = (url: string): Promise<LightMyRequestResponse> =>
    this.#send({ method: 'GET', url, headers: { accept: 'text/html,application/json' } })

  readonly #form = (url: string, fields: Readonly<Record<string, string>>): Promise<LightMyRequestResponse> =>
    this.#send({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams(fields).toString(),
    })

  async #send({
    url,
    headers,
    ...request
  }: InjectOptions & { readonly url: string }): Promise<LightMyRequestResponse> {
    const cookie = [...this.#cookies].map((pair) => pair.join('=')).join('; ')
    const { pathname, search, host } = new URL(url, baseUrl)
    const answer = await this.#application.server.inject({
      ...request,
      url: `${pathname}${search}`,
      headers: { host, ...(cookie === '' ? {} : { cookie }), ...headers },
    })
    for (const { name, value } of answer.cookies) this.#cookies.set(name, value)
    return answer
  }
}

const unescaped = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] ?? '')
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

const quoted = (header: string, name: string): string =>
  new RegExp(`${name}="([^"]*)"`).exec(header)?.[1] ?? ''

// biome-ignore lint/suspicious/noExplicitAny: a JSON-RPC answer, read member by member
const bodyOf = ({ body }: LightMyRequestResponse): any =>
  JSON.parse(body.startsWith('{') ? body : (/^data: (.*)$/m.exec(body)?.[1] ?? '{}'))

/** The error code of OAuth, in JSON or on the way back to the client. */
function errorIn({ body, headers, statusCode }: LightMyRequestResponse): string {
  const back =
    headers.location === undefined
      ? null
      : new URL(String(headers.location), baseUrl).searchParams.get('error')
  const said = /"error":"(\w+)"/.exec(body)?.[1] ?? null
  return `${said ?? back ?? 'refused'} (${statusCode})`
}
