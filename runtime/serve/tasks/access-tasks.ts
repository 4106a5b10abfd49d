/** What `acmcp grants`, `clients`, `users` and `sessions` do, on the store that `acmcp serve` would use. Loads no build, no
 *  compiler and no server; running instances on PostgreSQL are told at once. */
import { readStoreAddress, type Variables } from '../../boot/environment.ts'
import { storeRefusal } from '../../boot/store-trouble.ts'
import { openStore } from '../../store/open.ts'
import type { GrantFilter, KnownClient, KnownUser, LiveGrant, Store } from '../../store/store.ts'

export type { GrantFilter, KnownClient, KnownUser, LiveGrant }

export interface AccessTaskOptions {
  /** The application's folder. */
  readonly cwd: string
  readonly env: Variables
}

/** Why access ended, in the store and in the log. */
const byOperator = 'operator'

export const listGrants = (options: AccessTaskOptions, filter: GrantFilter): Promise<readonly LiveGrant[]> =>
  onStore(options, (store) => store.listGrants(filter))

export const listClients = (options: AccessTaskOptions): Promise<readonly KnownClient[]> =>
  onStore(options, (store) => store.listClients())

export const listUsers = (options: AccessTaskOptions): Promise<readonly KnownUser[]> =>
  onStore(options, (store) => store.listUsers())

/** What was revoked, and whether running instances know: if not they notice when they look again. */
export interface RevokedGrants {
  readonly grants: readonly LiveGrant[]
  readonly isTold: boolean
}

/** Those that fit any of the filters. */
export function revokeGrants(
  options: AccessTaskOptions,
  filters: readonly GrantFilter[],
): Promise<RevokedGrants> {
  return onStore(options, async (store) => {
    const grants: LiveGrant[] = []
    const users: string[] = []
    for (const filter of filters) {
      grants.push(...(await store.listGrants(filter)))
      users.push(...(await store.revokeGrants(filter, byOperator)))
    }
    return told(store, grants, users)
  })
}

/** Null when there is nothing of such a client. */
export function removeClient(options: AccessTaskOptions, id: string): Promise<RevokedGrants | null> {
  return onStore(options, async (store) => {
    const grants = await store.listGrants({ clientId: id })
    const users = await store.removeClient(id, byOperator)
    return users === null ? null : told(store, grants, users)
  })
}

/** Resolves with how many there were, or null when there is no such user. */
export const revokeSessions = (options: AccessTaskOptions, userId: string): Promise<number | null> =>
  onStore(options, async (store) =>
    (await store.findUser(userId)) === null ? null : store.revokeSessions(userId),
  )

/** Tells running instances whose access ended; that nobody can be told changes nothing of it. */
async function told(
  store: Store,
  grants: readonly LiveGrant[],
  userIds: readonly string[],
): Promise<RevokedGrants> {
  if (userIds.length === 0) return { grants, isTold: true }
  try {
    const bus = await store.joinBus(() => async () => {})
    for (const id of new Set(userIds)) bus.publish('revoked', id)
    return { grants, isTold: await bus.close() }
  } catch {
    return { grants, isTold: false }
  }
}

async function onStore<Result>(
  { cwd, env }: AccessTaskOptions,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  try {
    const url = readStoreAddress(env, cwd)
    const store = await openStore({ url, migrations: null, migrate: 'refuse', clock: () => Date.now() })
    return await work(store).finally(() => store.close())
  } catch (error) {
    throw storeRefusal(error)
  }
}
