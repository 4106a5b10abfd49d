/** The two documents by which a client finds out where to sign in. */
import { isLoopbackUrl } from '../../../../runtime/loopback.ts'
import { get, type JsonRecord, jsonObject, type ReadAnswer, textIn, textsIn } from '../request.ts'
import {
  broken,
  type Finding,
  type Known,
  notTried,
  ok,
  type ServerDocument,
  type Visit,
  wrong,
} from '../step.ts'
import { addressFacts, type Trouble, trouble } from '../troubles.ts'
import { isNowhere, troubleOf } from '../unexpected-answer.ts'

/** Where the challenge says it is, else at the well-known addresses. Source: RFC 9728, 3 and 5; MCP 2025-11-25,
 *  Authorization, Protected Resource Metadata Discovery. */
export async function askResource(visit: Visit): Promise<Finding> {
  const { endpoint, refused } = visit.known
  const named = refused?.challenge?.resourceMetadata ?? null
  if (named !== null && !URL.canParse(named)) return broken(named, otherAddress(named, endpoint))
  if (named !== null) return judgeResource(await askNamed(visit, new URL(named)), visit.known)
  const found = await findWellKnown(visit)
  if (found !== null) return withoutItsName(judgeResource(found, visit.known), visit.known)
  return notTried('the challenge names none: clients cannot sign in, only bring a key or token of their own')
}

/** The document at one of the addresses where it is without a word of the challenge. */
async function findWellKnown(visit: Visit): Promise<ReadAnswer | null> {
  const { endpoint } = visit.known
  for (const path of [endpoint.pathname, '']) {
    const url = new URL(`/.well-known/oauth-protected-resource${path.replace(/\/$/, '')}`, endpoint)
    const answer = await visit.ask(get(url))
    if (resourceOf(answer) !== null) return answer
  }
  return null
}

/** Clients of earlier revisions look nowhere else. Where there is no challenge at all, the step before has told it. */
function withoutItsName(finding: Finding, { refused }: Known): Finding {
  const hasChallenge = (refused?.challenge ?? null) !== null
  return finding.state === 'ok' && hasChallenge
    ? wrong(finding.detail, trouble('challengeShortened'), finding.learned)
    : finding
}

/** An address of another host may be one that only the server itself reaches, or one that the proxy has put there. */
async function askNamed(visit: Visit, url: URL): Promise<ReadAnswer | Trouble> {
  const { endpoint } = visit.known
  if (url.origin === endpoint.origin) return visit.ask(get(url))
  const answer = await visit.ask(get(url)).catch(() => null)
  if (answer !== null && resourceOf(answer) !== null) return answer
  const own = await findWellKnown(visit)
  const isOwn = own !== null && originOf(resourceOf(own) ?? '') === endpoint.origin
  if (!isOwn) return otherAddress(url.origin, endpoint)
  return trouble('challengeChanged', { said: url.href, wanted: own.url.href })
}

function otherAddress(said: string, endpoint: URL): Trouble {
  const { href, port } = endpoint
  const isSameHost = URL.canParse(said) && isLoopbackUrl(said) && isLoopbackUrl(href)
  const isOtherName = isSameHost && new URL(said).port === port
  return trouble(isOtherName ? 'otherLoopbackName' : 'otherAddress', { ...addressFacts(endpoint), said })
}

const resourceOf = (answer: ReadAnswer): string | null =>
  answer.status === 200 ? textIn(jsonObject(answer.body), 'resource') : null

/** The document must be about the address that was asked, or one above it. Source: RFC 9728, 3.3; RFC 8707, 2. */
function judgeResource(answer: ReadAnswer | Trouble, { endpoint }: Known): Finding {
  if ('cause' in answer) return broken('the address in the challenge', answer)
  const resource = resourceOf(answer)
  if (resource === null) return broken(answer, troubleOf(answer))
  if (originOf(resource) !== endpoint.origin)
    return broken(answer, otherAddress(originOf(resource), endpoint))
  if (!isAbove(new URL(resource), endpoint))
    return broken(answer, trouble('otherPath', { said: resource, href: endpoint.href }))
  const [authorizationServer] = textsIn(jsonObject(answer.body), 'authorization_servers') ?? []
  if (authorizationServer === undefined || !URL.canParse(authorizationServer))
    return broken(answer, trouble('noAuthorizationServer'))
  return ok(`resource ${resource}`, { resource: { resource, authorizationServer } })
}

const isAbove = (above: URL, below: URL): boolean =>
  `${below.pathname}/`.replace('//', '/').startsWith(`${above.pathname}/`.replace('//', '/'))

export async function askServer(visit: Visit<'resource'>): Promise<Finding> {
  const { resource, endpoint } = visit.known
  const issuer = resource.authorizationServer
  const answers: ReadAnswer[] = []
  for (const url of metadataAddresses(new URL(issuer))) {
    const answer = await visit.ask(get(url))
    const document = answer.status === 200 ? jsonObject(answer.body) : null
    if (textIn(document, 'issuer') !== null) return judgeServer(document, answer, issuer, endpoint)
    answers.push(answer)
  }
  const [first] = answers
  if (first === undefined) throw new Error('an issuer has addresses')
  const { status } = first
  return broken(first, isNowhere(status) ? trouble('noServerMetadata', { issuer, status }) : troubleOf(first))
}

/** In the order in which clients ask. Source: MCP 2025-11-25, Authorization Server Metadata Discovery; RFC 8414, 3.1. */
function metadataAddresses(issuer: URL): readonly URL[] {
  const path = issuer.pathname.replace(/\/$/, '')
  const names = [`oauth-authorization-server${path}`, `openid-configuration${path}`]
  const paths = names.map((name) => `/.well-known/${name}`)
  return [...paths, ...(path === '' ? [] : [`${path}/.well-known/openid-configuration`])].map(
    (at) => new URL(at, issuer),
  )
}

function judgeServer(
  document: JsonRecord | null,
  answer: ReadAnswer,
  wanted: string,
  endpoint: URL,
): Finding {
  const issuer = textIn(document, 'issuer') ?? ''
  if (issuer.replace(/\/$/, '') !== wanted.replace(/\/$/, '')) {
    const isOwn = new URL(wanted).origin === endpoint.origin && originOf(issuer) !== endpoint.origin
    if (isOwn) return broken(answer, otherAddress(originOf(issuer), endpoint))
    return broken(answer, trouble('otherIssuer', { said: issuer, wanted }))
  }
  const server = serverOf(document, issuer)
  if (typeof server === 'string') return broken(answer, trouble('incompleteMetadata', { missing: server }))
  return ok(`issuer ${issuer}`, { server })
}

const originOf = (text: string): string => (URL.canParse(text) ? new URL(text).origin : text)

/** Or the name of what is missing. */
function serverOf(document: JsonRecord | null, issuer: string): ServerDocument | string {
  const urlIn = (name: string): URL | null => {
    const text = textIn(document, name)
    return text !== null && URL.canParse(text) ? new URL(text) : null
  }
  const authorizationEndpoint = urlIn('authorization_endpoint')
  const tokenEndpoint = urlIn('token_endpoint')
  if (authorizationEndpoint === null) return 'authorization_endpoint'
  if (tokenEndpoint === null) return 'token_endpoint'
  return {
    issuer,
    authorizationEndpoint,
    tokenEndpoint,
    registrationEndpoint: urlIn('registration_endpoint'),
    revocationEndpoint: urlIn('revocation_endpoint'),
    challengeMethods: textsIn(document, 'code_challenge_methods_supported'),
    authenticationMethods: textsIn(document, 'token_endpoint_auth_methods_supported') ?? [
      'client_secret_basic',
    ],
    takesClientDocuments: document?.client_id_metadata_document_supported === true,
    namesIssuer: document?.authorization_response_iss_parameter_supported === true,
  }
}
