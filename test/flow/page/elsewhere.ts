/** A page of another origin that connects with the SDK, in a real browser. Source: rules.md, OAuth sign-in flow; rules.md, preflight. */
import { build as bundle } from 'esbuild'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import type { SdkVersion } from './client.ts'

/** The client as a script of a page: `pageClient`. */
export async function pageClientScript(): Promise<string> {
  const how = {
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'pageClient',
    logLevel: 'error',
  } as const
  const { outputFiles } = await bundle({
    entryPoints: ['test/flow/page/client.ts'],
    platform: 'browser',
    ...how,
  })
  return outputFiles[0]?.text ?? ''
}

/** Calls a function of the client in the page. */
const inPage = (page: Page, name: string, ...values: readonly unknown[]): Promise<unknown> =>
  page.evaluate(([called, given]) => Reflect.get(Reflect.get(globalThis, 'pageClient'), called)(...given), [
    name,
    values,
  ] as const)

export interface Elsewhere {
  readonly page: Page
  /** Of the client's page. */
  readonly address: string
  readonly baseUrl: string
  readonly advance: (seconds: number) => void
}

const listed = [
  'users_current',
  'list_toolboxes',
  'open_toolbox',
  'find_tools',
  'call_read_only',
  'call_tool',
]
const developer = { id: 'dev:developer', name: 'Developer', email: 'developer@localhost' }

/** From the 401 to a call with refreshed tokens. */
export async function checkSignIn(
  t: Test,
  version: SdkVersion,
  { page, address, baseUrl, advance }: Elsewhere,
): Promise<void> {
  await page.goto(address)
  await inPage(page, 'connect', version, `${baseUrl}/mcp`).catch(() => {}) // the tab leaves meanwhile
  await page.click('a[href="/auth/dev"]')
  await page.click('button[value="allow"]')
  await page.waitForURL(`${address}?**`)
  await inPage(page, 'connect', version, `${baseUrl}/mcp`)
  t.strictSame(await inPage(page, 'used'), [listed, developer, 1], `${version}: signed in`)
  advance(3601)
  t.strictSame(await inPage(page, 'used'), [listed, developer, 2], `${version}: refreshed`)
}

/** What it reads of answers that are refusals, and that it reads nothing of what is for people. */
export async function checkRefusals(t: Test, { page, address, baseUrl }: Elsewhere): Promise<void> {
  await page.goto(address)
  const read = (path: string, init: object = {}, ...names: readonly string[]): Promise<unknown> =>
    inPage(page, 'read', `${baseUrl}${path}`, init, names)
  const challenge = `Bearer resource_metadata="${baseUrl}/.well-known/oauth-protected-resource/mcp", scope="api"`
  t.strictSame(await read('/mcp', { method: 'POST', body: '{}' }, 'www-authenticate'), [401, challenge])
  const long = { 'x-long': 'x'.repeat(20_000) }
  const refused: readonly (readonly [string, object, number])[] = [
    ['/mcp', { method: 'POST', headers: long }, 431],
    [`/mcp?a=${'x'.repeat(9000)}`, { method: 'POST' }, 414],
    ['/oauth/token', {}, 405],
    [`/oauth/token?a=${'x'.repeat(9000)}`, { method: 'POST' }, 414],
    ['/oauth/token', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }, 400],
    ['/oauth/register', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' }, 400],
    ['/.well-known/oauth-protected-resource/elsewhere', { headers: { 'mcp-protocol-version': 'x' } }, 404],
  ]
  for (const [path, init, status] of refused)
    t.strictSame(await read(path, init), [status], path.slice(0, 60))
  for (const path of ['/oauth/authorize', '/oauth/authorize?a=1', '/auth', '/auth/dev', '/connections'])
    t.strictSame(await read(path), ['TypeError'], path)
}
