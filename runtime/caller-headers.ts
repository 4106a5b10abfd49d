/** Headers that name the caller, from where and by which way. A model never chooses them: the compiler makes no argument
 *  of them, and a tool call never sets them from one. Imports nothing of ours. */

/** What a tool call carries of the client's own request, or says itself. Source: rules.md, What the service does 1. */
const carried: ReadonlySet<string> = new Set(['authorization', 'cookie', 'x-api-key', 'accept'])

/** Whether every tool call can carry the header, so that a route may ask for it. */
export const isCarried = (name: string): boolean => carried.has(name.toLowerCase())

/** Credentials, beside those that are carried, and names by which gateways tell whom they let in. */
const identity = [
  'api-key, apikey, access-token, authentication, user, username, userinfo, user-id, user-email, user-name, user-roles',
  'x-access-token, x-session-token, x-id-token, x-token, x-apikey, x-jwt, x-groups, x-roles, x-email, x-username, x-userinfo',
  'x-anonymous-consumer, x-apigateway-api-userinfo, x-endpoint-api-userinfo, x-secret, x-api-secret, x-api-token',
]

/** What proxies and networks say of a request. */
const proxies = [
  'host, forwarded, via, client-ip, true-client-ip, x-client-ip, x-cluster-client-ip, x-real-ip, x-real-port',
  'x-scheme, x-url-scheme, x-host, x-port, front-end-https, cdn-loop, surrogate-capability, x-request-id, x-correlation-id',
  'x-method-override, x-request-uri, x-server-name, x-client-dn, x-client-verify, x-wap-profile',
]

/** What belongs to the message itself, or to the browser that sends it. Source: Fetch, forbidden request-headers; RFC 9110. */
const message = [
  'accept-charset, accept-encoding, connection, content-encoding, content-length, content-type, content-range, date, dnt',
  'expect, keep-alive, origin, referer, referrer, set-cookie, te, trailer, transfer-encoding, upgrade, user-agent',
  'traceparent, tracestate, baggage, x-csrf-token, x-xsrf-token, x-csrftoken, x-requested-with',
]

const names = new Set([...carried, ...[identity, proxies, message].flat().flatMap((row) => row.split(', '))])

/** Families of such names, by their beginning: `x-forwarded-for`, `cf-connecting-ip`, `x-amzn-oidc-data`. */
const families =
  /^(x-(forward(ed|er)?|original|origin|rewrite|remote|proxy|proxied|amzn|amz|arr|azure|ms|appengine|goog|google|vercel|nf|envoy|b3|cloud|country|geo|ssl|tls|client-cert|http-method|auth|authenticated|authentik|webauth|user|consumer|credential|jwt|pomerium|vouch|kong|sso|saml|oidc|shib)|forwarded|proxy|remote|ssl|tls|cf|fastly|fly|akamai|incap|true-client|tailscale|oidc|shib|sec|access-control|mcp)([-_]|$)/

/** What says when and how one message is to be answered, or which one it is: kept and sent again, it would answer another. */
const ofOneMessage = /^((if|content|x-acmcp)-|(range|idempotency-key|last-event-id)$)/

/** Why tool calls never carry the header of a client's request, however it is asked for, as the end of a sentence that begins with its
 *  name; null = the application may name it. */
export function whyNeverForwarded(name: string): string | null {
  if (!/^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/i.test(name)) return 'is not the name of a header'
  if (isCarried(name)) return 'is not to be named: tool calls have it anyway'
  const plain = name.toLowerCase().replaceAll('_', '-')
  if (!isCallerHeader(name) && !ofOneMessage.test(plain)) return null
  return 'never goes along: it says who calls, by which way, or what one message is'
}

/** What is another one when the same caller sends the same call again: by which way it comes, and which message it is. */
const ofOneWay =
  /(^|-)(ip|for|by|port|via|ray|b3|trace|traceparent|tracestate|baggage|(request|correlation|trace|span)-id)(-|$)|^(forwarded|sec|mcp)(-|$)/
const ofOneMessageToo = new Set([...carried, ...message.flatMap((row) => row.split(', '))])

/** Whether the header tells apart callers with the same credentials, as where a gateway names the user that it let in. */
export function tellsCallersApart(name: string): boolean {
  const plain = name.toLowerCase().replaceAll('_', '-')
  return isCallerHeader(name) && !ofOneMessageToo.has(plain) && !ofOneWay.test(plain)
}

/** Whether the header names the caller, from where or by which way. Names are compared without case, `_` counts as `-`: servers take them for one. */
export function isCallerHeader(name: string): boolean {
  const plain = name.toLowerCase().replaceAll('_', '-')
  return names.has(plain) || families.test(plain)
}
