/** One way of one client, asked of the server: its registration, its document, its scope. */
import { get, jsonObject, postJson, textIn } from '../request.ts'
import type { RegisteredClient, ServerDocument, Visit } from '../step.ts'
import { errorOf, follow, requestFor } from '../steps/authorization.ts'
import { type Trouble, trouble } from '../troubles.ts'
import { saysOf, troubleOf } from '../unexpected-answer.ts'
import { bothGrants, type KnownHost, type PublishedMetadata, type Way } from './host.ts'

export interface AskedHost {
  readonly host: KnownHost
  readonly visit: Visit
  readonly server: ServerDocument
}

/** Why it would be refused; empty = it would come in, as far as that shows before a sign-in. */
export async function askWay(way: Way, target: AskedHost): Promise<readonly Trouble[]> {
  if (way.by === 'document') return askDocument(way, target)
  const { client } = target.visit.known
  if (way.by === 'hand') {
    const { authenticationMethods } = target.server
    const hasSecrets = authenticationMethods.some((method) => method.startsWith('client_secret_'))
    return [...(hasSecrets ? [] : [trouble('secretsUnknown')]), ...(await askScope(client, target))]
  }
  const { registrationEndpoint } = target.server
  const more = moreThanUsual(way.metadata)
  if (more === null || registrationEndpoint === null) return askScope(client, target)
  const named = { ...way.metadata, client_name: `acmcp doctor, as ${target.host.name}` }
  const answer = await target.visit.ask(postJson(registrationEndpoint, named))
  const registered = jsonObject(answer.body)
  const id = answer.status < 300 ? textIn(registered, 'client_id') : null
  if (id !== null) return askScope({ id, redirectUri: way.redirectUri }, target)
  const isRefusal = textIn(registered, 'error') !== null && answer.status === 400
  return [isRefusal ? trouble('metadataRefused', { what: more, says: saysOf(answer) }) : troubleOf(answer)]
}

/** The walk itself has registered a public client with our grants on loopback: what is no more than that is not asked again. Null =
 *  no more. */
function moreThanUsual({
  redirect_uris: redirectUris,
  grant_types: grants = [],
  token_endpoint_auth_method: method = 'none',
}: PublishedMetadata): string | null {
  const native = redirectUris.find((uri) => !/^https?:/.test(uri))
  const grant = grants.find((type) => !bothGrants.includes(type))
  return native ?? grant ?? (method === 'none' ? null : method)
}

async function askScope(client: RegisteredClient | null, target: AskedHost): Promise<readonly Trouble[]> {
  const { scope } = target.host
  if (scope === null || client === null) return []
  const refusal = await authorize(client, target)
  return refusal === null ? [] : [whyNotAuthorized(refusal, scope)]
}

/** The server fetches the document to answer. What it cannot fetch is asked from here too: some refuse data centers. */
async function askDocument(way: Way & { by: 'document' }, target: AskedHost): Promise<readonly Trouble[]> {
  const refusal = await authorize({ id: way.url, redirectUri: way.redirectUri }, target)
  if (refusal === null) return []
  if (refusal.error === 'invalid_scope') return [whyNotAuthorized(refusal, target.host.scope)]
  const own = await target.visit.ask(get(new URL(way.url))).catch(() => null)
  const { url } = way
  if (own?.status === 200 && textIn(jsonObject(own.body), 'client_id') === url)
    return [trouble('documentRefused', { url, says: refusal.says })]
  const answers = own === null ? 'does not answer' : `answers ${own.status}`
  return [trouble('documentUnreachable', { url, answers })]
}

interface Refusal {
  readonly error: string
  readonly says: string
}

/** Without a person: as far as the page of the sign-in. Null = it leads there. */
async function authorize(
  client: RegisteredClient,
  { host, server, visit }: AskedHost,
): Promise<Refusal | null> {
  const { resource, refused } = visit.known
  const { address } = requestFor(server, client, {
    resource: resource?.resource ?? '',
    scope: host.scope ?? refused?.challenge?.scope ?? null,
  })
  const page = await follow(visit, get(address), new Map())
  const error = errorOf(page)
  if (error !== null) return { error: /^\w*/.exec(error)?.[0] ?? '', says: withoutRepeat(error) }
  return page.status < 400 ? null : { error: '', says: String(page.status) }
}

const whyNotAuthorized = ({ error, says }: Refusal, scope: string | null): Trouble =>
  error === 'invalid_scope' && scope !== null
    ? trouble('scopeRefused', { scope: scope.trim(), says })
    : trouble('authorizationRefused', { says })

/** Without a description that only repeats the error. */
const withoutRepeat = (says: string): string => says.replace(/^(\w+): \1$/, '$1')
