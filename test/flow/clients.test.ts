/** The complete flow over real sockets with MCP clients that we did not write. Source: specification, OAuth sign-in flow. */
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client'
import type { OAuthClientProvider as ProviderV1 } from '@modelcontextprotocol/sdk/client/auth.js'
import { UnauthorizedError as UnauthorizedErrorV1 } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import t from 'tap'
import {
  allowInBrowser,
  Browser,
  type RecordingProvider,
  recordingProvider,
  serveExample,
} from './support.ts'

const info = { name: 'flow test', version: '1' }
const developer = { id: 'dev:developer', name: 'Developer', email: 'developer@localhost' }

/** What the tests need of a client of either major version. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<object>
  close(): Promise<void>
}

interface Kind {
  readonly name: string
  readonly unauthorized: new (message?: string) => Error
  /** Connects; throws `unauthorized` when the user must sign in. `callback` finishes the sign-in first. */
  connect(endpoint: URL, provider: RecordingProvider, callback: URL | null): Promise<AnyClient>
}

const v2 = (name: string, mode: 'legacy' | 'auto'): Kind => ({
  name,
  unauthorized: UnauthorizedError,
  connect: async (endpoint, authProvider, callback) => {
    const transport = new StreamableHTTPClientTransport(endpoint, { authProvider })
    if (callback !== null) await transport.finishAuth(callback.searchParams)
    const client = new Client(info, { versionNegotiation: { mode } })
    await client.connect(transport)
    return client
  },
})

const kinds: readonly Kind[] = [
  v2('the v2 client in the 2026-07-28 era', 'auto'),
  v2('the v2 client in the initialize era', 'legacy'),
  {
    name: 'the v1 client',
    unauthorized: UnauthorizedErrorV1,
    connect: async (endpoint, provider, callback) => {
      // the two majors declare the same provider with other optional members
      const transport = new TransportV1(endpoint, { authProvider: provider as unknown as ProviderV1 })
      if (callback !== null) await transport.finishAuth(callback.searchParams.get('code') ?? '')
      const client = new ClientV1(info)
      // exactOptionalPropertyTypes: the class declares `sessionId: string | undefined`
      await client.connect(transport as Parameters<ClientV1['connect']>[0])
      return client
    },
  },
]

/** Content without what differs between eras (`resultType`, `_meta`). */
function answerOf(result: object): { readonly structured: unknown; readonly isError: boolean } {
  const { structuredContent, isError } = result as { structuredContent?: unknown; isError?: boolean } // a CallToolResult
  return { structured: structuredContent, isError: isError === true }
}

/** In the initialize era an array is wrapped, because structured content must be an object there. */
const listOf = (structured: unknown): unknown =>
  typeof structured === 'object' && structured !== null && 'result' in structured
    ? structured.result
    : structured

for (const kind of kinds) {
  t.test(`${kind.name} signs in, lists, calls and refreshes an expired token`, async (t) => {
    const { application, baseUrl, advance } = await serveExample()
    t.teardown(application.close)
    const endpoint = new URL(`${baseUrl}/mcp`)
    const provider = recordingProvider()
    const refused = await kind.connect(endpoint, provider, null).catch((error: unknown) => error)
    t.ok(refused instanceof kind.unauthorized)
    const { authorizationUrl } = provider
    if (authorizationUrl === null) throw new Error('the client did not send the user to sign in')
    t.equal(authorizationUrl.origin + authorizationUrl.pathname, `${baseUrl}/oauth/authorize`)
    t.equal(authorizationUrl.searchParams.get('resource'), `${baseUrl}/mcp`)

    const callback = await allowInBrowser(new Browser(), authorizationUrl)
    t.equal(callback.searchParams.get('state'), 'some state')
    t.equal(callback.searchParams.get('iss'), baseUrl)

    const client = await kind.connect(endpoint, provider, callback)
    t.teardown(() => client.close())
    const { tools } = await client.listTools()
    t.strictSame(
      tools.map((tool) => tool.name),
      ['users_current', 'list_toolboxes', 'open_toolbox', 'call_read_only', 'call_tool'],
    )
    const current = await client.callTool({ name: 'users_current', arguments: {} })
    t.strictSame(answerOf(current), { structured: developer, isError: false })

    const added = await client.callTool({ name: 'notes_create', arguments: { text: 'first' } })
    t.strictSame(listOf(answerOf(added).structured), ['first'])
    const again = await client.callTool({
      name: 'call_tool',
      arguments: { name: 'notes_create', arguments: { text: 'second' } },
    })
    t.strictSame(listOf(answerOf(again).structured), ['first', 'second'])
    const listed = await client.callTool({
      name: 'call_read_only',
      arguments: { name: 'notes_index', arguments: {} },
    })
    t.strictSame(listOf(answerOf(listed).structured), ['first', 'second'])

    t.equal(provider.refreshes, 0)
    advance(3601)
    const refreshed = await client.callTool({ name: 'notes_index', arguments: {} })
    t.strictSame([listOf(answerOf(refreshed).structured), provider.refreshes], [['first', 'second'], 1])
  })
}
