/** What `acmcp grants`, `clients`, `users` and `sessions` do, on the store that `acmcp serve` would use. Loads no compiler
 *  and no server; running instances are told at once. */
import { openApplicationStore } from '../../boot/application-store.ts'
import { isBuilt } from '../../boot/bundle.ts'
import type { RecordChanges } from '../../boot/capability.ts'
import { readBusSecrets, readStoreAddress, type Variables } from '../../boot/environment.ts'
import type { ResolvedConfig } from '../../boot/resolved-config.ts'
import { storeRefusal } from '../../boot/store-trouble.ts'
import { capabilities } from '../../capabilities/index.ts'
import type { Bus } from '../../contract/bus.ts'
import type { AuditEntry } from '../../contract/calls.ts'
import { auditedUser } from '../../oauth/tokens/subjects.ts'
import type { GrantFilter, KnownClient, KnownUser, LiveGrant, Store } from '../../store/store.ts'
import { revokeInBatches } from '../../store/verbs/revoke-grants.ts'
import { configOfBuild } from './store-tasks.ts'

export type { GrantFilter, KnownClient, KnownUser, LiveGrant }

export interface AccessTaskOptions {
  /** The application's folder. */
  readonly cwd: string
  readonly env: Variables
}

/** Why access ended, in the store and in the log. */
const byOperator = 'operator'

/** The first of a list, and whether there are more. */
export interface LimitedList<Item> {
  readonly items: readonly Item[]
  readonly isCut: boolean
}

export const listGrants = (
  options: AccessTaskOptions,
  filter: GrantFilter,
  limit: number,
): Promise<LimitedList<LiveGrant>> =>
  onStore(options, async (store) => firstOf(await store.listGrants(filter, limit + 1), limit))

export const listClients = (options: AccessTaskOptions, limit: number): Promise<LimitedList<KnownClient>> =>
  onStore(options, async (store) => firstOf(await store.listClients(limit + 1), limit))

export const listUsers = (options: AccessTaskOptions, limit: number): Promise<LimitedList<KnownUser>> =>
  onStore(options, async (store) => firstOf(await store.listUsers(limit + 1), limit))

export const firstOf = <Item>(items: readonly Item[], limit: number): LimitedList<Item> => ({
  items: items.slice(0, limit),
  isCut: items.length > limit,
})

/** So many of what was revoked are kept to be shown. */
const maxShown = 1000

export interface RevokedGrants {
  /** The first 1,000. */
  readonly grants: readonly LiveGrant[]
  readonly count: number
  /** Whether running instances know: if not they notice when they look again. */
  readonly isAnnounced: boolean
}

/** Those that fit any of the filters. Stopped in between, it has ended some of them, and run again it ends the others. */
export const revokeGrants = (
  options: AccessTaskOptions,
  filters: readonly GrantFilter[],
): Promise<RevokedGrants> =>
  onStore(options, async (store, record) => {
    const revocation = new Revocation(store, record, options)
    for (const filter of filters) await revocation.revoke(filter)
    return revocation
  })

/** Null when there is nothing of such a client. Its connections end while it has a name, and once more when no user can connect by it. */
export const removeClient = (options: AccessTaskOptions, id: string): Promise<RevokedGrants | null> =>
  onStore(options, async (store, record) => {
    const client = await store.findClient(id)
    const revocation = new Revocation(store, record, options)
    await revocation.revoke({ clientId: id })
    const isRemoved = await store.removeClient(id)
    await revocation.revoke({ clientId: id })
    if (!isRemoved && !revocation.isAny) return null
    await record([{ event: 'client-removal', client: id, clientName: client?.name ?? null, detail }])
    return revocation
  })

/** What ends batch by batch. Of each running instances are told first, before anything else can go wrong. */
class Revocation implements RevokedGrants {
  readonly #store: Store
  readonly #record: RecordChanges
  readonly #options: AccessTaskOptions
  readonly grants: LiveGrant[] = []
  count = 0
  isAnnounced = true
  /** Whether anything ended, if only a code. */
  isAny = false

  constructor(store: Store, record: RecordChanges, options: AccessTaskOptions) {
    this.#store = store
    this.#record = record
    this.#options = options
  }

  async revoke(filter: GrantFilter): Promise<void> {
    for await (const { userIds, live } of revokeInBatches(this.#store, filter, byOperator)) {
      this.isAny = true
      this.count += live.length
      this.grants.push(...live.slice(0, maxShown - this.grants.length))
      const tell: Tell = (bus) => {
        for (const id of userIds) bus.publish('revoked', id)
      }
      if (!(await announced(this.#store, this.#options, tell))) this.isAnnounced = false
      await this.#record(live.map(revocationEntry))
    }
  }
}

/** Resolves with how many there were, or null when there is no such user. */
export const revokeSessions = (options: AccessTaskOptions, userId: string): Promise<number | null> =>
  onStore(options, async (store, record) => {
    if ((await store.findStanding(userId)) === null) return null
    const sessions = await store.revokeSessions(userId)
    if (sessions > 0) await record([{ event: 'sign-out', user: userId, detail: { ...detail, sessions } }])
    return sessions
  })

const detail = { by: byOperator }

const revocationEntry = ({ grantId, user, client }: LiveGrant): AuditEntry => ({
  event: 'revocation',
  ...auditedUser(user.id),
  client: client.id,
  clientName: client.name,
  grant: grantId,
  detail,
})

type Tell = (bus: Pick<Bus, 'publish'>) => void

/** Tells running instances what was done, before anything else can go wrong; a failure to tell them changes nothing of it. */
export async function announced(store: Store, { cwd, env }: AccessTaskOptions, tell: Tell): Promise<boolean> {
  try {
    const secrets = readBusSecrets(env, cwd)
    if (secrets.length === 0 && store.isShared) return false
    const bus = await store.joinBus(() => async () => {}, secrets)
    tell(bus)
    return await bus.close()
  } catch {
    return false
  }
}

export function onStore<Result>(
  { cwd, env }: AccessTaskOptions,
  work: (store: Store, record: RecordChanges) => Promise<Result>,
): Promise<Result> {
  return refusing(async () => {
    const url = readStoreAddress(env, cwd)
    const config = await knownConfig(cwd)
    const store = await openApplicationStore({ url, migrations: null, migrate: 'refuse', clock })
    return work(store, await recorderOf(store, config)).finally(() => store.close())
  })
}

/** One that cannot be loaded says nothing: it must not keep an operator from ending access. */
const knownConfig = async (cwd: string): Promise<ResolvedConfig | null> =>
  isBuilt(cwd) ? configOfBuild(cwd).catch(() => null) : null

/** Records what is done, where anything keeps that. */
export async function recorderOf(store: Store, config: ResolvedConfig | null): Promise<RecordChanges> {
  const recorders = await Promise.all(capabilities.map(({ recorder }) => recorder?.(store, config) ?? null))
  return async (entries) => {
    if (entries.length > 0) for (const record of recorders) await record?.(entries)
  }
}

const clock = (): number => Date.now()

export async function refusing<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw storeRefusal(error)
  }
}
