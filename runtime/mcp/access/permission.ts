/** What a caller may do at the endpoint, and therefore sees of it. Source: decisions/mcp.md, Scopes. */
import type { WatchedMessage } from '../../contract/calls.ts'
import type { MaybePromise } from '../../contract/http.ts'
import type { Catalogue, ToolEntry } from '../../contract/mcp.ts'
import type { AuthInfo, Services } from '../../contract/store.ts'
import { otherCredentials } from '../../http/access/other-credentials.ts'
import { LruMap } from '../../lru.ts'
import type { Holder, Scopes } from '../../scopes.ts'
import { sha256Hex } from '../../secret.ts'
import type { Client } from '../auth/caller.ts'
import { credentialsOf, hasCredentials } from '../auth/credentials.ts'
import { type View, viewWithout, wholeView } from '../tools/view.ts'
import { lackingFor, permittedOffers, type ScopeOf } from './lacking.ts'

export interface Permission {
  readonly holder: Holder
  readonly view: View
}

/** A client, and what it may do. */
export interface PermittedClient extends Client {
  readonly permission: Permission
  /** The message that it sends; absent without a watcher, so that nothing is allocated for it. */
  readonly watched?: WatchedMessage | null
}

export interface PermissionOptions {
  readonly catalogue: Catalogue
  /** Names the catalogue. */
  readonly version: string
  readonly scopes: Scopes
  readonly scopeOf: ScopeOf
  /** Whether what it runs changes something: `changeOf` of its route. */
  readonly isChanging: (entry: Pick<ToolEntry, 'route'>) => boolean
  /** `all`: everybody sees everything. */
  readonly listed: 'permitted' | 'all'
  /** Whether the endpoint asks for no credential: a client with none then sees everything, too. */
  readonly isOpen: boolean
  readonly userOfSession: Services['userOfSession']
}

export type FindPermission = (client: Client) => MaybePromise<Permission>

/** Sets of scopes are as many as clients care to ask for: of those, what was seen last is kept. */
const maxViews = 64

/** Where no scopes are declared everybody sees the same. */
export function createPermissions(options: PermissionOptions): FindPermission {
  const { catalogue, version, scopes, isOpen, userOfSession } = options
  const whole = wholeView(catalogue, version)
  if (scopes.declared.length === 0) {
    const permission: Permission = { holder: noHolder, view: whole }
    return () => permission
  }
  const kept = new LruMap<string, View>(maxViews)
  const viewOf = (holder: Holder): View => {
    const key = keyOf(holder)
    const view = kept.get(key) ?? viewFor(holder, `${version} ${key}`, options)
    kept.set(key, view)
    return view
  }
  const permissionOf = (holder: Holder, isNobody: boolean): Permission => {
    const seesAll = options.listed === 'all' || (isOpen && isNobody)
    return { holder, view: seesAll ? whole : viewOf(holder) }
  }
  return ({ request: { headers, session }, caller: { auth } }) => {
    if (auth !== null) return permissionOf(holderOf(auth), false)
    if (!hasCredentials(headers)) return permissionOf(noHolder, true)
    const sent = credentialsOf(headers) // what routes get
    return otherCredentials({ headers: sent, session }, ['session', 'key'], { userOfSession }).then(
      (others) => {
        const isNobody = others.length === 0 && sent.authorization === undefined
        return permissionOf({ scopes: null, others }, isNobody)
      },
    )
  }
}

const holderOf = ({ scopes, limits = null }: AuthInfo): Holder => ({ scopes, others: [], limits })

const noHolder: Holder = { scopes: null, others: [] }

/** No scope has a space in it. */
const keyOf = ({ scopes, others, limits }: Holder): string => {
  if (scopes === null) return `without ${others.join(' ')}`
  return `${isReadOnly(limits) ? 'reading with' : 'with'} ${scopes.join(' ')}`
}

const isReadOnly = (limits: Holder['limits']): boolean => limits?.readOnly === true

function viewFor(holder: Holder, name: string, options: PermissionOptions): View {
  const { catalogue, scopeOf, isChanging } = options
  const isBarred = isReadOnly(holder.limits) ? isChanging : () => false
  const lacking = lackingFor(
    catalogue.tools.filter((tool) => !isBarred(tool)),
    holder,
    options,
  )
  const offers = permittedOffers(catalogue, holder, { scopeOf, isBarred })
  const barred = catalogue.tools.filter(isBarred)
  return viewWithout({ ...catalogue, ...offers }, { lacking, barred }, sha256Hex(name).slice(0, 16))
}
