/** What an answer that is not the expected one says about who gave it. */
import { isLoopbackUrl } from '../../runtime/loopback.ts'
import { jsonObject, maxOfPage, type ReadAnswer, textIn } from './request.ts'
import {
  baseUrlIsLocal,
  failedInside,
  notAvailable,
  notExpected,
  notPassedOn,
  passwordRequired,
  redirected,
  redirectedBySlash,
  redirectedToHttps,
  serverIsDown,
  type Trouble,
  tooLarge,
  tooManyRequests,
  webPage,
  wrongHost,
  wrongOrigin,
} from './troubles.ts'

/** Null = that is not it. */
type Judge = (answer: ReadAnswer) => Trouble | null

/** In this order: what is told apart by less comes later. */
const judges: readonly Judge[] = [
  redirect,
  tooLargeMessage,
  tooMany,
  password,
  foreignHost,
  foreignOrigin,
  unavailable,
  page,
  nowhere,
  failure,
]

/** Why the answer is not the one that was to come. */
export function troubleOf(answer: ReadAnswer): Trouble {
  for (const judge of judges) {
    const trouble = judge(answer)
    if (trouble !== null) return trouble
  }
  return notExpected(answer.url, `${answer.status}, which is not what is expected`)
}

function redirect({ status, headers, url }: ReadAnswer): Trouble | null {
  const { location } = headers
  if (status < 300 || status > 399 || location === undefined || !URL.canParse(location, url)) return null
  const to = new URL(location, url)
  if (to.host === url.host && to.pathname === `${url.pathname}/`) return redirectedBySlash(to.href)
  if (to.host === url.host && `${to.pathname}/` === url.pathname) return redirectedBySlash(to.href)
  const isUpgrade = url.protocol === 'http:' && to.protocol === 'https:' && to.hostname === url.hostname
  if (isUpgrade && to.pathname === url.pathname) return redirectedToHttps(`${to.origin}${to.pathname}`)
  return redirected(url, `${to.origin}${to.pathname}`)
}

function tooLargeMessage({ status }: ReadAnswer): Trouble | null {
  return status === 413 ? tooLarge('this size') : null
}

function tooMany({ status }: ReadAnswer): Trouble | null {
  return status === 429 ? tooManyRequests() : null
}

function password({ status, headers, url }: ReadAnswer): Trouble | null {
  const challenge = headers['www-authenticate'] ?? ''
  return status === 401 && /\bBasic\b/i.test(challenge) ? passwordRequired(url) : null
}

/** The words of acmcp, and of the SDK's own protection against rebound names. */
function foreignHost(answer: ReadAnswer): Trouble | null {
  if (answer.status !== 403 || !/\bhost\b/i.test(saysOf(answer))) return null
  return isLoopbackUrl(answer.url.href) ? wrongHost() : baseUrlIsLocal(answer.url)
}

function foreignOrigin(answer: ReadAnswer): Trouble | null {
  return answer.status === 403 && /\borigin\b/i.test(saysOf(answer)) ? wrongOrigin() : null
}

/** A 503 in JSON is the server's own. */
function unavailable(answer: ReadAnswer): Trouble | null {
  const { status } = answer
  if (status === 503 && jsonObject(answer.body) !== null) return notAvailable(saysOf(answer))
  return status >= 502 && status <= 504 ? serverIsDown(status) : null
}

export const isPage = ({ headers }: ReadAnswer): boolean =>
  headers['content-type']?.startsWith('text/html') === true

/** A page that says 404 is the proxy's own. */
function page(answer: ReadAnswer): Trouble | null {
  const { status, body, url } = answer
  if (!isPage(answer) || status === 404 || status === 405 || status >= 500) return null
  return webPage(url, titleOf(body))
}

export const titleOf = (page: string): string =>
  /<title(?:\s[^<>]{0,200})?>([^<]{1,80})/i.exec(page.slice(0, maxOfPage))?.[1]?.trim() ?? ''

function nowhere({ status, url }: ReadAnswer): Trouble | null {
  return status === 403 || status === 404 || status === 405 ? notPassedOn(url, status) : null
}

function failure({ status }: ReadAnswer): Trouble | null {
  return status >= 500 ? failedInside(status) : null
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
