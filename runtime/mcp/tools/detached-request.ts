import type { HeaderMap, HttpRequest, Session } from '../../contract/http.ts'
import { cookiesOf } from '../../http/input/cookies.ts'
import { noBody } from '../auth/request-in-process.ts'

/** Of a client that sent no cookie, whose credential is checked again: no route is called. */
const noSession: Session = {
  get: () => undefined,
  set: () => {},
  remove: () => {},
  regenerate: async () => {},
}

/** What is kept of a request once it has been answered: of one that opened a stream, to check its credential again, or began work that goes on. It
 *  holds on to neither the transport's own request nor the body. Its session must be read anew for each check. */
export class DetachedRequest implements HttpRequest {
  readonly id: string
  readonly method: string
  readonly url: string
  readonly params: HttpRequest['params']
  readonly headers: HeaderMap
  readonly ip: string
  readonly session: Session

  /** `withoutCookie`: the session of a client that sent none. */
  constructor(request: HttpRequest, withoutCookie: Session = noSession) {
    const { id, method, url, params, headers, ip } = request
    this.id = id
    this.method = method
    this.url = url
    this.params = params
    this.headers = headers
    this.ip = ip
    this.session = headers.cookie === undefined ? withoutCookie : request.session
  }

  get path(): string {
    return this.url.split('?', 1)[0] ?? ''
  }

  get query(): URLSearchParams {
    return new URLSearchParams(this.url.slice(this.path.length))
  }

  get cookies(): HttpRequest['cookies'] {
    return cookiesOf(this.headers)
  }

  get body(): HttpRequest['body'] {
    return noBody
  }

  get signal(): AbortSignal {
    return new AbortController().signal
  }
}
