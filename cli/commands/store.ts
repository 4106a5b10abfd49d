/** `acmcp store`: looks after the store that `acmcp serve` uses. Never loads the compiler. */
import type { Command } from 'commander'
import type { MigrationState, RolloutPlan } from '../../runtime/serve/tasks/store-tasks.ts'
import {
  addCommand,
  type CommandWork,
  type JsonFlag,
  printResult,
  withJson,
} from '../command-line/add-command.ts'
import type { Add, CommandContext } from '../command-line/command.ts'
import { printableInLine } from '../terminal/table.ts'

export const place = 220

export const add: Add = (program, start) => {
  const group = program.command('store').description('look after the store that serve uses')
  const task = <Flags extends object, Words extends readonly unknown[]>(
    command: Command,
    examples: readonly string[],
    run: CommandWork<Flags, Words>['run'],
  ): void => addCommand<Flags, Words>(command, start, { examples, isBesideApplication: true, run })
  const named = (name: string, description: string): Command => group.command(name).description(description)
  task(
    withJson(named('status', 'show engine and migrations; fail when migrations are pending')),
    ['acmcp store status', 'acmcp store status --json'],
    status,
  )
  task(
    withJson(
      named('migrate', 'apply pending migrations').option(
        '--plan',
        'apply nothing: list what is pending, and what a rollout needs',
      ),
    ),
    [
      'DATABASE_URL=postgres://db.internal/shop acmcp store migrate',
      'acmcp store migrate --plan',
      'acmcp store migrate --plan --json',
    ],
    (options: Options & { readonly plan?: boolean }) =>
      options.plan === true ? plan(options) : migrate(options),
  )
  task(named('purge', 'remove what has expired'), ['acmcp store purge'], async (options: Options) => {
    options.print(`purged ${await (await loadTasks()).purgeStore(options)} rows`)
    return 0
  })
  task(
    named('backup', 'copy a SQLite store while it is in use; name the command for PostgreSQL').argument(
      '[file]',
      'the copy, which must not exist',
    ),
    ['acmcp store backup backups/shop.db'],
    async (options: Options, file?: string) => {
      options.print(`copied to ${await (await loadTasks()).backupStore(options, file ?? null)}`)
      return 0
    },
  )
}

type Options = CommandContext & JsonFlag

const loadTasks = () => import('../../runtime/serve/tasks/store-tasks.ts')

const notWhole = 'there is no build here: nothing was asked of the migrations of the application'

/** The exit code: 1 when the store is behind. */
async function status(options: Options): Promise<0 | 1> {
  const { engine, address, migrations, isWhole } = await (await loadTasks()).storeStatus(options)
  const pending = migrations.filter(({ isApplied }) => !isApplied).length
  if (!isWhole) options.warn(`acmcp: ${notWhole}`)
  const note = isWhole ? null : notWhole
  const document = { engine, address, isCurrent: pending === 0, migrations: migrations.map(stateJson), note }
  printResult(options, document, [
    `${engine} at ${address}`,
    ...migrations.map((state) => `  ${stateText(state)}`),
    pending === 0 ? 'the schema is current' : `${pending} pending: run acmcp store migrate`,
  ])
  return pending === 0 ? 0 : 1
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

/** The exit code: 1 when this build cannot serve the store. */
async function plan(options: Options): Promise<0 | 1> {
  const { engine, address, rollout, pending, unknown } = await (await loadTasks()).planMigrations(options)
  const needs = rollouts[rollout]
  const states = { pending: pending.map(stateJson), unknown: unknown.map(stateJson) }
  printResult(options, { engine, address, rollout, needs, ...states }, [
    `${engine} at ${address}`,
    ...[...pending, ...unknown].map(
      (state) => `  ${stateText(state)}${state.isKnown ? `: ${kindText(state.isAdditive)}` : ''}`,
    ),
    `rollout: ${needs}`,
  ])
  return rollout === 'impossible' ? 1 : 0
}

async function migrate(options: Options): Promise<0> {
  const applied = await (await loadTasks()).migrateStore(options)
  const lines = applied.map(({ owner, name }) => `applied ${owner} ${name}`)
  const document = { applied: applied.map(({ owner, name }) => ({ owner, name })) }
  printResult(options, document, [...lines, 'the schema is current'])
  return 0
}
