/** `acmcp docs`: the documentation of this version as pages on loopback, or as Markdown for a terminal. */
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Option } from 'commander'
import { toPort } from '../../../command-line/argument-types.ts'
import { type Add, addExamples, type CommandContext } from '../../../command-line/command.ts'
import { hintOf } from '../../../command-line/known-names.ts'
import { stopSignal } from '../../../command-line/stopping.ts'
import { openBrowser } from '../../../terminal/open-browser.ts'
import type { ShippedPage } from '../shipped-pages.ts'

export const place = 720

export const add: Add = (program, start) => {
  const command = program
    .command('docs')
    .description('serve the documentation of this version on this machine')
    .argument('[page]', 'the name of a page, such as quick-start')
    .addOption(new Option('--print', 'print the page as Markdown instead').conflicts('open'))
    .option('--open', 'open it in the browser too')
    .option('--port <port>', 'where to listen; 0 takes a free port', toPort, 0)
    .allowExcessArguments(false)
    .action(
      (page: string | undefined, { port, print: isPrinted = false, open: isOpened = false }: DocsFlags) =>
        start((context) => run(page ?? null, { ...context, port, isPrinted, isOpened }, stopSignal())),
    )
  addExamples(command, ['acmcp docs --open', 'acmcp docs reference-tags --print'])
}

interface DocsFlags {
  readonly print?: boolean
  readonly open?: boolean
  readonly port: number
}

export interface DocsOptions extends Pick<CommandContext, 'print' | 'warn'> {
  /** 0 = a free one. */
  readonly port: number
  /** Prints the Markdown and ends. */
  readonly isPrinted: boolean
  /** Opens the address in the browser too. */
  readonly isOpened: boolean
}

/** Serves until `signal` aborts; the exit code: 0, 1 when the port is taken, or 2 when there is no such page. */
export async function run(
  name: string | null,
  { port, isPrinted, isOpened, print, warn }: DocsOptions,
  signal: AbortSignal,
): Promise<0 | 1 | 2> {
  const { shippedPages } = await import('../shipped-pages.ts')
  const pages = shippedPages()
  const page = find(pages, name)
  if (page === null) {
    const names = pages.map((shippedPage) => shippedPage.name)
    warn(`acmcp: there is no page ${name}. ${hintOf(name, names)}`)
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
  return pages.find((page) => page.name.toLowerCase() === plain) ?? null
}

/** The server, or the code of why there is none. */
async function serve(pages: readonly ShippedPage[], port: number): Promise<Server | string> {
  const { docsPage } = await import('../../../../templates/pages/docs.ts') // not for --print
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
