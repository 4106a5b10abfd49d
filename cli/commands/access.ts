/** `acmcp grants`, `clients`, `users` and `sessions`: access in the operator's hand. Never loads the compiler. */
import type {
  GrantFilter,
  KnownClient,
  KnownUser,
  LimitedList,
  LiveGrant,
  RevokedGrants,
} from '../../runtime/serve/tasks/access-tasks.ts'
import {
  jsonDocument,
  printableInLine,
  type TableStyle,
  tableLines,
  timeText,
  withTimes,
} from '../terminal/table.ts'
import type { AccessTask } from './access-commands.ts'
import type { AccessFlags } from './flags.ts'
import { withEnvFile } from './refusal.ts'

export interface AccessCommandOptions extends TableStyle {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly json: boolean
  readonly print: (line: string) => void
  readonly warn: (line: string) => void
}

/** Does `task`; the exit code: 1 when there was nothing of the kind, or it was refused, after a clear line; 2 when nothing was
 *  named: nobody ends every connection by leaving something out. */
export function accessCommand(task: AccessTask, options: AccessCommandOptions): Promise<0 | 1 | 2> {
  return withEnvFile(options.cwd, options.warn, async () => {
    const tasks = await import('../../runtime/serve/tasks/access-tasks.ts')
    switch (task.kind) {
      case 'grants':
        showFirst(
          options,
          'grants',
          await tasks.listGrants(options, filterOf(task.flags), task.flags.limit),
          grantTable,
        )
        return 0
      case 'revoke':
        return revoke(options, task, tasks)
      case 'clients':
        showFirst(options, 'clients', await tasks.listClients(options, task.flags.limit), clientTable)
        return 0
      case 'remove':
        return removed(options, await tasks.removeClient(options, task.id), task.id)
      case 'users':
        showFirst(options, 'users', await tasks.listUsers(options, task.flags.limit), userTable)
        return 0
      case 'sign-out':
        return signedOut(options, await tasks.revokeSessions(options, task.id), task.id)
    }
  })
}

type Tasks = typeof import('../../runtime/serve/tasks/access-tasks.ts')

function filterOf({ user, client }: AccessFlags): GrantFilter {
  return {
    ...(user === undefined ? {} : { userId: user }),
    ...(client === undefined ? {} : { clientId: client }),
  }
}

async function revoke(
  options: AccessCommandOptions,
  { grants, flags }: Extract<AccessTask, { kind: 'revoke' }>,
  { revokeGrants }: Tasks,
): Promise<0 | 1 | 2> {
  const common = filterOf(flags)
  if (grants.length === 0 && Object.keys(common).length === 0) {
    options.warn('acmcp: say which: a grant, --user or --client')
    return 2
  }
  const filters = grants.length === 0 ? [common] : grants.map((grantId) => ({ ...common, grantId }))
  const revoked = await revokeGrants(options, filters)
  if (revoked.grants.length > 0) return showRevoked(options, revoked)
  show(options, 'revoked', [], grantTable)
  options.warn('acmcp: no such connection works: there was nothing to revoke')
  return 1
}

function removed(options: AccessCommandOptions, revoked: RevokedGrants | null, id: string): 0 | 1 {
  if (revoked !== null) return showRevoked(options, revoked)
  options.warn(`acmcp: there is no client ${printableInLine(id)}`)
  return 1
}

function showRevoked(options: AccessCommandOptions, { grants, count, isTold }: RevokedGrants): 0 | 1 {
  show(options, 'revoked', grants, grantTable, count > grants.length ? { more: true } : {})
  if (count > grants.length)
    options.warn(`acmcp: ${count} connections have ended: these are the first ${grants.length}`)
  if (isTold) return 0
  options.warn('acmcp: access has ended, but running servers could not be told: streams end within a minute')
  return 1
}

function signedOut(
  { json, isTerminal, print, warn }: AccessCommandOptions,
  sessions: number | null,
  id: string,
): 0 | 1 {
  if (sessions === null) {
    warn(`acmcp: there is no user ${printableInLine(id)}`)
    return 1
  }
  const text = `signed out of ${sessions} ${sessions === 1 ? 'browser' : 'browsers'}`
  print(json ? jsonDocument({ sessions }, isTerminal) : text)
  return 0
}

function showFirst<Item extends object>(
  options: AccessCommandOptions,
  name: string,
  { items, isCut }: LimitedList<Item>,
  table: Table<Item>,
): void {
  show(options, name, items, table, isCut ? { more: true } : {})
  if (isCut) options.warn(`acmcp: there are more: these are the first ${items.length}; --limit lists more`)
}

interface Table<Item> {
  readonly heading: readonly string[]
  cells(item: Item): readonly string[]
}

function show<Item extends object>(
  options: AccessCommandOptions,
  name: string,
  items: readonly Item[],
  table: Table<Item>,
  further: object = {},
): void {
  const { json, isTerminal, print } = options
  if (json) {
    print(jsonDocument({ [name]: items.map(withTimes), ...further }, isTerminal))
    return
  }
  const rows = items.map((item) => table.cells(item).map(printableInLine))
  for (const line of tableLines(table.heading, rows, options)) print(line)
}

const grantTable: Table<LiveGrant> = {
  heading: ['GRANT', 'USER', 'CLIENT', 'NAME', 'SCOPE', 'SINCE', 'LAST USED'],
  cells: ({ grantId, user, client, scope, allowed, connectedAt, lastUsedAt }) => [
    grantId,
    user.id,
    client.id,
    client.name ?? '',
    allowed?.join(' ') ?? scope,
    timeText(connectedAt),
    timeText(lastUsedAt),
  ],
}

const clientTable: Table<KnownClient> = {
  heading: ['CLIENT', 'NAME', 'CONNECTIONS', 'REGISTERED', 'LAST USED'],
  cells: ({ id, name, connections, registeredAt, lastUsedAt }) => [
    id,
    name ?? '',
    String(connections),
    timeText(registeredAt),
    timeText(lastUsedAt),
  ],
}

const userTable: Table<KnownUser> = {
  heading: ['USER', 'NAME', 'E-MAIL', 'CONNECTIONS', 'SIGNED IN'],
  cells: ({ id, name, email, connections, signedInAt }) => [
    id,
    name,
    email ?? '',
    String(connections),
    timeText(signedInAt),
  ],
}
