/** What an answer that is not the expected one says about its sender. */
import { isLoopbackUrl } from '../../../runtime/loopback.ts'
import { jsonObject, maxOfPage, type ReadAnswer, redirectTarget, textIn } from './request.ts'
import { addressFacts, addressOf, type Trouble, type TroubleName, trouble } from './troubles.ts'

interface Row {
  readonly when: (answer: ReadAnswer) => boolean
  readonly says: TroubleName
}

/** In this order: what is told apart by less comes later. */
const rows = [
  { when: isSlashRedirect, says: 'redirectedBySlash' },
  { when: isUpgrade, says: 'redirectedToHttps' },
  { when: (answer) => redirectTarget(answer) !== null, says: 'redirected' },
  { when: ({ status }) => status === 413, says: 'tooLarge' },
  { when: ({ status }) => status === 429, says: 'tooManyRequests' },
  { when: wantsPassword, says: 'passwordRequired' },
  { when: (answer) => isForeignHost(answer) && isLoopbackUrl(answer.url.href), says: 'wrongHost' },
  { when: isForeignHost, says: 'baseUrlIsLocal' },
  { when: (answer) => answer.status === 403 && /\borigin\b/i.test(saysOf(answer)), says: 'wrongOrigin' },
  // a 503 in JSON is the server's own
  { when: ({ status, body }) => status === 503 && jsonObject(body) !== null, says: 'notAvailable' },
  { when: ({ status }) => status >= 502 && status <= 504, says: 'serverIsDown' },
  { when: isForeignPage, says: 'webPage' },
  { when: ({ status }) => status === 403 || isNowhere(status), says: 'notPassedOn' },
  { when: ({ status }) => status >= 500, says: 'failedInside' },
] as const satisfies readonly Row[]

/** Why the answer is not the one that was to come. */
export function troubleOf(answer: ReadAnswer): Trouble {
  const to = redirectTarget(answer)
  const reason = saysOf(answer)
  return trouble(rows.find(({ when }) => when(answer))?.says ?? 'notExpected', {
    ...addressFacts(answer.url),
    status: answer.status,
    to: to === null ? '' : addressOf(to),
    toWhole: to?.href ?? '',
    titled: titleOf(answer),
    reason: reason === '' ? '' : `: ${reason}`,
    bytes: 'this size',
  })
}

function isSlashRedirect(answer: ReadAnswer): boolean {
  const { host, pathname } = redirectTarget(answer) ?? {}
  const { url } = answer
  return host === url.host && (pathname === `${url.pathname}/` || `${pathname}/` === url.pathname)
}

function isUpgrade(answer: ReadAnswer): boolean {
  const { protocol, hostname, pathname } = redirectTarget(answer) ?? {}
  const { url } = answer
  const isToHttps = url.protocol === 'http:' && protocol === 'https:'
  return isToHttps && hostname === url.hostname && pathname === url.pathname
}

function wantsPassword({ status, headers }: ReadAnswer): boolean {
  return status === 401 && /\bBasic\b/i.test(headers['www-authenticate'] ?? '')
}

/** The words of acmcp, and of the SDK's own protection against rebound names. */
function isForeignHost(answer: ReadAnswer): boolean {
  return answer.status === 403 && /\bhost\b/i.test(saysOf(answer))
}

/** A page that says 404 is the proxy's own. */
function isForeignPage(answer: ReadAnswer): boolean {
  return isPage(answer) && !isNowhere(answer.status) && answer.status < 500
}

export const isNowhere = (status: number): boolean => status === 404 || status === 405

export const isPage = ({ headers }: ReadAnswer): boolean =>
  headers['content-type']?.startsWith('text/html') === true

/** ` (“Sign in”)`, or nothing. */
export function titleOf({ body }: ReadAnswer): string {
  const [, title = ''] = /<title(?:\s[^<>]{0,200})?>([^<]{1,80})/i.exec(body.slice(0, maxOfPage)) ?? []
  return title.trim() === '' ? '' : ` (“${title.trim()}”)`
}

/** What an error says of itself, in JSON-RPC and in OAuth; empty for anything else. */
export function saysOf({ body }: ReadAnswer): string {
  const answer = jsonObject(body)
  const nested = answer?.error
  const isNested = typeof nested === 'object' && nested !== null && 'message' in nested
  const said = isNested
    ? String(nested.message)
    : [textIn(answer, 'error'), textIn(answer, 'error_description')]
        .filter((item) => item !== null)
        .join(': ')
  return said.slice(0, 120)
}
