/** Clients that run at their maker's, and reach a server over the internet, by public material to 2026-11-28. */
import { bothGrants, byDocument, byRegistration, type KnownHost, knownHost, publicClient } from './host.ts'

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

export const hostedClients: readonly KnownHost[] = [
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
