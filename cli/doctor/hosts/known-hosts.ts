/** The clients that people have, one record each, by public material to 2026-11-28. What no source tells is 'not published'. */
import { type Host, unknown } from './host.ts'

const both = ['authorization_code', 'refresh_token']
const publicCode = { grant_types: both, response_types: ['code'], token_endpoint_auth_method: 'none' }

/** Of all clients, unless one of them publishes it. */
const rest = {
  scope: null,
  authentication: 'none',
  sendsResource: unknown,
  headers: unknown,
  revision: unknown,
  asksQuestions: unknown,
  dialect: null,
} as const

const cursorApp = 'cursor://anysphere.cursor-mcp/oauth/callback'
const cursorWeb = 'https://www.cursor.com/agents/mcp/oauth/callback'

export const knownHosts: readonly Host[] = [
  {
    ...rest,
    name: 'Cursor',
    ways: [
      // Up to 3.24: accounted PR#2225 (2026-09-03). Grants and authentication of the body: not published.
      {
        by: 'registration',
        metadata: {
          client_name: 'Cursor',
          redirect_uris: [cursorApp, cursorWeb, 'http://localhost:8787/callback'],
        },
      },
      // A stored test fixture of its document (tether, September 2026), read in part.
      {
        by: 'document',
        url: 'https://cursor.com/oauth/mcp-client.json',
        metadata: {
          client_name: 'Cursor',
          redirect_uris: [cursorWeb, 'http://localhost:8787/callback', 'http://127.0.0.1:8787/callback'],
          token_endpoint_auth_method: 'none',
        },
      },
    ],
    redirectUri: 'http://localhost:8787/callback',
    asksQuestions: true, // dev.to/serverdex (November 2026)
    dialect: 'Cursor',
    note: 'It registers when it loads, before anybody signs in.',
    sources: ['accounted PR#2225 (2026-09-03)', 'agent-connector-for-wp#111 (2026-09-11)'],
  },
  {
    ...rest,
    name: 'VS Code',
    ways: [
      // microsoft/vscode src/vs/base/common/oauth.ts; it leaves out the grants that the server does not list.
      {
        by: 'registration',
        metadata: {
          ...publicCode,
          client_name: 'Visual Studio Code',
          client_uri: 'https://code.visualstudio.com',
          redirect_uris: [
            'https://insiders.vscode.dev/redirect',
            'https://vscode.dev/redirect',
            'http://127.0.0.1/',
            'http://127.0.0.1:33418/',
          ],
          application_type: 'native',
        },
      },
      // Its document as two stored test fixtures have it (autumn 2026).
      {
        by: 'document',
        url: 'https://vscode.dev/oauth/client-metadata.json',
        metadata: {
          ...publicCode,
          client_name: 'Visual Studio Code',
          client_uri: 'https://vscode.dev/product',
          grant_types: [...both, 'urn:ietf:params:oauth:grant-type:device_code'],
          redirect_uris: ['http://127.0.0.1:33418/', 'https://vscode.dev/redirect'],
          application_type: 'native',
        },
      },
    ],
    redirectUri: 'http://127.0.0.1:33418/',
    asksQuestions: true, // dev.to/serverdex (November 2026)
    dialect: 'VS Code',
    note: 'Its redirect address has any port.',
    sources: ['vscode src/vs/base/common/oauth.ts', 'vscode#278512'],
  },
  {
    ...rest,
    name: 'ChatGPT',
    ways: [
      // workers-oauth-provider's test of the document, altinity-mcp#118 (2026-08-17). Body of its registration: not published.
      {
        by: 'document',
        url: 'https://chatgpt.com/oauth/client.json',
        metadata: {
          ...publicCode,
          client_name: 'ChatGPT',
          client_uri: 'https://chatgpt.com/',
          redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
          token_endpoint_auth_method: 'private_key_jwt',
          token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
          token_endpoint_auth_signing_alg: 'RS256',
          jwks_uri: 'https://chatgpt.com/oauth/jwks.json',
        },
      },
    ],
    redirectUri: 'https://chatgpt.com/connector_platform_oauth_redirect',
    asksQuestions: true, // dev.to/serverdex (November 2026)
    dialect: 'OpenAI',
    note: 'It asks for offline_access only where the server announces it.',
    sources: ['altinity-mcp#118 (2026-08-17)'],
  },
  {
    ...rest,
    name: 'Claude',
    ways: [
      // PostHog PR#48397: with a secret asked for. Other members of that body: not published.
      {
        by: 'registration',
        metadata: {
          ...publicCode,
          client_name: 'Claude',
          redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
          token_endpoint_auth_method: 'client_secret_post',
        },
      },
      // better-auth#11081: or as a public client, with one grant more; its document as served on 2026-09-29 says the same.
      ...(['registration', 'document'] as const).map((by) => ({
        by,
        url: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
        metadata: {
          ...publicCode,
          client_name: 'Claude',
          client_uri: 'https://claude.ai',
          redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
          grant_types: [...both, 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
        },
      })),
    ],
    redirectUri: 'https://claude.ai/api/mcp/auth_callback',
    scope: ' offline_access', // claude-ai-mcp#453: with the blank
    dialect: 'Anthropic',
    note: 'Its document answers 403 to some data centers.',
    sources: ['PostHog PR#48397', 'claude-ai-mcp#453, #667, #1043', 'better-auth#11081'],
  },
  {
    ...rest,
    name: 'Claude Code',
    ways: [
      // Its document as served on 2026-10-01. Body of its registration: not published but for the address.
      {
        by: 'document',
        url: 'https://claude.ai/oauth/claude-code-client-metadata',
        metadata: {
          ...publicCode,
          client_name: 'Claude Code',
          client_uri: 'https://claude.ai',
          redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
        },
      },
      {
        by: 'registration',
        metadata: { client_name: 'Claude Code', redirect_uris: ['http://localhost:54321/callback'] },
      },
    ],
    redirectUri: 'http://localhost:54321/callback',
    asksQuestions: true, // forms: dev.to/serverdex (November 2026)
    dialect: 'Claude Code',
    note: 'In spring 2026 it asked for offline_access unasked; newer ones do where the server announces it.',
    sources: ['claude-code#41610', 'basic-memory#1283'],
  },
  {
    ...rest,
    name: 'Codex',
    ways: [
      // openai/codex perform_oauth_login.rs; the last segment of the path is a hash.
      {
        by: 'registration',
        metadata: {
          ...publicCode,
          client_name: 'Codex',
          redirect_uris: ['http://127.0.0.1:54321/callback/2f1c9a'],
        },
      },
    ],
    redirectUri: 'http://127.0.0.1:54321/callback/2f1c9a',
    sendsResource: false,
    dialect: 'OpenAI',
    note: 'It sends resource only where its configuration has one.',
    sources: ['codex perform_oauth_login.rs', 'codex#30460'],
  },
  {
    ...rest,
    name: 'Gemini CLI',
    ways: [
      // google-gemini/gemini-cli oauth-provider.ts, and a stored capture of its request.
      {
        by: 'registration',
        metadata: {
          ...publicCode,
          client_name: 'Gemini CLI MCP Client',
          redirect_uris: ['http://localhost:7777/oauth/callback'],
          scope: '',
        },
      },
    ],
    redirectUri: 'http://localhost:7777/oauth/callback',
    scope: '',
    dialect: 'Gemini',
    note: 'It registers with an empty scope.',
    sources: ['gemini-cli oauth-provider.ts'],
  },
  {
    ...rest,
    name: 'Perplexity',
    ways: [
      // Callbacks: worldmonitor PR#8307. Whether it sends its secret by post or basic: not published.
      {
        by: 'hand',
        redirectUris: [
          'https://www.perplexity.ai/rest/connections/oauth_callback',
          'https://enterprise.perplexity.ai/rest/connections/oauth_callback',
        ],
      },
    ],
    redirectUri: 'https://www.perplexity.ai/rest/connections/oauth_callback',
    scope: 'offline_access', // toolhive#5321
    authentication: 'client_secret',
    note: 'It comes with a client id and a secret that its owner enters.',
    sources: ['toolhive#5321', 'worldmonitor PR#8307'],
  },
  {
    ...rest,
    name: 'Copilot Studio',
    ways: [
      // PowerPlatformConnectors#4214: dynamic discovery; one address for each tool, here one as an example. Other members of the
      // body: not published.
      {
        by: 'registration',
        metadata: {
          ...publicCode,
          redirect_uris: ['https://global.consent.azure-apim.net/redirect/notes-1'],
        },
      },
    ],
    redirectUri: 'https://global.consent.azure-apim.net/redirect/notes-1',
    note: 'By dynamic discovery; its manual OAuth sends no PKCE, which every server of MCP asks for.',
    sources: ['PowerPlatformConnectors#4214', 'supabase/auth#2585', 'smartbear-mcp#463'],
  },
  {
    ...rest,
    name: 'MCP Inspector',
    ways: [
      // modelcontextprotocol/inspector client/src/lib/auth.ts
      {
        by: 'registration',
        metadata: {
          ...publicCode,
          client_name: 'MCP Inspector',
          client_uri: 'https://github.com/modelcontextprotocol/inspector',
          redirect_uris: [
            'http://localhost:6274/oauth/callback',
            'http://localhost:6274/oauth/callback/debug',
          ],
        },
      },
    ],
    redirectUri: 'http://localhost:6274/oauth/callback',
    sendsResource: true, // it is made of the SDK
    asksQuestions: true, // it is made of the SDK
    note: 'A page: its origin must be in mcp.allowedOrigins unless it asks through its proxy.',
    sources: ['inspector client/src/lib/auth.ts'],
  },
]
