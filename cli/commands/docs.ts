/** `acmcp docs`: the documentation of this version as pages on loopback, or as Markdown for a terminal. */
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { closest } from '../compiler/diagnostics/similar-names.ts'
import { type ShippedPage, shippedPages } from '../reference/shipped-pages.ts'
import { openBrowser } from '../terminal/open-browser.ts'

export interface DocsOptions {
  /** 0 = a free one. */
  readonly port: number
  /** Prints the Markdown and ends. */
  readonly isPrinted: boolean
  /** Opens the address in the browser too. */
  readonly isOpened: boolean
  readonly print: (line: string) => void
  readonly warn: (line: string) => void
}

/** Serves until `signal` aborts; the exit code: 0, 1 when the port is taken, or 2 when there is no such page. */
export async function docs(
  name: string | null,
  { port, isPrinted, isOpened, print, warn }: DocsOptions,
  signal: AbortSignal,
): Promise<0 | 1 | 2> {
  const pages = shippedPages()
  const page = find(pages, name)
  if (page === null) {
    const names = pages.map((one) => one.name)
    const meant = closest(name ?? '', names)
    warn(
      `acmcp: there is no page ${name}. ${meant === null ? `There are: ${names.join(', ')}.` : `Did you mean ${meant}?`}`,
    )
    return 2
  }
  if (isPrinted) {
    print(page.text.trimEnd())
    return 0
  }
  const server = await serve(pages, port)
  if (typeof server === 'string') {
    warn(`acmcp: port ${port} cannot be listened at (${server})`)
    return 1
  }
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathOf(page)}` // of a server that listens on a port
  print(`documentation: ${address}`)
  if (isOpened) openBrowser(address, warn)
  if (!signal.aborted) await once(signal, 'abort')
  server.closeAllConnections()
  server.close()
  return 0
}

const pathOf = ({ name }: ShippedPage): string => (name === 'README' ? '/' : `/${name}`)

/** The page of that name, or the first one. */
function find(pages: readonly ShippedPage[], name: string | null): ShippedPage | null {
  if (name === null) return pages[0] ?? null
  const plain = name.replace(/\.md$/, '').toLowerCase()
  return pages.find((one) => one.name.toLowerCase() === plain) ?? null
}

/** The server, or the code of why there is none. */
async function serve(pages: readonly ShippedPage[], port: number): Promise<Server | string> {
  const { docsPage } = await import('../../templates/pages/docs.ts') // not for --print
  const server = createServer(({ url = '/', method }, response) => {
    const [pathname = '/'] = url.split('?', 1) // compared with names alone; URL throws on `//`
    const page = find(pages, pathname === '/' ? null : pathname.slice(1))
    if (method !== 'GET' && method !== 'HEAD') send(response, 405, 'text/plain', 'only GET\n')
    else if (page === null) send(response, 404, 'text/plain', 'no such page\n')
    else send(response, 200, 'text/html', docsPage({ ...page, pages }))
  })
  server.listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
    return server
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  }
}

/** The stricter rest of the policy stands in the page itself. */
function send(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, {
    'content-type': `${type}; charset=utf-8`,
    'content-security-policy': "frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  })
  response.end(text)
}
