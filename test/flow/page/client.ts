/** A client of MCP in a page, made of the SDK: what esbuild bundles for the browser. It keeps what it must in the tab, as it goes to the
 *  authorization server and comes back. */
import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { OAuthClientProvider as ProviderV1 } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

export type SdkVersion = 'v1' | 'v2'

const kept = <Kept>(name: string): Kept | undefined =>
  JSON.parse(sessionStorage.getItem(name) ?? 'null') ?? undefined
const keep = (name: string, value: unknown): void => sessionStorage.setItem(name, JSON.stringify(value))

const redirectUrl = location.href.split('?', 1)[0] ?? ''

const provider: OAuthClientProvider = {
  redirectUrl,
  clientMetadata: {
    client_name: 'A page',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  },
  state: () => 'of the page',
  clientInformation: () => kept('client'),
  saveClientInformation: (saved) => keep('client', saved),
  tokens: () => kept('tokens'),
  saveTokens: (saved) => {
    keep('tokens', saved)
    keep('saved', Number(kept('saved') ?? 0) + 1)
  },
  redirectToAuthorization: (url) => location.assign(url.href),
  saveCodeVerifier: (saved) => keep('verifier', saved),
  codeVerifier: () => kept('verifier') ?? '',
}

interface PageClient {
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>
  callTool(call: { readonly name: string }): Promise<{ readonly structuredContent?: unknown }>
}

let client: PageClient | null = null

/** Connects; where the user must sign in, the tab leaves. Back with a code, it is exchanged first. */
export async function connect(version: SdkVersion, endpoint: string): Promise<void> {
  const back = new URLSearchParams(location.search)
  client =
    version === 'v1' ? await connectV1(new URL(endpoint), back) : await connectV2(new URL(endpoint), back)
}

async function connectV1(endpoint: URL, back: URLSearchParams): Promise<PageClient> {
  const transport = new TransportV1(endpoint, { authProvider: provider as unknown as ProviderV1 }) // of other optional members
  if (back.has('code')) await transport.finishAuth(back.get('code') ?? '')
  const connected = new ClientV1({ name: 'a page', version: '1' })
  await connected.connect(transport as Parameters<ClientV1['connect']>[0]) // exactOptionalPropertyTypes
  return connected as unknown as PageClient // of its wider types
}

async function connectV2(endpoint: URL, back: URLSearchParams): Promise<PageClient> {
  const transport = new StreamableHTTPClientTransport(endpoint, { authProvider: provider })
  if (back.has('code')) await transport.finishAuth(back)
  const connected = new Client({ name: 'a page', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await connected.connect(transport)
  return connected
}

/** The names of the tools, what the probe says of the user, and how often tokens came. */
export async function used(): Promise<readonly unknown[]> {
  if (client === null) throw new Error('not connected')
  const { tools } = await client.listTools()
  const { structuredContent } = await client.callTool({ name: 'users_current' })
  return [tools.map(({ name }) => name), structuredContent, kept('saved')]
}

/** What the page reads of an answer: status, and these headers; `TypeError` where it may read nothing. */
export async function read(
  url: string,
  init: RequestInit,
  names: readonly string[],
): Promise<readonly unknown[]> {
  try {
    const { status, headers } = await fetch(url, init)
    return [status, ...names.map((name) => headers.get(name))]
  } catch (error) {
    return [error instanceof Error ? error.name : error]
  }
}
