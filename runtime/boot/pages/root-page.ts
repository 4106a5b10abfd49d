/** The page at `/` of a server under development, where the application has no route there: what is served, where, and what
 *  to do next. Never in production. */
import type { AppBundle } from '../../contract/bundle.ts'
import type { Endpoint, HttpRequest, HttpResponse } from '../../contract/http.ts'
import type { Catalogue } from '../../contract/mcp.ts'
import { pageResponse } from '../../http/output/security-headers.ts'
import { exposedBy } from '../../mcp/tools/exposure.ts'
import { signedInUser } from '../../oauth/session.ts'
import type { Store } from '../../store/store.ts'
import type { Environment } from '../environment.ts'
import { serviceNameOf } from '../resolve-config.ts'
import type { ResolvedConfig } from '../resolved-config.ts'

export interface RootPageOptions {
  readonly bundle: AppBundle
  readonly config: ResolvedConfig
  readonly environment: Environment
  readonly store: Store
}

/** What answers a browser's GET of `/`; null where there is no such page. `endpoints` is everything that is served. */
export function rootPage(options: RootPageOptions, endpoints: readonly Endpoint[]): Endpoint | null {
  const { config, environment } = options
  const isTaken = endpoints.some(({ path }) => path === '/')
  if (environment.production || !config.pages.root || isTaken) return null
  return { methods: ['GET'], path: '/', handle: (request) => respond(request, options, endpoints) }
}

async function respond(
  { session }: HttpRequest,
  { bundle, config, environment, store }: RootPageOptions,
  endpoints: readonly Endpoint[],
): Promise<HttpResponse> {
  const { rootPageMarkup } = await import('../../../templates/pages/root.ts') // a start need not wait for it
  const user = await signedInUser(session, store)
  const { baseUrl, devLogin } = environment
  const page = rootPageMarkup({
    service: { name: serviceNameOf(config, baseUrl), host: new URL(baseUrl).host },
    baseUrl,
    mcpAddress: `${baseUrl}${config.mcp.path}`,
    hasMcpPage: config.pages.mcp,
    documents: endpoints.flatMap(documentAt),
    canSignIn: devLogin || Object.keys(config.providers).length > 0,
    userName: user?.name ?? null,
    routes: bundle.routes
      .filter(({ mcpOnly }) => mcpOnly !== true)
      .map(({ verb, path, id, websocket }) => ({
        verb: websocket ? 'WS' : verb,
        path,
        id,
      })),
    toolboxes: toolboxesOf(exposedBy(config.mcp, bundle).catalogue),
  })
  return pageResponse(page, { status: 200, challenge: null })
}

/** What describes the API, by the paths where one looks for it. */
const documentPaths: ReadonlyMap<string, string> = new Map([
  ['/docs', 'API reference'],
  ['/docs/openapi.yml', 'OpenAPI document'],
  ['/openapi.json', 'OpenAPI document'],
  ['/openapi.yml', 'OpenAPI document'],
])

function documentAt({
  path,
  methods,
}: Endpoint): readonly { readonly path: string; readonly label: string }[] {
  const label = documentPaths.get(path.replace(/(?<=.)\/$/, ''))
  return label !== undefined && methods.includes('GET') ? [{ path, label }] : []
}

const toolboxesOf = ({ toolboxes, tools }: Catalogue) =>
  toolboxes
    .map(({ name, description }) => ({
      name,
      text: description,
      tools: tools.filter(({ toolbox }) => toolbox === name).length,
    }))
    .filter(({ tools: count }) => count > 0)
