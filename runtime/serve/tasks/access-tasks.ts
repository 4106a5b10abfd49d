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

/** Resolves with the connections that ended. */
export function endConnections(
  options: AccessTaskOptions,
  filter: ConnectionFilter,
): Promise<readonly Connection[]> {
  return onStore(options, async (store) => {
    const ended = await store.listConnections(filter)
    await tell(store, await store.endConnections(filter, byOperator))
    return ended
  })
}

/** Resolves with the connections that ended, or null when there is nothing of such a client. */
export function removeClient(options: AccessTaskOptions, id: string): Promise<readonly Connection[] | null> {
  return onStore(options, async (store) => {
    const ended = await store.listConnections({ clientId: id })
    const users = await store.removeClient(id, byOperator)
    if (users !== null) await tell(store, users)
    return users === null ? null : ended
  })
}

/** Resolves with how many there were. */
export const endSessions = (options: AccessTaskOptions, userId: string): Promise<number> =>
  onStore(options, (store) => store.endSessions(userId))

async function tell(store: Store, userIds: readonly string[]): Promise<void> {
  const bus = await store.joinBus(() => async () => {})
  for (const id of new Set(userIds)) bus.publish('revoked', id)
  await bus.close()
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
