/** The server card, a draft (SEP-2127): off by default, the same to whoever asks. */
import t from 'tap'
import { resolveConfig } from '../../../runtime/boot/resolve-config.ts'
import { message, rpc, serve } from '../support/support.ts'

const serverCard = { name: 'example.notes/notes', description: 'Notes of the signed-in user.' }
const get = { method: 'GET', url: '/mcp/server-card' }

t.test('without the setting there is none', async (t) => {
  const { status } = await serve()(get)
  t.equal(status, 404)
})

t.test('it says who and where, and the revisions of this transport', async (t) => {
  for (const options of [{}, { authenticator: () => false }]) {
    const app = serve({ serverCard, ...options })
    const { status, headers, text } = await app(get)
    t.equal(status, 200, 'also without a credential')
    t.strictSame(JSON.parse(text), {
      $schema: 'https://static.modelcontextprotocol.io/schemas/v2/server-card.schema.json',
      name: 'example.notes/notes',
      version: '1.2.3',
      description: 'Notes of the signed-in user.',
      title: 'notes',
      remotes: [
        {
          type: 'streamable-http',
          url: 'https://notes.example/mcp',
          supportedProtocolVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'],
        },
      ],
    })
    t.match(headers, {
      'content-type': 'application/mcp-server-card+json',
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=3600',
      etag: /^"[\w-]+"$/,
    })
    const again = await app({ ...get, headers: { 'if-none-match': String(headers.etag) } })
    t.strictSame([again.status, again.text], [304, ''])
    t.equal((await app({ ...get, method: 'OPTIONS' })).status, 204)
  }
})

t.test('it follows the path, and agrees with server/discover', async (t) => {
  const app = serve({ serverCard: { ...serverCard, websiteUrl: 'https://notes.example/about' }, path: '/x' })
  const card = JSON.parse((await app({ ...get, url: '/x/server-card' })).text)
  t.match(card, { websiteUrl: 'https://notes.example/about', remotes: [{ url: 'https://notes.example/x' }] })
  const { result } = rpc(await app({ ...message('modern', 'server/discover'), url: '/x' }))
  const { supportedProtocolVersions } = card.remotes[0]
  for (const version of result.supportedVersions) t.ok(supportedProtocolVersions.includes(version), version)
  const info = result._meta['io.modelcontextprotocol/serverInfo']
  t.strictSame([info.name, info.version], [card.title, card.version])
})

t.test('server/discover says what there is, and is kept as long as a list', async (t) => {
  const { result } = rpc(await serve()(message('modern', 'server/discover')))
  t.strictSame(
    { ...result, _meta: undefined },
    {
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: { listChanged: true } },
      instructions: 'Notes of the signed-in user.\n\n- notes: Notes.',
      ttlMs: 300_000,
      cacheScope: 'public',
      resultType: 'complete',
      _meta: undefined,
    },
  )
})

t.test('each wrong field of the setting is named at boot', async (t) => {
  const wrong: readonly (readonly [serverCard: unknown, says: RegExp])[] = [
    [true, /mcp\.serverCard must be an object/],
    [{ description: 'Notes.' }, /mcp\.serverCard\.name must be a reversed domain and a name/],
    [{ name: 'notes', description: 'Notes.' }, /mcp\.serverCard\.name must be/],
    [{ name: 'a/b/c', description: 'Notes.' }, /mcp\.serverCard\.name must be/],
    [{ name: 'a/b' }, /mcp\.serverCard\.description must be a text of 100 characters at most/],
    [{ name: 'a/b', description: 'x'.repeat(101) }, /mcp\.serverCard\.description must be/],
    [
      { ...serverCard, websiteUrl: 'ftp://x' },
      /mcp\.serverCard\.websiteUrl must be an http or https address/,
    ],
    [{ ...serverCard, icon: 'x' }, /mcp\.serverCard.*icon/],
  ]
  for (const [card, says] of wrong)
    t.throws(() => resolveConfig({ mcp: { serverCard: card } }), { message: says })
  t.strictSame(resolveConfig({ mcp: { serverCard } }).mcp.serverCard, serverCard)
  t.equal(resolveConfig({}).mcp.serverCard, null)
})
