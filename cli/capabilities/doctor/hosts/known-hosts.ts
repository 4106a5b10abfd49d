/** The clients that people have, by public material to 2026-11-28. What no public source tells of one is `not published`; clients of which
 *  nothing is are absent. */
import { isLoopbackUrl } from '../../../../runtime/loopback.ts'
import { bothGrants, byDocument, byRegistration, type KnownHost, knownHost, publicClient } from './host.ts'

const cursorWeb = 'https://www.cursor.com/agents/mcp/oauth/callback'
const cursorLoopback = 'http://localhost:8787/callback'
const vsCodeLoopback = 'http://127.0.0.1:33418/'

/** They run on their user's machine. */
const localClients: readonly KnownHost[] = [
  knownHost('Cursor', {
    ways: [
      // The addresses: accounted PR#2225 (2026-09-03), agent-connector-for-wp#111 (2026-09-11). Its other members: not published.
      byRegistration({
        of: 'to 3.23',
        redirectUri: 'cursor://anysphere.cursor-mcp/oauth/callback',
        client_name: 'Cursor',
        redirect_uris: ['cursor://anysphere.cursor-mcp/oauth/callback', cursorWeb, cursorLoopback],
      }),
      // Recorded from 3.24.9, with the scope of the 401 beside it: logocode/logo-plugins (2026-10-09).
      byRegistration({
        of: 'from 3.24',
        redirectUri: cursorLoopback,
        ...publicClient,
        client_name: 'Cursor',
        redirect_uris: [cursorWeb, cursorLoopback],
      }),
      // A stored test fixture (tether, September 2026); only where the server takes documents (logo-plugins, 2026-10-09).
      byDocument('https://cursor.com/oauth/mcp-client.json', {
        redirectUri: cursorLoopback,
        client_name: 'Cursor',
        redirect_uris: [
          cursorWeb,
          'https://www.cursor.com/bot/mcp/oauth/callback',
          'https://grok.com/connectors-oauth-exchange-code/',
          cursorLoopback,
          'http://127.0.0.1:8787/callback',
        ],
        token_endpoint_auth_method: 'none',
      }),
    ],
    elicitation: 'form', // dev.to/serverdex (November 2026)
    dialect: 'Cursor',
  }),
  knownHost('VS Code', {
    ways: [
      // microsoft/vscode src/vs/base/common/oauth.ts, vscode#278512. It leaves out the grants that the server does not list.
      byRegistration({
        redirectUri: vsCodeLoopback,
        ...publicClient,
        client_name: 'Visual Studio Code',
        client_uri: 'https://code.visualstudio.com',
        redirect_uris: [
          'https://insiders.vscode.dev/redirect',
          'https://vscode.dev/redirect',
          'http://127.0.0.1/',
          vsCodeLoopback,
        ],
        application_type: 'native',
      }),
      // As three public repositories fetched it, last on 2026-09-24.
      byDocument('https://vscode.dev/oauth/client-metadata.json', {
        redirectUri: vsCodeLoopback,
        ...publicClient,
        client_name: 'Visual Studio Code',
        client_uri: 'https://vscode.dev/product',
        grant_types: [...bothGrants, 'urn:ietf:params:oauth:grant-type:device_code'],
        redirect_uris: [vsCodeLoopback, 'https://vscode.dev/redirect'],
        application_type: 'native',
      }),
    ],
    sendsResource: 'at sign-in', // recorded by a server (2026-03-30); whether in its token requests: not published
    elicitation: 'form', // dev.to/serverdex (November 2026)
    dialect: 'VS Code',
  }),
  knownHost('Claude Code', {
    ways: [
      // As served on 2026-08-20 (nextcloud mcp_connector), 2026-09-08 and 2026-10-01.
      byDocument('https://claude.ai/oauth/claude-code-client-metadata', {
        redirectUri: 'http://localhost:54321/callback',
        ...publicClient,
        client_name: 'Claude Code',
        client_uri: 'https://claude.ai',
        redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
      }),
      // Where the server takes no documents. Of its body only the address is published.
      byRegistration({ redirectUri: 'http://localhost:54321/callback', client_name: 'Claude Code' }),
    ],
    // Unasked in spring 2026 (claude-code#41610); later versions ask for it only where it is announced (basic-memory#1283).
    sendsResource: 'always', // claude-code#76096 (July 2026)
    elicitation: 'form and url', // its documentation as quoted in September 2026
    answerCharacters: 50_000, // qiita.com/akihidem (2026-10-05)
    dialect: 'Claude Code',
  }),
  knownHost('Codex', {
    ways: [
      // openai/codex perform_oauth_login.rs; the last segment of the path is a hash.
      byRegistration({
        redirectUri: 'http://127.0.0.1:54321/callback/2f1c9a',
        ...publicClient,
        client_name: 'Codex',
      }),
      // Addresses and method as fetched on 2026-09-24; its other members: not published.
      byDocument('https://chatgpt.com/oauth/codex/client.json', {
        redirectUri: 'http://127.0.0.1:54321/callback',
        client_name: 'Codex',
        redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
        token_endpoint_auth_method: 'none',
      }),
    ],
    sendsResource: 'at sign-in', // codex#33403 (July 2026); earlier ones only where it is configured (codex#30460)
    revision: '2026-07-28', // codex PR#35725 (2026-07-28)
    elicitation: 'form', // the same
    dialect: 'OpenAI',
  }),
  knownHost('Gemini CLI', {
    ways: [
      // google-gemini/gemini-cli oauth-provider.ts
      byRegistration({
        redirectUri: 'http://localhost:7777/oauth/callback',
        ...publicClient,
        client_name: 'Gemini CLI MCP Client',
        scope: '',
      }),
    ],
    dialect: 'Gemini',
  }),
  knownHost('MCP Inspector', {
    ways: [
      // modelcontextprotocol/inspector client/src/lib/auth.ts; no document as of 2.6.0 (2026-09-16)
      byRegistration({
        redirectUri: 'http://localhost:6274/oauth/callback',
        ...publicClient,
        client_name: 'MCP Inspector',
        client_uri: 'https://github.com/modelcontextprotocol/inspector',
        redirect_uris: ['http://localhost:6274/oauth/callback', 'http://localhost:6274/oauth/callback/debug'],
      }),
    ],
    sendsResource: 'always', // its package: it is made of the SDK
    elicitation: 'form', // its package: it is made of the SDK
  }),
]

const chatGptMetadata = {
  ...publicClient,
  client_name: 'ChatGPT',
  client_uri: 'https://chatgpt.com/',
  token_endpoint_auth_method: 'private_key_jwt',
  token_endpoint_auth_signing_alg: 'RS256',
  jwks_uri: 'https://chatgpt.com/oauth/jwks.json',
}

const claudeRedirect = 'https://claude.ai/api/mcp/auth_callback'

/** Registered and in its document alike: better-auth#11081; the document as served on 2026-09-29. */
const claudeMetadata = {
  redirectUri: claudeRedirect,
  ...publicClient,
  client_name: 'Claude',
  client_uri: 'https://claude.ai',
  grant_types: [...bothGrants, 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
}

const perplexityRedirect = 'https://www.perplexity.ai/rest/connections/oauth_callback'
const copilotByHand = 'https://global.consent.azure-apim.net/redirect/notes-2'

/** They run at their maker's, and reach a server over the internet. */
const hostedClients: readonly KnownHost[] = [
  knownHost('ChatGPT', {
    ways: [
      // As fetched on 2026-09-08 and 2026-10-09; it came in as a public client: altinity-mcp#118 (2026-08-17). The body of its
      // registration: not published.
      byDocument('https://chatgpt.com/oauth/client.json', {
        redirectUri: 'https://chatgpt.com/connector_platform_oauth_redirect',
        ...chatGptMetadata,
        token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
      }),
      // One for each connector, with a key alone: altinity-mcp#118 (2026-08-17). Such documents with `none` are published too.
      byDocument('https://chatgpt.com/oauth/a1b2c3d4/client.json', {
        of: 'one for each connector',
        redirectUri: 'https://chatgpt.com/connector/oauth/a1b2c3d4',
        ...chatGptMetadata,
      }),
    ],
    // It asks for offline_access too where the server announces that: altinity-mcp#118.
    sendsResource: 'always', // developers.openai.com/plugins/build/auth, as quoted in September 2026
    headers: { 'user-agent': 'openai-mcp/1.0.0' }, // public logs of servers (October 2026)
    revision: '2026-07-28', // the same
    elicitation: 'form', // dev.to/serverdex (November 2026)
    dialect: 'OpenAI',
  }),
  knownHost('Claude', {
    ways: [
      // claude-ai-mcp#1043 (2026-09-15), PostHog PR#48397. Its other members: not published.
      byRegistration({
        of: 'asking for a secret',
        redirectUri: claudeRedirect,
        ...publicClient,
        client_name: 'Claude',
        token_endpoint_auth_method: 'client_secret_post',
      }),
      byRegistration({ of: 'asking for none', ...claudeMetadata }),
      // Answers 403 to some data centers: claude-ai-mcp#667 (2026-09-02).
      byDocument('https://claude.ai/oauth/mcp-oauth-client-metadata', claudeMetadata),
    ],
    scope: ' offline_access', // claude-ai-mcp#453, with the blank
    sendsResource: 'always', // claude.com/docs/connectors/building/authentication, as quoted in September 2026
    headers: { 'user-agent': 'Claude-User' }, // stored test fixtures of servers (September 2026)
    revision: '2025-11-25', // the same page
    elicitation: 'none', // claude-ai-mcp#153 (April 2026), open
    answerCharacters: 150_000, // the same page
    dialect: 'Anthropic',
  }),
  knownHost('Perplexity', {
    // Callbacks: worldmonitor PR#8307. Whether its secret is in the body or in a header: not published, so both are here.
    ways: (['client_secret_post', 'client_secret_basic'] as const).map((authentication) => ({
      of: null,
      by: 'hand',
      redirectUri: perplexityRedirect,
      redirectUris: [perplexityRedirect, 'https://enterprise.perplexity.ai/rest/connections/oauth_callback'],
      authentication,
      sendsChallenge: true,
    })),
    scope: 'offline_access', // toolhive#5321
  }),
  knownHost('Copilot Studio', {
    ways: [
      // PowerPlatformConnectors#4214: one address for each tool, here that of an example. Its other members: not published.
      byRegistration({
        of: 'dynamic discovery',
        redirectUri: 'https://global.consent.azure-apim.net/redirect/notes-1',
        ...publicClient,
      }),
      // supabase/auth#2585, smartbear-mcp#463: without PKCE, which every server of MCP asks for.
      {
        of: 'manual OAuth',
        by: 'hand',
        redirectUri: copilotByHand,
        redirectUris: [copilotByHand],
        authentication: 'client_secret_post',
        sendsChallenge: false,
      },
    ],
  }),
]

export const knownHosts: readonly KnownHost[] = [...localClients, ...hostedClients]

/** By whether they reach a server. */
export interface HostsByReach {
  /** These are asked for. */
  readonly near: readonly KnownHost[]
  /** These are named in one line. */
  readonly far: readonly KnownHost[]
}

/** A loopback address is reached by the clients of its own machine alone. */
export const hostsByReach = (url: URL): HostsByReach =>
  isLoopbackUrl(url.href) ? { near: localClients, far: hostedClients } : { near: knownHosts, far: [] }
