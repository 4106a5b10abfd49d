/** A request that a route is given in place of the client's own: its parts are its own, the rest is the client's. */
import type { EndedBy, HttpRequest } from '../../contract/http.ts'
import { cookiesOf } from '../input/cookies.ts'
import { onDisconnect } from './on-disconnect.ts'

/** What is the request's own; `query`: null = it has none. */
export interface RequestParts
  extends Pick<HttpRequest, 'method' | 'url' | 'path' | 'params' | 'headers' | 'body'> {
  readonly query: URLSearchParams | null
}

/** Id, address, session and connection are those of `client`. */
export class ForwardedRequest implements HttpRequest {
  readonly method: string
  readonly url: string
  readonly path: string
  readonly params: HttpRequest['params']
  readonly headers: HttpRequest['headers']
  readonly body: HttpRequest['body']
  readonly #client: HttpRequest
  #query: URLSearchParams | null

  constructor(client: HttpRequest, parts: RequestParts) {
    this.#client = client
    this.method = parts.method
    this.url = parts.url
    this.path = parts.path
    this.#query = parts.query
    this.params = parts.params
    this.headers = parts.headers
    this.body = parts.body
  }

  /** Few ask for one that is empty, and it costs as much as the rest. */
  get query(): URLSearchParams {
    this.#query ??= new URLSearchParams()
    return this.#query
  }

  get cookies(): HttpRequest['cookies'] {
    return cookiesOf(this.headers)
  }

  get id(): string {
    return this.#client.id
  }

  get ip(): string {
    return this.#client.ip
  }

  get session(): HttpRequest['session'] {
    return this.#client.session
  }

  get signal(): AbortSignal {
    return this.#client.signal
  }

  onDisconnect(gone: (by: EndedBy) => void): () => void {
    return onDisconnect(this.#client, gone)
  }
}
