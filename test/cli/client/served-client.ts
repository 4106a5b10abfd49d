/** Applications that are built with a client, served on loopback in this process, and called through that client. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { transform } from 'esbuild'
import { buildIfChanged } from '../../../cli/build/build-if-changed.ts'
import { part } from '../../../cli/capabilities/client/build-part.ts'
import { clientTransport } from '../../../cli/capabilities/client/client-transport.ts'
import { createApplication } from '../../../runtime/boot/application.ts'
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import { freePort } from '../../support/free-port.ts'
import { linkPackage } from '../../support/linked.ts'
import { surroundings } from '../../support/surroundings.ts'
import { write } from '../support/built-app.ts'
import type { Files } from '../support/memory-host.ts'

type Teardown = { teardown(clean: () => unknown): void }

/** What a call came to, whatever its route. */
export interface Answer {
  readonly ok: boolean
  readonly status: number
  readonly data: unknown
  readonly response: Response
}

type Call = (parameters?: object, options?: object) => Promise<Answer>

export type AnyClient = Readonly<Record<string, Readonly<Record<string, Call>>>>

/** A printed client as a module, called without its types: what they say is another test's. */
export interface ClientModule {
  createClient(options: object): AnyClient
  dataOf(answer: unknown): Promise<unknown>
  UnexpectedAnswer: new (response: Response, text: string) => Error
  FailedAnswer: new (answer: Answer) => Error
}

export interface ServedClient {
  readonly root: string
  readonly baseUrl: string
  readonly module: ClientModule
  /** `generated/client.ts` */
  readonly text: string
}

/** The application of which the tests of this folder speak. */
export const golden = 'test/cli/client/golden'

/** A committed client, which is the application's part, with what all of them have. */
export const wholeClient = (committed: string): string => readFileSync(committed, 'utf8') + clientTransport()

/** A folder with these files, or those of the golden, and the package; removed after the test. */
export function applicationFolder(t: Teardown, files: Files | null): string {
  const root = mkdtempSync(join(tmpdir(), 'acmcp-client-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  if (files === null) cpSync(golden, root, { recursive: true })
  for (const [path, text] of Object.entries(files ?? {})) write(root, path, text)
  linkPackage(root)
  return root
}

/** Builds it with its client. Throws with what is wrong with it. */
export async function buildWithClient(root: string): Promise<string> {
  const said: string[] = []
  const status = await buildIfChanged({
    cwd: root,
    check: false,
    overwrite: true,
    typecheck: false,
    strict: false,
    parts: [part],
    flags: { client: true },
    format: 'text',
    colour: false,
    print: (line) => void said.push(line),
    warn: (line) => void said.push(line),
  })
  if (status !== 0) throw new Error(`the application does not build:\n${said.join('\n')}`)
  return readFileSync(join(root, 'generated/client.ts'), 'utf8')
}

/** Serves the application until the test ends. */
export async function serveWithClient(t: Teardown, files: Files | null): Promise<ServedClient> {
  const root = applicationFolder(t, files)
  const text = await buildWithClient(root)
  const port = await freePort()
  const baseUrl = `http://localhost:${port}`
  const application = await createApplication(await loadBundle(root), surroundings(baseUrl))
  await application.server.listen({ port, host: 'localhost' })
  t.teardown(() => application.close())
  return { root, baseUrl, text, module: await loadClient(root, text) }
}

/** The module of a printed client. */
export async function loadClient(root: string, text: string): Promise<ClientModule> {
  const path = join(root, `client-${text.length}.mjs`)
  const { code } = await transform(text, { loader: 'ts', format: 'esm', target: 'es2022' })
  writeFileSync(path, code)
  return import(pathToFileURL(path).href)
}
