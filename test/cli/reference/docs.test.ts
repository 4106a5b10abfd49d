/** `acmcp docs` through the command line: the shipped pages, printed and served. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readdirSync, readFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { delimiter, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import t from 'tap'
import { acmcp } from '../support/built-app.ts'

const main = resolve(import.meta.dirname, '../../../cli/main.js')

t.test('--print prints the Markdown of a page', async (t) => {
  t.strictSame(acmcp('.', 'docs', 'reference-tags', '--print'), {
    status: 0,
    stdout: readFileSync('templates/docs/reference-tags.md', 'utf8'),
    stderr: '',
  })
  t.strictSame(acmcp('.', 'docs', 'reference-tag', '--print'), {
    status: 2,
    stdout: '',
    stderr: 'acmcp: there is no page reference-tag. Did you mean reference-tags?\n',
  })
  t.equal(acmcp('.', 'docs', '--port', 'x').status, 2)
})

t.test(
  'every page is served on loopback, with a strict policy, and every link leads somewhere',
  async (t) => {
    const child = spawn(process.execPath, [main, 'docs', 'reference-settings'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    t.teardown(() => void child.kill('SIGKILL'))
    const [line]: readonly string[] = await once(createInterface(child.stdout), 'line')
    const [, address = '', path = ''] =
      /^documentation: (http:\/\/127\.0\.0\.1:\d+)(\/\S+)$/.exec(line ?? '') ?? []
    t.equal(path, '/reference-settings')
    const response = await fetch(address + path)
    const text = await response.text()
    t.strictSame(
      [
        response.status,
        ...['content-type', 'content-security-policy', 'x-content-type-options'].map((name) =>
          response.headers.get(name),
        ),
      ],
      [200, 'text/html; charset=utf-8', "frame-ancestors 'none'", 'nosniff'],
    )
    t.match(
      text,
      /<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;sha256-/,
    )
    t.match(text, '<title>Reference: settings and environment</title>')
    t.match(text, '<td data-label="name"><code>limits.bodyBytes</code></td>')
    t.notMatch(text, '<script')
    await linksLead(t, address)
    t.strictSame(
      [
        (await fetch(`${address}/nowhere`)).status,
        (await fetch(`${address}//`)).status,
        (await fetch(address, { method: 'POST' })).status,
      ],
      [404, 404, 405],
    )
    child.kill('SIGTERM')
    t.strictSame(await once(child, 'exit'), [0, null])
  },
)

/** Every page is there, and every link inside goes to a page and a heading that exist. */
async function linksLead(t: { ok(is: boolean, name: string): void }, address: string): Promise<void> {
  const names = readdirSync('templates/docs')
    .filter((file) => file.endsWith('.md'))
    .map((file) => `/${file.replace(/\.md$/, '')}`.replace('/README', '/'))
  const pages = new Map<string, string>()
  for (const name of names) pages.set(name, await (await fetch(address + name)).text())
  for (const [name, text] of pages) {
    for (const [, href = ''] of text.matchAll(/<a href="([^"]+)"/g)) {
      if (/^https?:/.test(href)) continue
      const [target = '', part] = href.split('#')
      const page = pages.get(target === '' ? name : target)
      t.ok(page !== undefined && (part === undefined || page.includes(`id="${part}"`)), `${name}: ${href}`)
    }
  }
}

t.test('a port that is taken is refused with a clear line', async (t) => {
  const other = createServer()
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.teardown(() => void other.close())
  const address = other.address()
  const port = String(typeof address === 'object' && address !== null ? address.port : 0)
  t.strictSame(acmcp('.', 'docs', '--port', port), {
    status: 1,
    stdout: '',
    stderr: `acmcp: port ${port} cannot be listened at (EADDRINUSE)\n`,
  })
})

t.test(
  '--open opens the address in the browser',
  { skip: process.platform === 'linux' ? false : 'xdg-open is of Linux' },
  async (t) => {
    const seen = createHttpServer()
    seen.listen(0, '127.0.0.1')
    await once(seen, 'listening')
    const reported = seen.address()
    const port = typeof reported === 'object' && reported !== null ? reported.port : 0
    const script = `#!${process.execPath}\nfetch('http://127.0.0.1:${port}/?' + process.argv[2])\n`
    const folder = t.testdir({ 'xdg-open': script })
    chmodSync(`${folder}/xdg-open`, 0o755)
    const child = spawn(process.execPath, [main, 'docs', '--open'], {
      env: { ...process.env, PATH: folder + delimiter + process.env.PATH },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    t.teardown(() => void child.kill('SIGKILL'))
    const opened = once(seen, 'request')
    const [line]: readonly string[] = await once(createInterface(child.stdout), 'line')
    const [{ url }, response] = await opened
    response.end()
    seen.close()
    t.equal(`documentation: ${url.slice(2)}`, line)
  },
)
