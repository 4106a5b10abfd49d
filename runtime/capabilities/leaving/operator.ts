/** What `acmcp users show`, `block`, `unblock` and `erase` do, on the store that `acmcp serve` would use; running instances are told at
 *  once. */

import { randomBytes } from 'node:crypto'
import { createApplication } from '../../boot/application.ts'
import { BootError } from '../../boot/boot-error.ts'
import { isBuilt, loadBundle } from '../../boot/bundle.ts'
import type { RecordChanges } from '../../boot/capability.ts'
import { readEnvironment } from '../../boot/environment.ts'
import type { Logger, Services, UserStanding } from '../../contract/store.ts'
import {
  type AccessTaskOptions,
  announced,
  onStore,
  recorderOf,
  refusing,
} from '../../serve/tasks/access-tasks.ts'
import { configOfBuild } from '../../serve/tasks/store-tasks.ts'
import { type Store, StoreUnavailable } from '../../store/store.ts'
import { attributesOf } from '../../user-attributes.ts'
import { LeavingUsers } from './leaving-users.ts'
import { leavingVerbs } from './leaving-verbs.ts'
import { leavingSettings } from './settings.ts'
import type { KeptRows, OnErase } from './types.ts'

export type { KeptRows }

export interface UserTaskOptions extends AccessTaskOptions {
  /** Receives the log of the application, from `warn` on. */
  readonly warn: (line: string) => void
}

export interface ShownUser extends UserStanding {
  /** What the application keeps with them. */
  readonly attributes: object | null
}

/** Null when there is no such user. */
export const showUser = (options: AccessTaskOptions, id: string): Promise<ShownUser | null> =>
  onStore(options, async (store) => {
    const standing = await store.findStanding(id)
    return standing && { ...standing, attributes: attributesOf(standing.user) }
  })

export interface ChangedUser {
  /** False = there is no such user; of `unblock` also one who is being erased. */
  readonly isDone: boolean
  /** Whether running instances know: if not they notice when they look again. */
  readonly isAnnounced: boolean
}

export const changeUser = (
  options: UserTaskOptions,
  change: 'block' | 'unblock',
  id: string,
): Promise<ChangedUser> =>
  onStore(options, async (store, record) => {
    const desk = deskOf(options, { store, record, ...withoutApplication })
    const isDone = await desk.users[change](id)
    return { isDone, isAnnounced: desk.isAnnounced() }
  })

export interface ErasedUser extends Pick<ChangedUser, 'isAnnounced'> {
  /** Null when there is no such user. */
  readonly kept: KeptRows | null
}

export const countUser = (options: UserTaskOptions, id: string): Promise<ErasedUser> =>
  onStore(options, async (store, record) => {
    const { users } = deskOf(options, { store, record, ...withoutApplication })
    return { kept: await users.erase(id, { dryRun: true }), isAnnounced: true }
  })

/** The application, if it has an `onErase`, runs in this process, without a socket. Throws `BootError` without a build: it might have one. */
export async function eraseUser(options: UserTaskOptions, id: string): Promise<ErasedUser> {
  if (!isBuilt(options.cwd))
    throw new BootError('there is no build that says what else is to be erased: run acmcp build')
  const config = await configOfBuild(options.cwd)
  const { onErase } = leavingSettings.read(config.written)
  if (onErase === null)
    return onStore(options, (store, record) => erase(options, { store, record, ...withoutApplication }, id))
  return refusing(async () => {
    const application = await openApplication(options)
    const { store, services } = application
    const record = await recorderOf(store, config)
    return erase(options, { store, record, onErase, services: () => services }, id).finally(() =>
      application.close(),
    )
  })
}

async function erase(options: UserTaskOptions, parts: DeskParts, id: string): Promise<ErasedUser> {
  const { users, isAnnounced } = deskOf(options, parts)
  const kept = await users.erase(id).catch((error: unknown) => {
    if (error instanceof StoreUnavailable) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new BootError(
      `the user is blocked, and could not be erased yet: ${reason}. Servers try again; so does this command`,
    )
  })
  return { kept, isAnnounced: isAnnounced() }
}

async function openApplication({ cwd, env, warn }: UserTaskOptions): ReturnType<typeof createApplication> {
  const bundle = await loadBundle(cwd)
  const variables = { ...env, LOG_LEVEL: env.LOG_LEVEL || 'warn' }
  const application = await createApplication(bundle, {
    environment: readEnvironment(variables, cwd, () => randomBytes(32).toString('base64url')),
    migrate: false,
    clock,
    monotonic,
    randomBytes: (count) => randomBytes(count),
    logStream: { write: (line) => warn(line.trimEnd()) },
  })
  await application.server.ready()
  return application
}

interface DeskParts {
  readonly store: Store
  readonly record: RecordChanges
  readonly onErase: OnErase | null
  readonly services: () => Services
}

const withoutApplication: Pick<DeskParts, 'onErase' | 'services'> = {
  onErase: null,
  services: () => {
    throw new Error('there is no application')
  },
}

interface Desk {
  readonly users: LeavingUsers
  readonly isAnnounced: () => boolean
}

function deskOf(options: UserTaskOptions, { store, record, onErase, services }: DeskParts): Desk {
  let isAnnounced = true
  const users = new LeavingUsers({
    ...{ monotonic, onErase, services, log: silent },
    store: { ...store, ...store.verbs(leavingVerbs) },
    randomBytes: (count) => randomBytes(count),
    by: 'operator',
    revoked: async (id) => {
      if (!(await announced(store, options, (bus) => bus.publish('revoked', id)))) isAnnounced = false
    },
    record: (event, user, detail) => record([{ event, user, detail }]),
    flush: async () => {},
  })
  return { users, isAnnounced: () => isAnnounced }
}

/** What fails is thrown, too. */
const silent: Logger = { info: () => {}, warn: () => {}, error: () => {} }

const clock = (): number => Date.now()
const monotonic = (): number => performance.now()
