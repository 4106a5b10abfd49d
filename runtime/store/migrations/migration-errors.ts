/** Why a store does not open with its migrations. */
import { StoreUnavailable } from '../store.ts'

/** Migrations are pending and the store was opened with `refuse`. */
export class StoreBehind extends Error {
  constructor() {
    super('the store is behind: run acmcp store migrate, or start once with acmcp serve --migrate')
  }
}

/** The store has migrations that this build does not know, and must not run beside. */
export class StoreAhead extends Error {
  /** `core 0009_name`: owner and name of each. */
  constructor(migrations: readonly string[]) {
    super(
      `the store has migrations that this build does not know, and that are not marked additive or came before its own: ${migrations.join(', ')}. Serve the build that has them, or restore the backup from before them`,
    )
  }
}

/** Two capabilities have a table of that name, or one has one of the core. */
export class TableTaken extends Error {
  constructor(name: string) {
    super(`two parts of acmcp have a table named ${name}`)
  }
}

/** A migration of the core or of the application failed and left no trace; what the driver said is in the message. */
export class MigrationFailed extends Error {
  /** `name`: null when the list itself cannot be applied. */
  constructor(owner: 'core' | 'app', name: string | null, cause: unknown) {
    const whose = owner === 'core' ? 'of acmcp itself' : 'of the application'
    super(
      `${name === null ? `the migrations ${whose} cannot be applied` : `the migration ${name} ${whose} failed`}: ${reasonOf(cause)}`,
      { cause },
    )
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const isOurs = error instanceof StoreUnavailable && error.cause instanceof Error
  return isOurs ? `${error.message}: ${reasonOf(error.cause)}` : error.message
}
