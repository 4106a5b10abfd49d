/** Nobody waits for the page but who asks for it. */
import { spawnSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import t from 'tap'

const dist = new URL('../../../', import.meta.url)

/** Writes the address of every module of ours that is loaded. */
const loader = `export const load = async (url, context, next) => {
  if (url.includes('/dist/')) process._rawDebug('loaded ' + url)
  return next(url, context)
}`

const script = `
import { register } from 'node:module'
register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(loader)}))
const { openTestApp } = await import(${JSON.stringify(new URL('runtime/testing.js', dist).href)})
const app = await openTestApp()
const client = app.client()
const mark = (name) => process._rawDebug('mark ' + name)
await client.tool('users_current').catch(() => {})
await client.withBearer(await app.accessToken()).tool('users_current')
await client.get('/mcp', { accept: 'application/json' })
await client.get('/', { accept: 'application/json' })
mark('clients')
await client.get('/mcp', { accept: 'text/html', host: 'localhost:3000' })
mark('page')
await client.get('/', { accept: 'text/html', host: 'localhost:3000' })
await app.close()
`

t.test('tool calls, their 401 and a start load nothing of the pages; the first browser does', async (t) => {
  const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: process.cwd(),
    encoding: 'utf8',
  })
  t.equal(status, 0, stderr.slice(-2000))
  const [clients = '', page = '', root = ''] = stderr.split(/^mark \w+$/m)
  const loaded = (part: string): readonly string[] =>
    ['templates/pages/connect.js', 'templates/pages/root.js', 'templates/browser-script.js'].filter((name) =>
      part.includes(pathToFileURL(new URL(name, dist).pathname).href),
    )
  t.match(clients, 'runtime/mcp/endpoint.js', 'what is loaded is seen')
  t.strictSame(loaded(clients), [])
  t.strictSame(loaded(page), ['templates/pages/connect.js', 'templates/browser-script.js'])
  t.strictSame(loaded(root), ['templates/pages/root.js'])
})
