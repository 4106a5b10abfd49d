/** What can be wrong with a 401 on its way to the client: its challenge was taken or changed, or it is not the server's at all. */
import { addressWithoutQuery, firstSegment, type Trouble, trouble } from './troubles.ts'

const passOn = 'Pass it on: clients learn from it that, and where, they can sign in.'

export const challengeTaken = (): Trouble =>
  trouble('The 401 comes without WWW-Authenticate: the proxy takes that header out of answers.', passOn)

/** `scheme`: the first word of it. */
export const challengeReplaced = (scheme: string): Trouble =>
  trouble(
    `The server's 401 comes with WWW-Authenticate: ${scheme}: the proxy writes another challenge in its place.`,
    'Pass on the one of the server: clients learn from it where they can sign in, and know Bearer alone.',
  )

export const challengeShortened = (): Trouble =>
  trouble(
    'The challenge names no resource_metadata, though the document is there: the proxy rewrites WWW-Authenticate.',
    passOn,
  )

export const challengeChanged = (said: string, wanted: string): Trouble =>
  trouble(
    `The challenge names ${said}, the document is at ${wanted}: the proxy rewrites WWW-Authenticate.`,
    passOn,
  )

export const proxySignIn = (requested: URL, title: string): Trouble =>
  trouble(
    `A web page${title === '' ? '' : ` (“${title}”)`} answers 401 at ${addressWithoutQuery(requested)}: a sign-in, or an error page, of the proxy itself.`,
    `Let ${firstSegment(requested)} through without it (nginx: no auth_request, no proxy_intercept_errors): clients sign in at the server.`,
  )
