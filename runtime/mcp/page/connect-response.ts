/** The page of the endpoint as an answer. Loaded by the first browser that asks (`connect-page.ts`). */
import type { Tool } from '@modelcontextprotocol/server'
import type { Admission } from '../../../templates/pages/clients.ts'
import { connectPage, type ShownToolbox } from '../../../templates/pages/connect.ts'
import type { HttpResponse } from '../../contract/http.ts'
import type { Catalogue } from '../../contract/mcp.ts'
import type { PageSignIn } from '../../contract/pages.ts'
import { pageResponse } from '../../http/output/security-headers.ts'
import { metaToolNames } from '../tools/tool-list.ts'

export interface ShownEndpoint {
  readonly serviceName: string
  readonly isOpen: boolean
  readonly baseUrl: string
  /** Of the endpoint, canonical. */
  readonly path: string
  /** The one of the address, or null. */
  readonly toolbox: string | null
  readonly signIn: PageSignIn | null
  /** Null where clients sign in with another server, or not at all. */
  readonly admits: Admission | null
}

/** The tools of the address, and all that there are for the caller. */
export interface Listed {
  readonly listed: readonly Tool[]
  readonly catalogue: Catalogue
}

export type Shown =
  | { readonly kind: 'refused'; readonly refusal: HttpResponse }
  | ({ readonly kind: 'allowed' } & Listed)

/** 200, or the refusal with the page as its body and the challenge as it was. */
export function connectResponse(endpoint: ShownEndpoint, shown: Shown): HttpResponse {
  const { serviceName, isOpen, baseUrl, path, toolbox, signIn, admits } = endpoint
  const mcpAddress = `${baseUrl}${path}`
  const isAllowed = shown.kind === 'allowed'
  const page = connectPage({
    service: { name: serviceName, host: new URL(baseUrl).host },
    isOpen,
    admits,
    address: toolbox === null ? mcpAddress : `${mcpAddress}/${toolbox}`,
    mcpPath: path === '' ? '/' : path,
    isToolbox: toolbox !== null,
    isAllowed,
    tools: isAllowed ? shown.listed.map(({ name, description }) => ({ name, text: description ?? '' })) : [],
    toolboxes: isAllowed && toolbox === null ? toolboxesOf(shown.catalogue) : [],
    listToolboxes: metaToolNames.listToolboxes,
    // the redirect URI has a path, as `ownPageUris` writes it
    signIn: signIn && {
      ...signIn,
      redirectUri: `${baseUrl}${path === '' ? '/' : path}`,
      resource: mcpAddress,
    },
  })
  return pageResponse(page, isAllowed ? { status: 200, challenge: null } : challengeOf(shown.refusal))
}

function challengeOf({ status, headers }: HttpResponse): { status: number; challenge: string } {
  return { status, challenge: String(headers['www-authenticate']) }
}

/** Those that `list_toolboxes` tells. */
function toolboxesOf({ toolboxes, tools }: Catalogue): readonly ShownToolbox[] {
  const counted = toolboxes.map(({ name, description }) => ({
    name,
    text: description,
    tools: tools.filter(({ toolbox, root }) => toolbox === name && !root).length,
  }))
  return counted.filter(({ tools }) => tools > 0)
}
