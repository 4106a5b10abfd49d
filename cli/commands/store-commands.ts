/** `acmcp store` on the command line. */
import type { Command } from 'commander'

/** What `store` is asked for. */
export type StoreTask =
  | { readonly kind: 'status' | 'plan' | 'migrate' | 'check'; readonly json: boolean }
  | { readonly kind: 'purge' }
  /** `file`: null = beside the store, with the time. */
  | { readonly kind: 'backup'; readonly file: string | null }
  | { readonly kind: 'restore'; readonly file: string }

interface JsonFlag {
  readonly json?: boolean
}

export function addStore(program: Command, store: (task: StoreTask) => Promise<void>): void {
  const group = program.command('store').description('look after the store that serve uses')
  const task = (name: string, description: string): Command =>
    group.command(name).description(description).allowExcessArguments(false)
  const asJson = 'print one JSON document'
  task(
    'status',
    'show engine, migrations, and rows and size of every table; fail when migrations are pending',
  )
    .option('--json', asJson)
    .action(({ json = false }: JsonFlag) => store({ kind: 'status', json }))
  task('migrate', 'apply pending migrations')
    .option('--plan', 'apply nothing: list what is pending, and what a rollout needs')
    .option('--json', asJson)
    .action(({ plan, json = false }: JsonFlag & { readonly plan?: boolean }) =>
      store({ kind: plan === true ? 'plan' : 'migrate', json }),
    )
  task('purge', 'remove what has expired').action(() => store({ kind: 'purge' }))
  task('backup', 'copy a SQLite store while it is in use; name the command for PostgreSQL')
    .argument('[file]', 'the copy, which must not exist')
    .action((file?: string) => store({ kind: 'backup', file: file ?? null }))
  task('restore', 'put a copy in place of a SQLite store that nobody uses; name the command for PostgreSQL')
    .argument('<file>', 'the copy, which is checked first and stays as it is')
    .action((file: string) => store({ kind: 'restore', file }))
  task('check', 'look whether the store is whole; fail and say what to do when it is not')
    .option('--json', asJson)
    .action(({ json = false }: JsonFlag) => store({ kind: 'check', json }))
}
