/** How the endpoint answers somebody without a credential. */
import { isLoopbackUrl } from '../../../runtime/loopback.ts'
import { challengeReplaced, challengeTaken, proxySignIn } from '../challenge-troubles.ts'
import { clientInfo, legacyVersion, type Reply, replyOf, requestOf } from '../message.ts'
import type { JsonRecord, ReadAnswer } from '../request.ts'
import {
  answered,
  broken,
  type Challenge,
  type Finding,
  type Known,
  ok,
  type Step,
  type Visit,
  wrong,
} from '../step.ts'
import { noEndpoint, plainHttp, protocolRefused } from '../troubles.ts'
import { isPage, titleOf, troubleOf } from '../unexpected-answer.ts'

export const endpointStep: Step = { name: 'endpoint', run: askEndpoint }

export const initializeParams: JsonRecord = {
  protocolVersion: legacyVersion,
  capabilities: {},
  clientInfo,
}

/** Of a server whose path is not given the endpoint is looked for at the usual one, then at the root. */
async function askEndpoint(visit: Visit): Promise<Finding> {
  const { url } = visit.options
  if (url.pathname !== '/') return judge(visit, await initialize(visit, url))
  const usual = await initialize(visit, new URL('/mcp', url))
  const reply = isEndpoint(usual) ? usual : await initialize(visit, url)
  return judge(visit, isEndpoint(reply) || !isNotFound(usual.answer) ? reply : usual)
}

async function initialize({ ask, known }: Visit, url: URL): Promise<Reply> {
  const message = { method: 'initialize', params: initializeParams, era: 'legacy' } as const
  return replyOf(await ask(requestOf({ ...known, endpoint: url, token: null }, message)))
}

/** Whether it speaks as one, be it to refuse. */
const isEndpoint = ({ answer, result, error }: Reply): boolean =>
  result !== null || (error !== null && answer.status !== 404) || isChallenged(answer)

const isChallenged = ({ status, headers }: ReadAnswer): boolean =>
  status === 401 && /\bBearer\b/i.test(headers['www-authenticate'] ?? '')

const isNotFound = ({ status, headers }: ReadAnswer): boolean =>
  status === 404 ||
  status === 405 ||
  (status === 200 && headers['content-type']?.startsWith('text/html') === true)

async function judge(visit: Visit, reply: Reply): Promise<Finding> {
  const { answer, result, error } = reply
  const learned = { endpoint: answer.url }
  if (result !== null) return ok(`${answered(answer)}: open to everybody`, { ...learned, access: 'open' })
  if (answer.status === 401 && answer.url.protocol === 'http:' && !isLoopbackUrl(answer.url.href))
    return broken(answered(answer), plainHttp(answer.url))
  if (isChallenged(answer)) {
    const refused = { answer, challenge: challengeOf(answer.headers['www-authenticate'] ?? '') }
    return ok(`${answered(answer)} with a challenge`, { ...learned, access: 'protected', refused })
  }
  if (answer.status === 401) return unchallenged(reply, learned)
  if (answer.status === 404 || answer.status === 405)
    return broken(answered(answer), noEndpoint(answer.url, await findEndpoint(visit, answer.url)))
  if (error !== null && answer.status !== 403 && answer.status < 500 && answer.status !== 429)
    return broken(answered(answer), protocolRefused('initialize', error.message.slice(0, 120)))
  return broken(answered(answer), troubleOf(answer))
}

/** A 401 that is no challenge of ours: who gave it shows in its body. */
function unchallenged({ answer, error }: Reply, learned: Pick<Known, 'endpoint'>): Finding {
  const said = answer.headers['www-authenticate'] ?? ''
  const scheme = /^[\w-]{1,40}/.exec(said)?.[0] ?? ''
  if (scheme === '' && isPage(answer))
    return broken(answered(answer), proxySignIn(answer.url, titleOf(answer.body)))
  if (scheme !== '' && error === null) return broken(answered(answer), troubleOf(answer))
  const refused = { answer, challenge: null }
  const trouble = scheme === '' ? challengeTaken() : challengeReplaced(scheme)
  return wrong(answered(answer), trouble, { ...learned, access: 'protected', refused })
}

/** Where there is one, when it is not where it was asked for. */
async function findEndpoint(visit: Visit, requested: URL): Promise<URL | null> {
  if (requested.pathname === '/mcp') return null
  const usual = new URL('/mcp', requested)
  return isEndpoint(await initialize(visit, usual)) ? usual : null
}

/** The parameters of the `Bearer` challenge in a header that may hold several. Source: RFC 9110, 11.6.1. */
export function challengeOf(header: string): Challenge {
  const own = header.slice(header.search(/\bBearer\b/i))
  const parameters = new Map(
    [...own.matchAll(/([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/g)].map(
      ([, name = '', quoted, token]) => [name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? token ?? ''],
    ),
  )
  return {
    resourceMetadata: parameters.get('resource_metadata') ?? null,
    scope: parameters.get('scope') ?? null,
    error: parameters.get('error') ?? null,
  }
}
