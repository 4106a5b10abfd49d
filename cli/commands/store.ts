/** `acmcp store`: looks after the store that `acmcp serve` uses. Never loads the compiler. */
import type { Command } from 'commander'
import type { MigrationState, RolloutPlan, Seen, StoreStatus } from '../../runtime/serve/tasks/store-tasks.ts'
import { type Add, addExamples, type CommandContext } from '../command-line/command.ts'
import { withEnvFile } from '../command-line/env-file.ts'
import { jsonDocument, printableInLine } from '../terminal/table.ts'

/** What `store` is asked for. */
export type StoreTask =
  | { readonly kind: 'status' | 'plan' | 'migrate'; readonly json: boolean }
  | { readonly kind: 'purge' }
  /** `file`: null = beside the store, with the time. */
  | { readonly kind: 'backup'; readonly file: string | null }

interface JsonFlag {
  readonly json?: boolean
}

export const add: Add = (program, start) => {
  const act = (task: StoreTask): Promise<void> =>
    start((context) => context.besideApplication(() => run(task, context)))
  const group = program.command('store').description('look after the store that serve uses')
  const task = (name: string, description: string, examples: readonly string[]): Command => {
    const command = group.command(name).description(description).allowExcessArguments(false)
    addExamples(command, examples)
    return command
  }
  const asJson = 'print one JSON document'
  task('status', 'show engine and migrations; fail when migrations are pending', [
    'acmcp store status',
    'acmcp store status --json',
  ])
    .option('--json', asJson)
    .action(({ json = false }: JsonFlag) => act({ kind: 'status', json }))
  task('migrate', 'apply pending migrations', [
    'DATABASE_URL=postgres://db.internal/shop acmcp store migrate',
    'acmcp store migrate --plan',
    'acmcp store migrate --plan --json',
  ])
    .option('--plan', 'apply nothing: list what is pending, and what a rollout needs')
    .option('--json', asJson)
    .action(({ plan, json = false }: JsonFlag & { readonly plan?: boolean }) =>
      act({ kind: plan === true ? 'plan' : 'migrate', json }),
    )
  task('purge', 'remove what has expired', ['acmcp store purge']).action(() => act({ kind: 'purge' }))
  task('backup', 'copy a SQLite store while it is in use; name the command for PostgreSQL', [
    'acmcp store backup backups/shop.db',
  ])
    .argument('[file]', 'the copy, which must not exist')
    .action((file?: string) => act({ kind: 'backup', file: file ?? null }))
}

export interface StoreCommandOptions
  extends Pick<CommandContext, 'cwd' | 'env' | 'isTerminal' | 'print' | 'warn'> {}

type Tasks = typeof import('../../runtime/serve/tasks/store-tasks.ts')

/** Does `task`; the exit code: 1 when the store is behind, or the task was refused, after a clear line for each reason. */
export function run(task: StoreTask, options: StoreCommandOptions): Promise<0 | 1> {
  return withEnvFile(options.cwd, options.warn, async () => {
    const tasks = await import('../../runtime/serve/tasks/store-tasks.ts')
    switch (task.kind) {
      case 'status':
        return status(await tasks.storeStatus(options), task.json, options)
      case 'plan':
        return plan(await tasks.planMigrations(options), task.json, options)
      case 'migrate':
        return migrate(tasks, task.json, options)
      case 'purge':
        options.print(`purged ${await tasks.purgeStore(options)} rows`)
        return 0
      case 'backup':
        options.print(`copied to ${await tasks.backupStore(options, task.file)}`)
        return 0
    }
  })
}

const notWhole = 'there is no build here: nothing was asked of the migrations of the application'

function status(seen: Seen<StoreStatus>, json: boolean, options: StoreCommandOptions): 0 | 1 {
  const { print, warn, isTerminal } = options
  const { engine, address, migrations } = seen
  const isCurrent = migrations.every(({ isApplied }) => isApplied)
  if (!seen.isWhole) warn(`acmcp: ${notWhole}`)
  if (json) {
    const note = seen.isWhole ? null : notWhole
    const states = migrations.map(stateJson)
    print(jsonDocument({ engine, address, isCurrent, migrations: states, note }, isTerminal))
    return isCurrent ? 0 : 1
  }
  print(`${engine} at ${address}`)
  for (const state of migrations) print(`  ${stateText(state)}`)
  const pending = migrations.filter(({ isApplied }) => !isApplied).length
  print(pending === 0 ? 'the schema is current' : `${pending} pending: run acmcp store migrate`)
  return isCurrent ? 0 : 1
}

const stateJson = ({ owner, name, isApplied, isAdditive, isKnown }: MigrationState): object => ({
  owner,
  name,
  applied: isApplied,
  additive: isAdditive,
  known: isKnown,
})

function stateText({ owner, name, isApplied, isAdditive, isKnown }: MigrationState): string {
  const stranger = isKnown ? '' : ` (of a newer build, ${kindText(isAdditive)})`
  return `${isApplied ? 'applied' : 'pending'}  ${owner} ${printableInLine(name)}${stranger}`
}

const kindText = (isAdditive: boolean): string => (isAdditive ? 'additive' : 'not additive')

const rollouts: Readonly<Record<RolloutPlan['rollout'], string>> = {
  nothing: 'nothing to apply: replace the instances one after another',
  new: 'nothing is stored yet: run acmcp store migrate, then start the instances',
  'migrate-first':
    'run acmcp store migrate while the instances of the version before serve, then replace them one after another',
  'stop-first':
    'take a backup, stop every instance of the version before, run acmcp store migrate, then start the new ones',
  impossible: 'this build cannot serve this store: it has migrations that this build must not run beside',
}

function plan(seen: RolloutPlan, json: boolean, { print, isTerminal }: StoreCommandOptions): 0 | 1 {
  const { engine, address, rollout, pending, unknown } = seen
  const code = rollout === 'impossible' ? 1 : 0
  const needs = rollouts[rollout]
  if (json) {
    const states = { pending: pending.map(stateJson), unknown: unknown.map(stateJson) }
    print(jsonDocument({ engine, address, rollout, needs, ...states }, isTerminal))
    return code
  }
  print(`${engine} at ${address}`)
  for (const state of [...pending, ...unknown])
    print(`  ${stateText(state)}${state.isKnown ? `: ${kindText(state.isAdditive)}` : ''}`)
  print(`rollout: ${needs}`)
  return code
}

async function migrate(tasks: Tasks, json: boolean, options: StoreCommandOptions): Promise<0> {
  const { print, isTerminal } = options
  const applied = await tasks.migrateStore(options)
  if (json) {
    print(jsonDocument({ applied: applied.map(({ owner, name }) => ({ owner, name })) }, isTerminal))
    return 0
  }
  for (const { owner, name } of applied) print(`applied ${owner} ${name}`)
  print('the schema is current')
  return 0
}
