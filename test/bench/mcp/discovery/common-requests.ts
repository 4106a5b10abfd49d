/** What people ask of most applications, in their first words, and a catalogue of 305 tools that has it: sixty controllers of five routes each,
 *  and root tools of which some are named otherwise than their toolbox. */
import type { ToolEntry } from '../../../../runtime/contract/mcp.ts'

type Hints = ToolEntry['hints']

const reads: Hints = { readOnly: true, destructive: false, idempotent: true, openWorld: false }
const adds: Hints = { readOnly: false, destructive: false, idempotent: false, openWorld: false }
const changes: Hints = { readOnly: false, destructive: true, idempotent: false, openWorld: false }
const removes: Hints = { readOnly: false, destructive: true, idempotent: true, openWorld: false }

const schema = (...names: readonly string[]): ToolEntry['inputSchema'] => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
})

interface Told {
  readonly toolbox: string
  readonly name: string
  readonly summary: string
  readonly hints: Hints
  readonly inputSchema: ToolEntry['inputSchema']
  readonly root?: boolean
}

const entry = (told: Told): ToolEntry => ({
  ...{ root: false, title: null, description: '', outputSchema: null, arguments: [] },
  ...told,
  route: told.name,
})

const crud = (toolbox: string): readonly ToolEntry[] => {
  const thing = toolbox.replaceAll('_', ' ').replace(/s$/, '')
  const of = (method: string, told: Omit<Told, 'toolbox' | 'name'>): ToolEntry =>
    entry({ toolbox, name: `${toolbox}_${method}`, ...told })
  return [
    of('index', {
      summary: `Lists ${thing}s, newest first.`,
      hints: reads,
      inputSchema: schema('limit', 'offset'),
    }),
    of('show', { summary: `Shows a ${thing}.`, hints: reads, inputSchema: schema('id') }),
    of('create', { summary: `Adds a ${thing}.`, hints: adds, inputSchema: schema('title') }),
    of('update', { summary: `Changes a ${thing}.`, hints: changes, inputSchema: schema('id', 'title') }),
    of('delete', { summary: `Deletes a ${thing} for good.`, hints: removes, inputSchema: schema('id') }),
  ]
}

const common =
  `terms members clients bills project_invites orders tickets projects photos documents tags events companies webhooks
  subscriptions articles comments folders reports alerts backups`.split(/\s+/)
const further = Array.from({ length: 60 - common.length }, (_, place) => `part${place}_stocks`)

const root = { root: true, inputSchema: schema() }

export const commonTools: readonly ToolEntry[] = [
  ...[...common, ...further].flatMap(crud),
  entry({
    toolbox: 'users',
    name: 'users_current',
    summary: 'The person whose token this is.',
    hints: reads,
    ...root,
  }),
  entry({
    toolbox: 'sessions',
    name: 'sessions_end',
    summary: 'Signs out of this device.',
    hints: removes,
    ...root,
  }),
  entry({
    toolbox: 'sessions',
    name: 'sessions_start',
    summary: 'Logs in with a code.',
    hints: adds,
    ...root,
  }),
  entry({
    toolbox: 'passwords',
    name: 'passwords_update',
    summary: 'Sets another password.',
    hints: changes,
    ...root,
  }),
  entry({ toolbox: 'shops', name: 'overview', summary: 'What stands open today.', hints: reads, ...root }),
]

/** What is asked, and the tools of which one is meant. */
export const commonRequests: readonly (readonly [query: string, ...tools: string[]])[] = [
  ['invite a colleague', 'project_invites_create'],
  ['send an invitation', 'project_invites_create'],
  ['remove user', 'members_delete'],
  ['delete a teammate', 'members_delete'],
  ['who am I', 'users_current'],
  ['whoami', 'users_current'],
  ['current user', 'users_current'],
  ['list customers', 'clients_index'],
  ['show me all customers', 'clients_index', 'clients_show'],
  ['add a customer', 'clients_create'],
  ['create invoice', 'bills_create'],
  ['cancel order', 'orders_delete'],
  ['revoke the invite', 'project_invites_delete'],
  ['purge old backups', 'backups_delete'],
  ['change password', 'passwords_update'],
  ['log out', 'sessions_end'],
  ['sign me out', 'sessions_end'],
  ['logout', 'sessions_end'],
  ['sign in', 'sessions_start'],
  ['log into the app', 'sessions_start'],
  ['show me the pictures', 'photos_show', 'photos_index'],
  ['revoke the invitation', 'project_invites_delete'],
  ['list employees', 'members_index'],
  ['edit company', 'companies_update'],
  ['add label', 'tags_create'],
  ['new meeting', 'events_create'],
  ['view purchase', 'orders_show'],
  ['project', 'projects_index', 'projects_show'],
  ['terms', 'terms_index', 'terms_show'],
  ['shop today', 'overview'],
]
