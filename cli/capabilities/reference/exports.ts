/** What applications import, and what `this` of a controller has, with the section of the shipped pages that tells of it. */
import type { Entry } from './entry.ts'

export interface ExportGroup {
  readonly from: 'acmcp' | 'acmcp/store' | 'acmcp/testing' | 'this'
  /** A page of `templates/docs/`, without `.md`, and a heading of it. */
  readonly page: string
  readonly heading: string
  readonly names: readonly string[]
}

const group = (from: ExportGroup['from'], page: string, heading: string, names: string): ExportGroup => ({
  from,
  page,
  heading,
  names: names.split(' '),
})

export const exportGroups: readonly ExportGroup[] = [
  group('acmcp', 'controllers', 'A first controller', 'ApplicationController Controller'),
  group('acmcp', 'controllers', 'Rendering', 'Rendered RenderOptions'),
  group('acmcp', 'controllers', 'The request', 'HttpRequest Route'),
  group('acmcp', 'controllers', 'The response', 'ResponseHeaders CookieOptions'),
  group('acmcp', 'controllers', 'Services', 'Services User'),
  group('acmcp', 'controllers', 'Sessions', 'Session'),
  group('acmcp', 'controllers', 'Where an argument comes from', 'Body Header Cookie Named'),
  group(
    'acmcp',
    'questions',
    'A question is a parameter',
    'Elicited InputRequired InputQuestion ElicitedQuestion',
  ),
  group('acmcp', 'questions', 'Forms made at run time', 'InputForm'),
  group('acmcp', 'questions', 'An address to open', 'InputUrl'),
  group('acmcp', 'questions', 'Sampling and roots', 'InputRequest'),
  group('acmcp', 'types', 'Rules of a schema: zod, valibot, arktype', 'Checked'),
  group('acmcp', 'types', 'Numbers', 'Int32 Int64 Float64'),
  group('acmcp', 'types', 'Strings with a format', 'Uuid Email Url'),
  group('acmcp', 'types', 'Dates', 'DateTime'),
  group(
    'acmcp',
    'errors',
    'The errors of acmcp',
    'MissingError ValueError ParamError ParamFailure RouteError NotAcceptable UnsupportedMediaType JsonParseError PayloadTooLarge TooManyRequests Unauthorized Forbidden NotFound Conflict AuthServerError ApprovalRequired ApprovalRefused IdempotencyRefused',
  ),
  group(
    'acmcp',
    'errors',
    'Write a handler',
    'CommonResponse ContentResponse InputResponse ParameterResponse',
  ),
  group('acmcp', 'errors', 'At run time: rescueFrom', 'rescueFrom'),
  group('acmcp', 'mcp', 'The client in a method: this.mcp', 'McpCall ToolContent'),
  group('acmcp', 'mcp', 'Results: what a model gets', 'toolResult'),
  group('acmcp', 'prompts-resources', 'Prompts', 'PromptMessage'),
  group('acmcp', 'streams-files-websockets', 'Receive files', 'UploadedFile'),
  group('acmcp', 'streams-files-websockets', 'Send a file', 'FileOptions'),
  group('acmcp', 'streams-files-websockets', 'Send bytes and streams', 'StreamLike'),
  group('acmcp', 'streams-files-websockets', 'Stream events', 'ServerEvent ServerEventFields'),
  group('acmcp', 'streams-files-websockets', 'WebSockets', 'Socket'),
  group(
    'acmcp',
    'streams-files-websockets',
    'Messages between instances',
    'BusMessage MessageListener SubscribeOptions',
  ),
  group('acmcp', 'plugins', 'Fastify plugins', 'AppPlugin PluginApp PluginEntry PluginReply PluginRequest'),
  group('acmcp', 'plugins', 'Body and answer formats', 'ParseBytes Responder'),
  group('acmcp', 'plugins', 'Limits', 'HttpLimits'),
  group('acmcp', 'mcp', "The page at the endpoint's address", 'PagesConfig'),
  group('acmcp', 'reference-settings', 'MCP endpoint', 'defineApp AppConfig McpConfig ConfigError'),
  group('acmcp', 'approval', 'What it is worth', 'ApprovalConfig'),
  group('acmcp', 'approval', 'Telling the user', 'AskedApproval'),
  group('acmcp', 'retries', 'Exactly once, in your own database', 'IdempotentCall'),
  group(
    'acmcp',
    'roles',
    'onSignIn and attributesOf',
    'attributesOf UserAttributes OnSignIn SigningIn SignInRefused',
  ),
  group('acmcp', 'leaving', 'From your application', 'UserDesk UserStanding'),
  group('acmcp', 'leaving', 'Erase somebody', 'OnErase KeptRows'),
  group('acmcp', 'scopes', 'Declare scopes', 'ScopeConfig ScopesConfig'),
  group('acmcp', 'scopes', 'Know who is asking: this.access', 'Access'),
  group('acmcp', 'scopes', 'Tokens of another server: verifyToken', 'VerifyToken'),
  group('acmcp', 'sign-in', 'authProbe, authenticator, resourceMetadata', 'ResourceMetadata'),
  group('acmcp', 'sign-in', 'The application of this page', 'bearerToken'),
  group('acmcp', 'sign-in', 'Identity providers and presets', 'ProviderConfig'),
  group('acmcp', 'machines', 'Configure it', 'ClientConfig'),
  group('acmcp', 'enterprise', 'Configure it', 'EnterpriseConfig'),
  group('acmcp/store', 'plugins', 'Tables of your own', 'databaseOf Database Migration rowIdType blobType'),
  group(
    'acmcp/testing',
    'testing',
    'openTestApp',
    'openTestApp AccessTokenOptions SignInOptions TestApp TestAppOptions TestedApplication',
  ),
  group('acmcp/testing', 'testing', 'Clients', 'TestClient Part'),
  group('acmcp/testing', 'testing', 'Tools and what a client sees', 'ToolResult'),
  group('this', 'controllers', 'The request', 'request'),
  group('this', 'controllers', 'The response', 'response'),
  group('this', 'controllers', 'Services', 'services'),
  group('this', 'controllers', 'Rendering', 'render head redirectTo'),
  group('this', 'streams-files-websockets', 'Send a file', 'file'),
  group('this', 'scopes', 'Know who is asking: this.access', 'access requireScopes'),
  group('this', 'retries', 'Exactly once, in your own database', 'idempotency'),
  group('this', 'mcp', 'The client in a method: this.mcp', 'mcp'),
]

export const exportEntries = (): readonly Entry[] => exportGroups.flatMap(entriesOf)

const entriesOf = ({ from, page, heading, names }: ExportGroup): readonly Entry[] =>
  names.map((name) => ({
    kind: from === 'this' ? 'member of a controller' : 'export',
    name: from === 'this' ? `this.${name}` : name,
    aliases: from === 'this' ? [name] : [],
    facts: [
      ...(from === 'this' ? [] : [['import', `from '${from}'`] as const]),
      ['print', `acmcp docs ${page} --print`],
    ],
    meaning: `The page ${page} tells of it, under “${heading}”.`,
    samples: [],
  }))
