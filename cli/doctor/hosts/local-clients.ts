/** Clients that run on their user's machine, by public material to 2026-11-28. */
import { bothGrants, byDocument, byRegistration, type KnownHost, knownHost, publicClient } from './host.ts'

const cursorWeb = 'https://www.cursor.com/agents/mcp/oauth/callback'
const cursorLoopback = 'http://localhost:8787/callback'
const vsCodeLoopback = 'http://127.0.0.1:33418/'

export const localClients: readonly KnownHost[] = [
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
