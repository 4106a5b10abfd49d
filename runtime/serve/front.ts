/** The port of an application that is replaced while it is served: connections outlive the application, and each request
 *  goes to the one of the moment. */
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'

export interface Front {
  /** Answers the address. */
  listen(at: { readonly host: string; readonly port: number }): Promise<string>
  /** Sends requests to `server`, which listens nowhere itself. Resolves when those that the one before got are answered,
   *  at the latest after eight seconds. */
  turnTo(server: Server): Promise<void>
  /** Takes no more. Resolves when all are answered, at the latest after eight seconds. */
  close(): Promise<void>
}

/** It answers nothing before its first `turnTo`. */
export function createFront(): Front {
  const front = createServer()
  let answers = new OpenAnswers()
  return {
    async listen(at) {
      front.listen(at)
      await once(front, 'listening')
      return addressOf(front)
    },
    turnTo(server) {
      const before = answers
      answers = forward(front, server)
      return before.ended()
    },
    async close() {
      front.close()
      await answers.ended()
      front.closeAllConnections()
    },
  }
}

function addressOf(server: Server): string {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port')
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return `http://${host}:${address.port}`
}

/** What a connection makes of the requests on it; of the others only `connection` is ours alone. */
const events = ['request', 'upgrade', 'connect', 'checkContinue', 'checkExpectation', 'clientError']

/** Limits are read from the server for each connection. */
const limits = ['maxHeaderSize', 'headersTimeout', 'requestTimeout', 'keepAliveTimeout', 'requireHostHeader']

/** Hands every event on; whether there is a listener at all decides what Node does by itself. */
function forward(front: Server, server: Server): OpenAnswers {
  const answers = new OpenAnswers()
  for (const event of events) {
    front.removeAllListeners(event)
    if (server.listenerCount(event) > 0) front.on(event, (...about) => server.emit(event, ...about))
  }
  front.prependListener('request', (_request, response) => answers.add(response))
  Object.assign(front, Object.fromEntries(limits.map((name) => [name, Reflect.get(server, name)])))
  return answers
}

const graceMs = 8_000

/** The answers of one application that are not complete. */
class OpenAnswers {
  readonly #open = new Set<ServerResponse>()
  #whenEnded = (): void => {}

  add(response: ServerResponse): void {
    this.#open.add(response)
    response.on('close', () => {
      this.#open.delete(response)
      if (this.#open.size === 0) this.#whenEnded()
    })
  }

  ended(): Promise<void> {
    if (this.#open.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const force = setTimeout(resolve, graceMs).unref()
      this.#whenEnded = () => {
        clearTimeout(force)
        resolve()
      }
    })
  }
}
