/** The address that routes, filters, hooks, logs and our own guards see of a request: a path from the root, as the router compares it.
 *  Source: RFC 9112, 3.2; RFC 3986, 6.2.2. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** Rewrites the target of each request before it is routed. One that is no address of a server is routed to an address that no client
 *  knows, whose route refuses it: so its refusal passes the hooks, and has its line in the log. */
export function rewriteTarget(message: IncomingMessage & { originalUrl?: string }): string {
  const target = message.url ?? ''
  const path = isPlain(target) ? target : originForm(message, target)
  if (path !== null) {
    message.originalUrl = path
    return path
  }
  message.originalUrl = target
  refused.add(message)
  return refusingRoute
}

/** What nearly all are: nothing of it could be written in another way. */
const isPlain = (target: string): boolean =>
  target.charCodeAt(0) === 47 && !target.includes('%') && !target.includes('#')

const refused = new WeakSet<IncomingMessage>()

/** Whether its target is no address, so that decoding it fails. */
export const isRefusedTarget = (message: IncomingMessage): boolean => refused.has(message)

/** Where those that are refused are routed to. */
export const refusingRoute: string = `/${randomUUID()}`

/** The address of a route as logs know it: null where none was found. */
export const knownRoute = (url: string | undefined): string | null =>
  url === undefined || url === refusingRoute ? null : url

/** The address that was sent, again, for all that comes after the routing; must be the first hook. */
export function showSentTargets(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    const { originalUrl } = raw as { readonly originalUrl?: string } // set above
    if (originalUrl !== undefined && refused.has(raw)) raw.url = originalUrl
    done()
  })
}

/** Scheme, host and what follows of a whole address; without a name in front of the host, which only deceives. */
const absoluteForm = /^https?:\/\/([^/?#@\\\s]+)([/?][^#]*)?(?:#.*)?$/i

/** Null for what is none. A whole address has the host in it, whatever the header says. */
function originForm(message: IncomingMessage, target: string): string | null {
  if (target.startsWith('/')) return normalized(target.split('#', 1)[0] ?? '')
  const [, host, rest = '/'] = absoluteForm.exec(target) ?? []
  if (host === undefined) return null
  setHost(message, host)
  return normalized(rest.startsWith('/') ? rest : `/${rest}`)
}

/** A message that lacks the header is refused for that, and so is one that has it twice. */
function setHost({ headers, rawHeaders }: IncomingMessage, host: string): void {
  if (headers.host === undefined) return
  headers.host = host
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'host')
  rawHeaders[at + 1] = host
}

/** The path with each octet in its one spelling; null where it is no text. */
function normalized(address: string): string | null {
  const [path = ''] = address.split('?', 1)
  if (!path.includes('%')) return address
  const spelled = path.replace(/%[\da-f]{2}/gi, spelling)
  return isText(spelled) ? spelled + address.slice(path.length) : null
}

/** The router does not tell these from their escapes either. */
const unescaped = /[\w.~!'()*-]/

function spelling(octet: string): string {
  const character = String.fromCharCode(Number.parseInt(octet.slice(1), 16))
  return unescaped.test(character) ? character : octet.toUpperCase()
}

function isText(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}
