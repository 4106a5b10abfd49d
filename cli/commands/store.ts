/** `acmcp store`: looks after the store that `acmcp serve` uses. Never loads the compiler. */
import { withEnvFile } from './refusal.ts'

export interface StoreCommandOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where `backup` writes. */
  readonly file?: string
  readonly print: (line: string) => void
  readonly warn: (line: string) => void
}

/** Runs status, migrate, purge or backup; the exit code: 1 when the store is behind or the task was refused, after a
 *  clear line for each reason. */
export async function store(task: string, { warn, ...options }: StoreCommandOptions): Promise<number> {
  const { storeTask } = await import('../../runtime/serve/tasks/store-tasks.ts')
  return withEnvFile(options.cwd, warn, async () => ((await storeTask(task, options)) ? 0 : 1))
}
