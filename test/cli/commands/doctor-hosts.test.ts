/** `acmcp doctor` on the clients that people have: which of them a running server would refuse, and why, in both profiles. */
import t, { type Test } from 'tap'
import { examineHosts } from '../../../cli/capabilities/doctor/hosts/examine-hosts.ts'
import type { KnownHost } from '../../../cli/capabilities/doctor/hosts/host.ts'
import { hostsByReach, knownHosts } from '../../../cli/capabilities/doctor/hosts/known-hosts.ts'
import type { Visit } from '../../../cli/capabilities/doctor/step.ts'
import type { profiles } from '../../../runtime/oauth/profile.ts'
import { openDocumentHost } from '../../oauth/support/document-host.ts'
import { caFile, examine, exampleBehind } from '../support/doctor.ts'

t.setTimeout(120_000)

interface Documents {
  readonly hosts: readonly KnownHost[]
  readonly ca: string
  readonly network: NonNullable<Parameters<typeof exampleBehind>[1]>['network']
}

/** The documents of the known clients, on loopback; those in `missing` answer 403, as Claude's does to data centers. */
async function documentsHere(t: Test, missing: readonly string[]): Promise<Documents> {
  const host = await openDocumentHost()
  t.teardown(host.close)
  const address = (url: string): string => `https://127.0.0.1:${host.port}${new URL(url).pathname}`
  const published = new Map<string, object>()
  const hosts = knownHosts.map((known) => ({
    ...known,
    ways: known.ways.map((way) => {
      if (way.by !== 'document') return way
      const url = address(way.url)
      if (!missing.includes(known.name))
        published.set(new URL(url).pathname, { ...way.metadata, client_id: url })
      return { ...way, url }
    }),
  }))
  host.answer = ({ url = '' }, response) => {
    const document = published.get(url)
    response.writeHead(document === undefined ? 403 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(document ?? {}))
  }
  return { hosts, ca: host.network.certificateAuthorities?.join('') ?? '', network: host.network }
}

const onlySafe =
  'invalid_client_metadata: redirect_uris must be https, or http on loopback, without a fragment'
const onlyOurs = 'invalid_client_metadata: grant_types may only be authorization_code and refresh_token'
const lift = "  Set oauth: { profile: 'compatible' } in app/config.ts."
const noSecret =
  '  It comes with a client id and a secret that its owner enters, and the server knows no client with a secret.'
const nameIt = "  Name it in oauth.confidentialClients, which needs oauth: { profile: 'compatible' }."

/** Clients of the user's own machine, where nothing is refused. */
const local = [
  'ok\tCursor\tregistration (to 3.23), registration (from 3.24), document',
  'ok\tVS Code\tregistration, document',
  'ok\tClaude Code\tdocument, registration',
  'ok\tCodex\tregistration, document',
  'ok\tGemini CLI\tregistration',
  'ok\tMCP Inspector\tregistration',
]

/** The same where the server takes no documents, as at an address without https. */
const registering = [
  'ok\tCursor\tregistration (to 3.23), registration (from 3.24)',
  'ok\tVS Code\tregistration',
  'ok\tClaude Code\tregistration',
  'ok\tCodex\tregistration',
  'ok\tGemini CLI\tregistration',
  'ok\tMCP Inspector\tregistration',
]

/** What doctor says of the clients. */
async function linesFor(
  t: Test,
  profile: keyof typeof profiles,
  {
    takesDocuments = true,
    missing = [] as readonly string[],
    confidentialClients = [] as readonly object[],
  } = {},
): Promise<readonly string[]> {
  const { hosts, ca, network } = await documentsHere(t, missing)
  const config = { oauth: { profile, confidentialClients }, clientIdMetadataDocuments: takesDocuments }
  const { baseUrl } = await exampleBehind(t, {
    config,
    secretsOf: () => ['of 32 bytes and more, entered there'],
    ...(network === undefined ? {} : { network }),
  })
  const examined = await examine(`${baseUrl}/mcp`, { hosts: { near: hosts, far: [] }, caFile: caFile(t, ca) })
  t.equal(examined.code, 0, 'a server may mean it')
  const clock = examined.lines.indexOf('ok\tclock\twithin a minute')
  t.not(clock, -1)
  return examined.lines.slice(clock + 1).map((line) => line.replaceAll(/127\.0\.0\.1:\d+/g, 'client.example'))
}

t.test('doctor: the clients that specification refuses, and what lets each in', async (t) => {
  t.strictSame(await linesFor(t, 'specification'), [
    'refused\tCursor\trefuses registration (to 3.23); takes registration (from 3.24), document',
    `  It registers cursor://anysphere.cursor-mcp/oauth/callback, which the server refuses (${onlySafe}).`,
    lift,
    ...local.slice(1),
    'ok\tChatGPT\tdocument, document (one for each connector)',
    'refused\tClaude\trefuses registration (asking for a secret), registration (asking for none), document',
    `  It asks for the scope offline_access, which the server refuses (invalid_scope). It registers urn:ietf:params:oauth:grant-type:jwt-bearer, which the server refuses (${onlyOurs}).`,
    lift,
    'refused\tPerplexity\trefuses client id and secret',
    `${noSecret} It asks for the scope offline_access, which the server refuses (invalid_scope).`,
    `${nameIt} ${lift.trim()}`,
    'ok\tCopilot Studio\tregistration (dynamic discovery)',
  ])
})

t.test('doctor: in compatible all come in but who brings a secret', async (t) => {
  t.strictSame(await linesFor(t, 'compatible'), [
    ...local,
    'ok\tChatGPT\tdocument, document (one for each connector)',
    'ok\tClaude\tregistration (asking for a secret), registration (asking for none), document',
    'refused\tPerplexity\trefuses client id and secret',
    noSecret,
    nameIt,
    'ok\tCopilot Studio\tregistration (dynamic discovery)',
  ])
})

t.test('doctor: a client with a secret comes in where its owner has named it', async (t) => {
  const [{ name, ways: [way] = [] } = { name: '' }] = knownHosts.filter((host) => host.name === 'Perplexity')
  const redirectUris = way?.by === 'hand' ? way.redirectUris : []
  const lines = await linesFor(t, 'compatible', {
    confidentialClients: [{ id: 'perplexity', name, redirectUris, secret: 'PERPLEXITY_SECRET' }],
  })
  t.strictSame(
    lines.filter((line) => line.includes(name)),
    ['ok\tPerplexity\tclient id and secret'],
  )
})

t.test('doctor: a document that answers 403 is told, and tried from here too', async (t) => {
  const lines = await linesFor(t, 'compatible', { missing: ['Claude'] })
  t.strictSame(lines.slice(7, 10), [
    'refused\tClaude\trefuses document; takes registration (asking for a secret), registration (asking for none)',
    '  The server cannot fetch its document https://client.example/oauth/mcp-oauth-client-metadata, which answers 403 here too.',
    "  Ask again from the server's own network; with clientIdMetadataDocuments: false the client registers itself instead.",
  ])
})

t.test('doctor: without client documents they register', async (t) => {
  const lines = await linesFor(t, 'compatible', { takesDocuments: false })
  t.strictSame(
    lines.filter((line) => /\t(?:Claude Code|Codex|ChatGPT)\t|metadata documents|clientIdMeta/.test(line)),
    [
      'ok\tClaude Code\tregistration',
      'ok\tCodex\tregistration',
      'refused\tChatGPT\tdocument, document (one for each connector)',
      '  The server takes no metadata documents of clients, and what this client registers is not published.',
      '  Let it take them: clientIdMetadataDocuments, which is on where BASE_URL is https.',
    ],
  )
})

t.test('doctor: a server that stops answering is no reason to wait for each client', async (t) => {
  const server = { registrationEndpoint: new URL('https://api.example.org/oauth/register') }
  const known = {
    server: { ...server, takesClientDocuments: false, authenticationMethods: [] },
    client: null,
  }
  const told = async (signal: AbortSignal): Promise<readonly string[]> => {
    const found: string[] = []
    const ask = async (): Promise<never> => {
      throw new DOMException('too late', 'TimeoutError')
    }
    const visit = { known, signal, ask } as unknown as Visit // the clients need no more of it
    const near = knownHosts.slice(0, 1)
    await examineHosts(visit, { near, far: [] }, (name, { state, detail }) =>
      found.push(`${state} ${name} ${detail}`),
    )
    return found
  }
  t.strictSame(await told(new AbortController().signal), ['not tried Cursor no answer (TimeoutError)'])
  t.strictSame(await told(AbortSignal.abort()), ['not tried Cursor no time is left'])
})

t.test(
  'doctor: at a loopback address the clients of this machine are asked for, the others named',
  async (t) => {
    const linesAt = async (profile: keyof typeof profiles): Promise<readonly string[]> => {
      const { baseUrl } = await exampleBehind(t, { config: { oauth: { profile } } })
      const { lines } = await examine(`${baseUrl}/mcp`, { hosts: null })
      return lines.slice(lines.indexOf('ok\tclock\twithin a minute') + 1)
    }
    const [, ...others] = registering
    const rest = [
      ...others,
      'not tried\tother clients\tChatGPT, Claude, Perplexity, Copilot Studio reach no loopback address: ask at the public one',
    ]
    t.strictSame(await linesAt('specification'), [
      'refused\tCursor\trefuses registration (to 3.23); takes registration (from 3.24)',
      `  It registers cursor://anysphere.cursor-mcp/oauth/callback, which the server refuses (${onlySafe}).`,
      lift,
      ...rest,
    ])
    t.strictSame(await linesAt('compatible'), [registering[0], ...rest])
    t.strictSame(hostsByReach(new URL('https://api.example.org/mcp')), { near: knownHosts, far: [] })
  },
)

t.test('doctor: a server that is asked by another loopback name, which compatible answers to', async (t) => {
  const linesAt = async (profile: keyof typeof profiles): Promise<readonly string[]> => {
    const { baseUrl } = await exampleBehind(t, { config: { oauth: { profile } } })
    const { lines } = await examine(`${baseUrl.replace('localhost', '127.0.0.1')}/mcp`)
    const at = lines.findIndex((line) => line.includes('\tresource metadata\t'))
    return lines.slice(at, at + 3).map((line) => line.replaceAll(/:\d+/g, ':PORT'))
  }
  t.strictSame(await linesAt('specification'), [
    'failed\tresource metadata\tGET http://localhost:PORT/.well-known/oauth-protected-resource/mcp answered 200',
    '  The server takes http://localhost:PORT for its address, clients ask http://127.0.0.1:PORT.',
    "  Give clients the address with http://localhost:PORT, or set oauth: { profile: 'compatible' } in app/config.ts: it answers to each loopback name.",
  ])
  t.match((await linesAt('compatible'))[0], /^ok\t/)
})
