/** The two documents by which a client finds out where to sign in. */
import { challengeChanged, challengeShortened } from '../challenge-troubles.ts'
import { get, type JsonRecord, jsonObject, type ReadAnswer, textIn, textsIn } from '../request.ts'
import {
  answered,
  broken,
  type Finding,
  type Known,
  notTried,
  ok,
  type ServerDocument,
  type Step,
  type Visit,
  wrong,
} from '../step.ts'
import {
  incompleteMetadata,
  noAuthorizationServer,
  noServerMetadata,
  otherAddress,
  otherIssuer,
  otherPath,
  type Trouble,
} from '../troubles.ts'
import { troubleOf } from '../unexpected-answer.ts'

export const resourceMetadataStep: Step = { name: 'resource metadata', run: askResource }
export const serverMetadataStep: Step = { name: 'server metadata', run: askServer }

/** Why the steps of signing in do not come up; null = they do. */
export function whyNoSignIn({ access, resource }: Known): string | null {
  if (access === 'open') return 'not needed: the endpoint is open'
  return resource === null ? 'the server offers no sign-in' : null
}

/** Where the challenge says it is, else at the well-known addresses. Source: RFC 9728, 3 and 5; MCP 2025-11-25,
 *  Authorization, Protected Resource Metadata Discovery. */
async function askResource(visit: Visit): Promise<Finding> {
  const { access, endpoint, refused } = visit.known
  if (access === 'open') return notTried('not needed: the endpoint is open')
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
    ? wrong(finding.detail, challengeShortened(), finding.learned)
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
  return isOwn ? challengeChanged(url.href, own.url.href) : otherAddress(url.origin, endpoint)
}

const resourceOf = (answer: ReadAnswer): string | null =>
  answer.status === 200 ? textIn(jsonObject(answer.body), 'resource') : null

/** The document must be about the address that was asked, or one above it. Source: RFC 9728, 3.3; RFC 8707, 2. */
function judgeResource(answer: ReadAnswer | Trouble, { endpoint }: Known): Finding {
  if ('cause' in answer) return broken('the address in the challenge', answer)
  const resource = resourceOf(answer)
  if (resource === null) return broken(answered(answer), troubleOf(answer))
  if (originOf(resource) !== endpoint.origin)
    return broken(answered(answer), otherAddress(originOf(resource), endpoint))
  if (!isAbove(new URL(resource), endpoint)) return broken(answered(answer), otherPath(resource, endpoint))
  const [authorizationServer] = textsIn(jsonObject(answer.body), 'authorization_servers') ?? []
  if (authorizationServer === undefined || !URL.canParse(authorizationServer))
    return broken(answered(answer), noAuthorizationServer())
  return ok(`resource ${resource}`, { resource: { resource, authorizationServer } })
}

const isAbove = (above: URL, below: URL): boolean =>
  `${below.pathname}/`.replace('//', '/').startsWith(`${above.pathname}/`.replace('//', '/'))

async function askServer(visit: Visit): Promise<Finding> {
  const { resource, endpoint } = visit.known
  const reason = whyNoSignIn(visit.known)
  if (resource === null || reason !== null) return notTried(reason ?? '')
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
  const isAbsent = first.status === 404 || first.status === 405
  return broken(answered(first), isAbsent ? noServerMetadata(issuer, first.status) : troubleOf(first))
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
    return broken(
      answered(answer),
      isOwn ? otherAddress(originOf(issuer), endpoint) : otherIssuer(issuer, wanted),
    )
  }
  const server = serverOf(document, issuer)
  if (typeof server === 'string') return broken(answered(answer), incompleteMetadata(server))
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
