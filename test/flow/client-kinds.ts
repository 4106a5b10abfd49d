/** MCP clients that we did not write, under one shape: the SDK's version 1, and its version 2 in both eras. */
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client'
import type { OAuthClientProvider as ProviderV1 } from '@modelcontextprotocol/sdk/client/auth.js'
import { UnauthorizedError as UnauthorizedErrorV1 } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { allowInBrowser, Browser, type RecordingProvider, recordingProvider } from './support.ts'

const info = { name: 'flow test', version: '1' }

/** What the tests need of a client of either major version. */
export interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<object>
  listPrompts(): Promise<{ prompts: { name: string }[] }>
  getPrompt(get: { name: string; arguments: Record<string, string> }): Promise<{ messages: object[] }>
  listResources(): Promise<{ resources: { uri: string }[] }>
  listResourceTemplates(): Promise<{ resourceTemplates: { uriTemplate: string }[] }>
  readResource(read: { uri: string }): Promise<{ contents: object[] }>
  complete(requested: {
    ref: { type: 'ref/prompt'; name: string }
    argument: { name: string; value: string }
  }): Promise<{ completion: { values: string[] } }>
  close(): Promise<void>
}

export interface ClientKind {
  readonly name: string
  readonly unauthorized: new (message?: string) => Error
  /** Connects; throws `unauthorized` when the user must sign in. `callback` finishes the sign-in first. */
  connect(endpoint: URL, provider: RecordingProvider, callback: URL | null): Promise<AnyClient>
}

const v2 = (name: string, mode: 'legacy' | 'auto'): ClientKind => ({
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

export const clientKinds: readonly [ClientKind, ...ClientKind[]] = [
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

/** Connects a client that has signed in; its provider holds the tokens. */
export async function signedIn(
  kind: ClientKind,
  baseUrl: string,
): Promise<{ readonly client: AnyClient; readonly provider: RecordingProvider }> {
  const endpoint = new URL(`${baseUrl}/mcp`)
  const provider = recordingProvider()
  await kind.connect(endpoint, provider, null).catch((error: unknown) => {
    if (!(error instanceof kind.unauthorized)) throw error
  })
  if (provider.authorizationUrl === null) throw new Error('the client did not send the user to sign in')
  const callback = await allowInBrowser(new Browser(), provider.authorizationUrl)
  return { client: await kind.connect(endpoint, provider, callback), provider }
}

/** Content without what differs between eras (`resultType`, `_meta`). */
export function answerOf(result: object): { readonly structured: unknown; readonly isError: boolean } {
  const { structuredContent, isError } = result as { structuredContent?: unknown; isError?: boolean } // a CallToolResult
  return { structured: structuredContent, isError: isError === true }
}

/** In the initialize era an array is wrapped, because structured content must be an object there. */
export const listOf = (structured: unknown): unknown =>
  typeof structured === 'object' && structured !== null && 'result' in structured
    ? structured.result
    : structured
