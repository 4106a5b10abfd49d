/** How the endpoint answers a client without a credential. */
import { isLoopbackUrl } from '../../../../runtime/loopback.ts'
import { initialize, protocolRefused, type Reply, replyOf, requestOf } from '../message.ts'
import type { ReadAnswer } from '../request.ts'
import { answered, broken, type Challenge, type Finding, type Known, ok, type Visit, wrong } from '../step.ts'
import { addressFacts, type Trouble, trouble } from '../troubles.ts'
import { isNowhere, isPage, titleOf, troubleOf } from '../unexpected-answer.ts'

/** Of a server whose path is not given the endpoint is looked for at the usual one, then at the root. */
export async function examineEndpoint(visit: Visit): Promise<Finding> {
  const { url } = visit.options
  if (url.pathname !== '/') return judge(visit, await askAt(visit, url))
  const usual = await askAt(visit, new URL('/mcp', url))
  const reply = isEndpoint(usual) ? usual : await askAt(visit, url)
  return judge(visit, isEndpoint(reply) || !isNotFound(usual.answer) ? reply : usual)
}

async function askAt({ ask, known }: Visit, url: URL): Promise<Reply> {
  return replyOf(await ask(requestOf({ ...known, endpoint: url, token: null }, initialize)))
}

/** Whether it speaks as one, be it to refuse. */
const isEndpoint = ({ answer, result, error }: Reply): boolean =>
  result !== null || (error !== null && answer.status !== 404) || isChallenged(answer)

const isChallenged = ({ status, headers }: ReadAnswer): boolean =>
  status === 401 && /\bBearer\b/i.test(headers['www-authenticate'] ?? '')

const isNotFound = (answer: ReadAnswer): boolean =>
  isNowhere(answer.status) || (answer.status === 200 && isPage(answer))

async function judge(visit: Visit, reply: Reply): Promise<Finding> {
  const { answer, result, error } = reply
  const learned = { endpoint: answer.url }
  if (result !== null) return ok(`${answered(answer)}: open to everybody`, { ...learned, access: 'open' })
  if (answer.status === 401 && answer.url.protocol === 'http:' && !isLoopbackUrl(answer.url.href))
    return broken(answer, trouble('plainHttp', addressFacts(answer.url)))
  if (isChallenged(answer)) {
    const refused = { answer, challenge: challengeOf(answer.headers['www-authenticate'] ?? '') }
    return ok(`${answered(answer)} with a challenge`, { ...learned, access: 'protected', refused })
  }
  if (answer.status === 401) return unchallenged(reply, learned)
  if (isNowhere(answer.status)) return broken(answer, await noEndpoint(visit, answer.url))
  const isOwn = error !== null && answer.status !== 403 && answer.status !== 429 && answer.status < 500
  return broken(answer, isOwn ? protocolRefused('initialize', error) : troubleOf(answer))
}

/** A 401 that is no challenge of ours: its sender shows in its body. */
function unchallenged({ answer, error }: Reply, learned: Pick<Known, 'endpoint'>): Finding {
  const said = answer.headers['www-authenticate'] ?? ''
  const scheme = /^[\w-]{1,40}/.exec(said)?.[0] ?? ''
  if (scheme === '' && isPage(answer))
    return broken(answer, trouble('proxySignIn', { ...addressFacts(answer.url), titled: titleOf(answer) }))
  if (scheme !== '' && error === null) return broken(answer, troubleOf(answer))
  const refused = { answer, challenge: null }
  const cause = scheme === '' ? trouble('challengeTaken') : trouble('challengeReplaced', { scheme })
  return wrong(answer, cause, { ...learned, access: 'protected', refused })
}

/** Tells where there is one, when it is not where it was asked for. */
async function noEndpoint(visit: Visit, requested: URL): Promise<Trouble> {
  const { href } = requested
  const usual = new URL('/mcp', requested)
  const isThere = requested.pathname !== '/mcp' && isEndpoint(await askAt(visit, usual))
  return isThere ? trouble('endpointElsewhere', { href, found: usual.href }) : trouble('noEndpoint', { href })
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
