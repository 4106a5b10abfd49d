/** `/docs`: the OpenAPI document to read and to try, where the application has no route there. Whatever the page loads comes
 *  from here. */
import { readFile } from 'node:fs/promises'
import type { AppBundle } from '../../contract/bundle.ts'
import type { Endpoint, HttpResponse } from '../../contract/http.ts'
import type { PageSignIn } from '../../contract/pages.ts'
import type { RandomBytes } from '../../contract/store.ts'
import { ownHeaders, pageResponse } from '../../http/output/security-headers.ts'
import type { Environment } from '../environment.ts'
import { serviceNameOf } from '../resolve-config.ts'
import type { ResolvedConfig } from '../resolved-config.ts'
import { missingForDocs, openApiFile, type ReferenceUi } from './reference-ui.ts'

export interface DocsPageOptions {
  /** What it is shown with; null = there is no such page. */
  readonly ui: ReferenceUi | null
  readonly bundle: Pick<AppBundle, 'folder'>
  readonly config: ResolvedConfig
  readonly environment: Environment
  /** Null = no sign-in there. */
  readonly signIn: PageSignIn | null
  readonly randomBytes: RandomBytes
}

/** The page and what it loads. */
export function docsEndpoints(options: DocsPageOptions): readonly Endpoint[] {
  const { ui, bundle } = options
  if (ui === null) return []
  const methods = ['GET']
  return [
    { methods, path: '/docs', handle: () => page(options) },
    { methods, path: '/docs/openapi.yml', handle: () => openApi(bundle.folder) },
    { methods, path: '/docs/reference.js', handle: async () => script(await ui.script()) },
  ]
}

/** In place of a page that could be there: it says what is missing. */
export function docsNotice({
  ui,
  bundle,
  config,
  environment,
}: Pick<DocsPageOptions, 'ui' | 'bundle' | 'config' | 'environment'>): readonly Endpoint[] {
  const missing = ui === null ? missingForDocs(bundle, config, environment) : null
  if (missing === null) return []
  const headers = { ...ownHeaders, 'content-type': 'text/plain; charset=utf-8' }
  return [{ methods: ['GET'], path: '/docs', handle: () => ({ status: 404, headers, body: missing }) }]
}

async function page({ config, environment, signIn, randomBytes }: DocsPageOptions): Promise<HttpResponse> {
  const { apiDocsPage } = await import('../../../templates/pages/api-docs.ts') // a start need not wait for it
  const { baseUrl } = environment
  const own = apiDocsPage({
    serviceName: serviceNameOf(config, baseUrl),
    documentPath: '/docs/openapi.yml',
    securityScheme: config.scopes.declared.length === 0 ? 'bearerAuth' : 'oauth2',
    scriptPath: '/docs/reference.js',
    nonce: Buffer.from(randomBytes(16)).toString('base64'),
    signIn: signIn && { ...signIn, redirectUri: `${baseUrl}/docs`, resource: `${baseUrl}${config.mcp.path}` },
  })
  return pageResponse(own, { status: 200, challenge: null })
}

/** Read anew each time: a build may have written another one. */
const openApi = async (folder: string): Promise<HttpResponse> =>
  file('application/yaml', await readFile(openApiFile(folder)))

/** An hour: the next version of the UI has the same address. */
const script = (body: Uint8Array): HttpResponse => {
  const { status, headers } = file('text/javascript; charset=utf-8', body)
  return { status, headers: { ...headers, 'cache-control': 'private, max-age=3600' }, body }
}

const file = (type: string, body: Uint8Array): HttpResponse => ({
  status: 200,
  headers: {
    'cache-control': 'no-store',
    'content-type': type,
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  },
  body,
})
