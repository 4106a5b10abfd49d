/** A network that loses answers: requests arrive, and what is answered to those that a test names does not. */
import { once } from 'node:events'
import { createServer, request as forward, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface DroppingProxy {
  readonly origin: string
  /** The next so many requests whose body has the text get no answer: their connection ends when the server has answered. */
  drop(text: string, count: number): void
  readonly dropped: () => number
}

/** In front of the server at `port`, until the end of the test. */
export async function droppingProxy(
  t: { teardown(clean: () => unknown): void },
  port: number,
): Promise<DroppingProxy> {
  let [lost, left, dropped] = ['', 0, 0]
  const server = createServer(async (incoming, response) => {
    const body = await bodyOf(incoming)
    const { method, url = '/', headers } = incoming
    const isLost = left > 0 && body.includes(lost)
    if (isLost) left -= 1
    const sent = forward({
      ...{ host: 'localhost', port, path: url },
      ...(method === undefined ? {} : { method }),
      headers: { ...headers, host: `localhost:${port}` },
    })
    sent.on('response', (answer) => {
      if (!isLost) {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
        return
      }
      answer.resume().on('end', () => {
        dropped += 1
        response.destroy()
      })
    })
    sent.on('error', () => response.destroy())
    response.on('close', () => sent.destroy())
    sent.end(body)
  }).listen(0, 'localhost')
  await once(server, 'listening')
  t.teardown(() => server.close().closeAllConnections())
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`, // it listens on a port
    drop: (text, count) => {
      lost = text
      left = count
    },
    dropped: () => dropped,
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of request) text += String(piece)
  return text
}
