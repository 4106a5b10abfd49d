/** What the pages are shown by: the example on real sockets, the documentation, and Chromium. Opened on first use. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Browser } from 'playwright-core'
import { run as docs } from '../../cli/capabilities/reference/commands/docs.ts'
import { createApplication, type Dependencies } from '../../runtime/boot/application.ts'
import { loadBundle } from '../../runtime/boot/bundle.ts'
import type { Environment } from '../../runtime/boot/environment.ts'
import type { AppBundle } from '../../runtime/contract/bundle.ts'
import { type DocumentHost, openDocumentHost } from '../oauth/support/document-host.ts'
import { leaveChromium, sharedChromium } from '../support/chromium.ts'
import { freePort } from '../support/free-port.ts'
import { surroundings } from '../support/surroundings.ts'

export interface Variant {
  /** Of the application's configuration. */
  readonly config?: object
  readonly change?: (bundle: AppBundle) => AppBundle
  readonly environment?: Partial<Environment>
  readonly dependencies?: Partial<Dependencies>
}

export interface Scene {
  readonly browser: Browser
  /** The base URL of the example, with the development login unless the variant says otherwise; one server a name. */
  serve(name: string, variant?: Variant): Promise<string>
  /** The address of a page that is the result of a function alone. */
  show(text: string): Promise<string>
  /** The address of `acmcp docs`. */
  docs(): Promise<string>
  /** Publishes metadata documents of clients. */
  documentHost(): Promise<DocumentHost>
  close(): Promise<void>
}

export async function openScene(): Promise<Scene> {
  const closing: (() => unknown)[] = []
  const opened = new Map<string, Promise<unknown>>()
  const only = <Value>(key: string, open: () => Promise<Value>): Promise<Value> => {
    const value = opened.get(key) ?? open()
    opened.set(key, value)
    return value as Promise<Value> // of the same key, which has one kind of value
  }
  const browser = await sharedChromium()
  return {
    browser,
    serve: (name, variant = {}) => only(`serve ${name}`, () => served(variant, closing)),
    show: (text) => shown(text, closing),
    docs: () => only('docs', () => servedDocs(closing)),
    documentHost: () =>
      only('documents', async () => {
        const host = await openDocumentHost()
        closing.push(host.close)
        return host
      }),
    close: async () => {
      await leaveChromium()
      for (const close of closing) await close()
    },
  }
}

async function served(variant: Variant, closing: (() => unknown)[]): Promise<string> {
  const port = await freePort()
  const baseUrl = `http://localhost:${port}`
  const { config = {}, change = (bundle: AppBundle) => bundle, environment, dependencies } = variant
  const example = change(await loadBundle(process.cwd()))
  const bundle = { ...example, config: { ...(example.config as object), ...config } } // defineApp's object
  const application = await createApplication(bundle, {
    ...surroundings(baseUrl, { devLogin: true, ...environment }),
    ...dependencies,
  })
  closing.push(application.close)
  await application.server.listen({ port, host: 'localhost' })
  return baseUrl
}

async function shown(text: string, closing: (() => unknown)[]): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(text)
  })
  const port = await freePort()
  server.listen(port, 'localhost')
  await once(server, 'listening')
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://localhost:${port}`
}

async function servedDocs(closing: (() => unknown)[]): Promise<string> {
  const stopped = new AbortController()
  const line = await new Promise<string>((print, reject) => {
    const warn = (text: string): void => reject(new Error(text))
    const options = { port: 0, isPrinted: false, isOpened: false, print, warn }
    const ended = docs(null, options, stopped.signal)
    closing.push(() => {
      stopped.abort()
      return ended
    })
  })
  return new URL(line.replace('documentation: ', '')).origin
}
