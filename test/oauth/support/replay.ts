/** Replays over HTTP what a known client sends (`cli/capabilities/doctor/hosts/`), from the 401 to the second call with a refreshed token. */
import { createHash } from 'node:crypto'
import type { KnownHost, Way } from '../../../cli/capabilities/doctor/hosts/host.ts'
import { knownHosts } from '../../../cli/capabilities/doctor/hosts/known-hosts.ts'
import { createApplication } from '../../../runtime/boot/application.ts'
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import type { AppBundle } from '../../../runtime/contract/bundle.ts'
import type { profiles } from '../../../runtime/oauth/profile.ts'
import { Browser, type Landing } from '../../flow/support.ts'
import { freePort } from '../../support/free-port.ts'
import { surroundings } from '../../support/surroundings.ts'
import type { DocumentHost } from './document-host.ts'
import { listTools, type McpCaller, readTool } from './replay-messages.ts'
import { proofOf, publishClient } from './replay-proofs.ts'

type Test = { teardown(f: () => unknown): void }

/** The worked example in a profile, with client documents. It listens on loopback, where documents of this machine are let in;
 *  the address. */
export async function replayServer(
  t: Test,
  profile: keyof typeof profiles,
  documents: DocumentHost,
): Promise<string> {
  const bundle = await loadBundle(process.cwd())
  const off = { registerPerHour: false, authorizePerHour: false, tokenPerHour: false }
  const oauth = profile === 'compatible' ? { profile, confidentialClients } : { profile }
  const settings = { oauth, limits: off, clientIdMetadataDocuments: true }
  const changed: AppBundle = { ...bundle, config: { ...(bundle.config as object), ...settings } } // a plain object
  const baseUrl = `http://localhost:${await freePort()}`
  const { network } = documents
  const application = await createApplication(changed, {
    ...surroundings(baseUrl, { devLogin: true, secretsOf: (variable) => [secretIn(variable)] }),
    network,
  })
  await application.server.listen({ port: Number(new URL(baseUrl).port), host: '127.0.0.1' })
  t.teardown(application.close)
  return baseUrl
}

const idOf = ({ name }: Pick<KnownHost, 'name'>): string => name.toLowerCase().replace(' ', '-')
const variableOf = (host: Pick<KnownHost, 'name'>): string => idOf(host).replace('-', '_')
const secretIn = (variable: string): string => createHash('sha256').update(variable).digest('hex')

/** Those that come by hand, as their owner sets them up. */
const confidentialClients = knownHosts.flatMap((host) => {
  const way = host.ways.find(({ by }) => by === 'hand')
  if (way?.by !== 'hand') return []
  const { redirectUris } = way
  return [{ id: idOf(host), name: host.name, redirectUris, secret: variableOf(host) }]
})

/** In this order. */
export const stepNames = [
  'challenge',
  'metadata',
  'client',
  'authorization',
  'sign-in',
  'consent',
  'token',
  'list',
  'call',
  'refresh',
  'call after it',
  'second refresh',
  'call after that',
] as const

export type StepName = (typeof stepNames)[number]

export interface Replaying {
  readonly baseUrl: string
  readonly host: KnownHost
  readonly way: Way
  /** Publishes its document. */
  readonly documents: DocumentHost
}

/** What each step came to: `yes`, or why not; a step behind one that failed is absent. */
export async function replay(client: Replaying): Promise<readonly string[]> {
  const visit = new Visit(client)
  const steps = [
    ...[visit.challenge, visit.discover, visit.register, visit.authorize, visit.signIn, visit.consent],
    ...[visit.redeemCode, visit.list, visit.call, visit.refresh, visit.call, visit.refresh, visit.call],
  ]
  const outcomes: string[] = []
  for (const step of steps) {
    const outcome = await step()
    outcomes.push(outcome)
    if (outcome !== yes) break
  }
  return outcomes
}

export const yes = 'yes'

const verifier = 'v'.repeat(43)
const challenge = createHash('sha256').update(verifier).digest('base64url')
const form = 'application/x-www-form-urlencoded'

class Visit {
  readonly #client: Replaying
  readonly #browser = new Browser()
  #challenge = ''
  #resource = ''
  #server: Readonly<Record<string, unknown>> = {}
  #clientId = ''
  #landing: Landing = { url: new URL('about:blank'), page: '' }
  #tokens: Readonly<Record<string, unknown>> = {}
  #tool = ''

  constructor(client: Replaying) {
    this.#client = client
  }

  readonly challenge = async (): Promise<string> => {
    const answer = await fetch(`${this.#client.baseUrl}/mcp`, {
      method: 'POST',
      headers: { ...this.#headers, 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'ping' }),
    })
    this.#challenge = answer.headers.get('www-authenticate') ?? ''
    return answer.status === 401 && this.#challenge !== '' ? yes : `no challenge (${answer.status})`
  }

  readonly discover = async (): Promise<string> => {
    const metadata = await this.#json(quoted(this.#challenge, 'resource_metadata'))
    this.#resource = String(metadata.resource)
    const [issuer] = Object(metadata.authorization_servers)
    this.#server = await this.#json(`${issuer}/.well-known/oauth-authorization-server`)
    return this.#server.issuer === issuer ? yes : 'another issuer'
  }

  readonly register = async (): Promise<string> => {
    const { way, documents } = this.#client
    if (way.by === 'hand') return this.#clientByHand(way.authentication)
    if (way.by === 'document') {
      if (this.#server.client_id_metadata_document_supported !== true) return 'no client documents'
      this.#clientId = documents.url(new URL(way.url).pathname)
      publishClient(documents, { ...way.metadata, client_id: this.#clientId })
      return yes
    }
    const answer = await fetch(this.#address('registration_endpoint'), {
      method: 'POST',
      headers: { ...this.#headers, 'content-type': 'application/json' },
      body: JSON.stringify(way.metadata),
    })
    const text = await answer.text()
    if (answer.status !== 201) return errorIn(text)
    this.#clientId = JSON.parse(text).client_id
    return yes
  }

  /** Until somebody has to sign in. */
  readonly authorize = async (): Promise<string> => {
    const { host, way } = this.#client
    const scope = host.scope ?? quoted(this.#challenge, 'scope')
    const sendsChallenge = way.by !== 'hand' || way.sendsChallenge
    const parameters = {
      response_type: 'code',
      client_id: this.#clientId,
      redirect_uri: way.redirectUri,
      state: 'a state',
      scope,
      ...(sendsChallenge ? { code_challenge: challenge, code_challenge_method: 'S256' } : {}),
      ...this.#resourceFor('at sign-in'),
    }
    const url = `${this.#address('authorization_endpoint')}?${new URLSearchParams(parameters)}`
    this.#landing = await this.#browser.follow(url, this.#isBack, { headers: { accept: 'text/html' } })
    const { pathname } = this.#landing.url
    return pathname === '/auth' ? yes : errorIn(this.#landing.page, this.#landing.url)
  }

  readonly signIn = async (): Promise<string> => {
    this.#landing = await this.#browser.follow(new URL('/auth/dev', this.#landing.url), this.#isBack)
    return this.#landing.page.includes('name="decision"') ? yes : errorIn(this.#landing.page)
  }

  readonly consent = async (): Promise<string> => {
    const done = await this.#browser.submit(this.#landing, { decision: 'allow' }, this.#isBack)
    this.#landing = done
    const { searchParams } = done.url
    const isOurs = searchParams.get('state') === 'a state' && searchParams.get('iss') === this.#server.issuer
    return isOurs && searchParams.has('code') ? yes : errorIn(done.page, done.url)
  }

  readonly redeemCode = (): Promise<string> =>
    this.#redeem({
      grant_type: 'authorization_code',
      redirect_uri: this.#client.way.redirectUri,
      code: this.#landing.url.searchParams.get('code') ?? '',
      code_verifier: verifier,
    })

  readonly refresh = (): Promise<string> =>
    this.#redeem({ grant_type: 'refresh_token', refresh_token: String(this.#tokens.refresh_token) })

  readonly list = async (): Promise<string> => {
    this.#tool = await listTools(this.#caller())
    return this.#tool === '' ? 'no tools' : yes
  }

  readonly call = async (): Promise<string> =>
    (await readTool(this.#caller(), this.#tool)) ? yes : 'the call failed'

  async #redeem(fields: Readonly<Record<string, string>>): Promise<string> {
    const { headers, body } = this.#proof()
    const answer = await fetch(this.#address('token_endpoint'), {
      method: 'POST',
      headers: { ...this.#headers, ...headers, 'content-type': form },
      body: new URLSearchParams({ ...fields, ...body, ...this.#resourceFor('always') }).toString(),
    })
    const text = await answer.text()
    if (answer.status !== 200) return errorIn(text)
    this.#tokens = JSON.parse(text)
    return yes
  }

  readonly #proof = () =>
    proofOf(this.#client.way, {
      id: this.#clientId,
      audience: this.#address('token_endpoint'),
      secret: secretIn(variableOf(this.#client.host)),
    })

  #clientByHand(authentication: string): string {
    const methods = Object(this.#server.token_endpoint_auth_methods_supported)
    this.#clientId = idOf(this.#client.host)
    return methods.includes(authentication) ? yes : 'no clients with a secret'
  }

  #resourceFor(place: 'at sign-in' | 'always'): Readonly<Record<string, string>> {
    const { sendsResource } = this.#client.host
    const isSent = sendsResource === 'always' || sendsResource === place
    return isSent ? { resource: this.#resource } : {}
  }

  readonly #isBack = (url: URL): boolean => url.href.startsWith(this.#client.way.redirectUri)

  get #headers(): Readonly<Record<string, string>> {
    const { headers } = this.#client.host
    return headers === 'not published' ? {} : headers
  }

  readonly #caller = (): McpCaller => ({
    endpoint: `${this.#client.baseUrl}/mcp`,
    revision: this.#client.host.revision,
    headers: { ...this.#headers, authorization: `Bearer ${this.#tokens.access_token}` },
  })

  readonly #address = (name: string): string => String(this.#server[name])

  readonly #json = async (url: string): Promise<Readonly<Record<string, unknown>>> =>
    (await fetch(url, { headers: this.#headers })).json()
}

const quoted = (header: string, name: string): string =>
  new RegExp(`${name}="([^"]*)"`).exec(header)?.[1] ?? ''

/** The error of OAuth, in JSON or on the way back to the client, with what it says; else the title of a page. */
function errorIn(text: string, { searchParams }: URL = new URL('about:blank')): string {
  const said = text.startsWith('{') ? JSON.parse(text) : Object.fromEntries(searchParams)
  const { error, error_description: description } = said
  if (error === undefined) return /<h1>([^<]*)/.exec(text)?.[1] ?? 'no answer'
  return description === undefined || description === error ? error : `${error}: ${description}`
}
