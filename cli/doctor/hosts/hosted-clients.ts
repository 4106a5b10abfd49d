/** Clients that run at their maker's, and reach a server over the internet, by public material to 2026-11-28. */
import type { KnownHost } from './host.ts'
import { bothGrants, publicClient, unlessPublished } from './metadata.ts'

const chatGptRedirect = 'https://chatgpt.com/connector_platform_oauth_redirect'

const chatGptMetadata = {
  ...publicClient,
  client_name: 'ChatGPT',
  client_uri: 'https://chatgpt.com/',
  token_endpoint_auth_method: 'private_key_jwt',
  token_endpoint_auth_signing_alg: 'RS256',
  jwks_uri: 'https://chatgpt.com/oauth/jwks.json',
}

const chatGpt: KnownHost = {
  ...unlessPublished,
  name: 'ChatGPT',
  ways: [
    // As fetched on 2026-09-08 and 2026-10-09; it came in as a public client: altinity-mcp#118 (2026-08-17). The body of its
    // registration: not published.
    {
      of: null,
      by: 'document',
      url: 'https://chatgpt.com/oauth/client.json',
      redirectUri: chatGptRedirect,
      metadata: {
        ...chatGptMetadata,
        redirect_uris: [chatGptRedirect],
        token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
      },
    },
    // One for each connector, with a key alone: altinity-mcp#118 (2026-08-17). Such documents with `none` are published too.
    {
      of: 'one for each connector',
      by: 'document',
      url: 'https://chatgpt.com/oauth/a1b2c3d4/client.json',
      redirectUri: 'https://chatgpt.com/connector/oauth/a1b2c3d4',
      metadata: { ...chatGptMetadata, redirect_uris: ['https://chatgpt.com/connector/oauth/a1b2c3d4'] },
    },
  ],
  // It asks for offline_access too where the server announces that: altinity-mcp#118.
  sendsResource: 'always', // developers.openai.com/plugins/build/auth, as quoted in September 2026
  headers: { 'user-agent': 'openai-mcp/1.0.0' }, // public logs of servers (October 2026)
  revision: '2026-07-28', // the same
  elicitation: 'form', // dev.to/serverdex (November 2026)
  dialect: 'OpenAI',
}

const claudeRedirect = 'https://claude.ai/api/mcp/auth_callback'

/** Registered and in its document alike: better-auth#11081; the document as served on 2026-09-29. */
const claudeMetadata = {
  ...publicClient,
  client_name: 'Claude',
  client_uri: 'https://claude.ai',
  redirect_uris: [claudeRedirect],
  grant_types: [...bothGrants, 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
}

const claude: KnownHost = {
  ...unlessPublished,
  name: 'Claude',
  ways: [
    // claude-ai-mcp#1043 (2026-09-15), PostHog PR#48397. Its other members: not published.
    {
      of: 'asking for a secret',
      by: 'registration',
      redirectUri: claudeRedirect,
      metadata: {
        ...publicClient,
        client_name: 'Claude',
        redirect_uris: [claudeRedirect],
        token_endpoint_auth_method: 'client_secret_post',
      },
    },
    { of: 'asking for none', by: 'registration', redirectUri: claudeRedirect, metadata: claudeMetadata },
    // Answers 403 to some data centers: claude-ai-mcp#667 (2026-09-02).
    {
      of: null,
      by: 'document',
      url: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
      redirectUri: claudeRedirect,
      metadata: claudeMetadata,
    },
  ],
  scope: ' offline_access', // claude-ai-mcp#453, with the blank
  sendsResource: 'always', // claude.com/docs/connectors/building/authentication, as quoted in September 2026
  headers: { 'user-agent': 'Claude-User' }, // stored test fixtures of servers (September 2026)
  revision: '2025-11-25', // the same page
  elicitation: 'none', // claude-ai-mcp#153 (April 2026), open
  answerCharacters: 150_000, // the same page
  dialect: 'Anthropic',
}

const perplexityRedirects = [
  'https://www.perplexity.ai/rest/connections/oauth_callback',
  'https://enterprise.perplexity.ai/rest/connections/oauth_callback',
]

const perplexity: KnownHost = {
  ...unlessPublished,
  name: 'Perplexity',
  // Callbacks: worldmonitor PR#8307. Whether its secret is in the body or in a header: not published, so both are here.
  ways: (['client_secret_post', 'client_secret_basic'] as const).map((authentication) => ({
    of: null,
    by: 'hand',
    redirectUri: 'https://www.perplexity.ai/rest/connections/oauth_callback',
    redirectUris: perplexityRedirects,
    authentication,
    sendsChallenge: true,
  })),
  scope: 'offline_access', // toolhive#5321
}

const copilotRedirect = 'https://global.consent.azure-apim.net/redirect/notes-1'
const copilotByHand = 'https://global.consent.azure-apim.net/redirect/notes-2'

const copilotStudio: KnownHost = {
  ...unlessPublished,
  name: 'Copilot Studio',
  ways: [
    // PowerPlatformConnectors#4214: one address for each tool, here that of an example. Its other members: not published.
    {
      of: 'dynamic discovery',
      by: 'registration',
      redirectUri: copilotRedirect,
      metadata: { ...publicClient, redirect_uris: [copilotRedirect] },
    },
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
}

export const hostedClients: readonly KnownHost[] = [chatGpt, claude, perplexity, copilotStudio]
