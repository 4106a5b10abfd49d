/** What `acmcp grants`, `clients`, `users` and `sessions` do, on the store that `acmcp serve` would use. Loads no compiler and no
 *  server; running instances on PostgreSQL are told at once. */
import { readStoreAddress, type Variables } from '../../boot/environment.ts'
import { storeRefusal } from '../../boot/store-trouble.ts'
import { openStore } from '../../store/open.ts'
import type { Connection, ConnectionFilter, KnownClient, KnownUser, Store } from '../../store/store.ts'
import { lastMigrations } from './store-tasks.ts'

export type { Connection, ConnectionFilter, KnownClient, KnownUser }

export interface AccessTaskOptions {
  /** The application's folder. */
  readonly cwd: string
  readonly env: Variables
}

/** Why access ended, in the store and in the log. */
const byOperator = 'operator'

export const listConnections = (
  options: AccessTaskOptions,
  filter: ConnectionFilter,
): Promise<readonly Connection[]> => onStore(options, (store) => store.listConnections(filter))

export const listClients = (options: AccessTaskOptions): Promise<readonly KnownClient[]> =>
  onStore(options, (store) => store.listClients())

export const listUsers = (options: AccessTaskOptions): Promise<readonly KnownUser[]> =>
  onStore(options, (store) => store.listUsers())

/** What ended, and whether running instances know: if not they notice when they look again. */
export interface Ended {
  readonly connections: readonly Connection[]
  readonly isTold: boolean
}

export function endConnections(options: AccessTaskOptions, filter: ConnectionFilter): Promise<Ended> {
  return onStore(options, async (store) => {
    const connections = await store.listConnections(filter)
    return ended(store, connections, await store.endConnections(filter, byOperator))
  })
}

/** Null when there is nothing of such a client. */
export function removeClient(options: AccessTaskOptions, id: string): Promise<Ended | null> {
  return onStore(options, async (store) => {
    const connections = await store.listConnections({ clientId: id })
    const users = await store.removeClient(id, byOperator)
    return users === null ? null : ended(store, connections, users)
  })
}

/** Resolves with how many there were, or null when there is no such user. */
export const endSessions = (options: AccessTaskOptions, userId: string): Promise<number | null> =>
  onStore(options, async (store) =>
    (await store.findUser(userId)) === null ? null : store.endSessions(userId),
  )

/** Tells running instances; that nobody can be told changes nothing of what ended. */
async function ended(
  store: Store,
  connections: readonly Connection[],
  userIds: readonly string[],
): Promise<Ended> {
  if (userIds.length === 0) return { connections, isTold: true }
  try {
    const bus = await store.joinBus(() => async () => {})
    for (const id of new Set(userIds)) bus.publish('revoked', id)
    return { connections, isTold: await bus.close() }
  } catch {
    return { connections, isTold: false }
  }
}

async function onStore<Result>(
  { cwd, env }: AccessTaskOptions,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  try {
    const url = readStoreAddress(env, cwd)
    const migrations = await lastMigrations(cwd)
    const store = await openStore({ url, migrations, migrate: 'refuse', clock: () => Date.now() })
    return await work(store).finally(() => store.close())
  } catch (error) {
    throw storeRefusal(error)
  }
}
