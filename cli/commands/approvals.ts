/** `acmcp approvals`: which calls wait for the approval of their users, and how one is denied. Never loads the compiler. */
import type { KnownApproval, ShownToOperator } from '../../runtime/serve/tasks/approval-tasks.ts'
import {
  type AccessCommandOptions,
  showFirst,
  type Table,
  withJson,
  withLimit,
} from '../command-line/access-lists.ts'
import { type Add, addExamples } from '../command-line/command.ts'
import { withEnvFile } from '../command-line/env-file.ts'
import { jsonDocument, printable, printableInLine, timeText, withTimes } from '../terminal/table.ts'

export const add: Add = (program, start) => {
  const group = program.command('approvals').description('see which calls wait for a person, and deny them')
  const act = (task: ApprovalsTask, json = false): Promise<void> =>
    start((context) => run(task, { ...context, json }))
  const list = withJson(withLimit(group.command('list').option('--user <id>', 'only of this user')))
    .description('list the calls that wait: user, client, route, since when and until when')
    .action(
      ({ user, limit, json }: { readonly user?: string; readonly limit: number; readonly json?: boolean }) =>
        act({ kind: 'list', user: user ?? null, limit }, json),
    )
  addExamples(list, ['acmcp approvals list', 'acmcp approvals list --user google:117 --json'])
  const show = withJson(group.command('show'))
    .description('show what is known of one, without what its user is asked')
    .argument('<id>', 'what approvals list calls APPROVAL')
    .option('--arguments', 'with the sentence and the arguments: data of its user')
    .action((id: string, flags: { readonly arguments?: boolean; readonly json?: boolean }) =>
      act({ kind: 'show', id, withArguments: flags.arguments === true }, flags.json),
    )
  addExamples(show, ['acmcp approvals show 3q2-7wAAAAAAAAAAAAAAAA --arguments'])
  const deny = withJson(group.command('deny'))
    .description('deny one: its call does not run')
    .argument('<id>', 'what approvals list calls APPROVAL')
    .action((id: string, { json }: { readonly json?: boolean }) => act({ kind: 'deny', id }, json))
  addExamples(deny, ['acmcp approvals deny 3q2-7wAAAAAAAAAAAAAAAA'])
}

type ApprovalsTask =
  | { readonly kind: 'list'; readonly user: string | null; readonly limit: number }
  | { readonly kind: 'show'; readonly id: string; readonly withArguments: boolean }
  | { readonly kind: 'deny'; readonly id: string }

/** The exit code: 1 when there is none of that id, or running servers could not be told, after a clear line. Nobody approves here: only the
 *  user of a call does. */
export function run(task: ApprovalsTask, options: AccessCommandOptions): Promise<0 | 1> {
  return withEnvFile(options.cwd, options.warn, async () => {
    const { listApprovals } = await import('../../runtime/serve/tasks/approval-tasks.ts')
    if (task.kind === 'show') return show(task, options)
    if (task.kind === 'deny') return deny(task.id, options)
    const filter = task.user === null ? {} : { user: task.user }
    showFirst(options, 'approvals', await listApprovals(options, filter, task.limit), approvalTable)
    return 0
  })
}

const approvalTable: Table<KnownApproval> = {
  heading: ['APPROVAL', 'USER', 'CLIENT', 'ROUTE', 'SINCE', 'UNTIL'],
  cells: ({ id, user, client, route, createdAt, expiresAt }) => [
    id,
    user,
    client ?? '',
    route,
    timeText(createdAt),
    timeText(expiresAt),
  ],
}

async function show(
  { id, withArguments }: Extract<ApprovalsTask, { kind: 'show' }>,
  options: AccessCommandOptions,
): Promise<0 | 1> {
  const { showApproval } = await import('../../runtime/serve/tasks/approval-tasks.ts')
  const found = await showApproval(options, id, withArguments)
  if (found === null) return noSuch(id, options)
  const { call, ...facts } = found
  if (options.json) {
    const shown = call === null ? facts : { ...facts, call: call === 'unreadable' ? null : call }
    options.print(jsonDocument({ approval: withTimes(shown) }, options.isTerminal))
  } else for (const line of linesOf(found)) options.print(line)
  if (call !== 'unreadable') return 0
  options.warn('acmcp: its arguments were sealed with another SESSION_SECRET')
  return 1
}

function linesOf({ call, ...facts }: ShownToOperator): readonly string[] {
  const known = Object.entries(withTimes(facts)).map(([name, value]) => [name, String(value ?? '–')])
  const told =
    call === null || call === 'unreadable'
      ? []
      : [
          ['sentence', call.sentence],
          ['calls', call.name],
        ]
  const sent = call === null || call === 'unreadable' ? [] : call.arguments
  return [
    ...[...known, ...told].map(([name = '', value = '']) => `${name}: ${printableInLine(value)}`),
    ...sent.map(
      ({ name, text }) => `  ${printableInLine(name)} = ${printable(text).replaceAll('\n', '\n    ')}`,
    ),
  ]
}

async function deny(id: string, options: AccessCommandOptions): Promise<0 | 1> {
  const { denyApproval } = await import('../../runtime/serve/tasks/approval-tasks.ts')
  const denied = await denyApproval(options, id)
  if (denied === null) return noSuch(id, options)
  const { approval, isAnnounced } = denied
  options.print(
    options.json
      ? jsonDocument({ denied: withTimes(approval) }, options.isTerminal)
      : `denied: ${printableInLine(approval.route)} of ${printableInLine(approval.user)}`,
  )
  if (isAnnounced) return 0
  options.warn(
    'acmcp: it is denied, but running servers could not be told: a call that waits learns it within 25 seconds',
  )
  return 1
}

function noSuch(id: string, { warn }: AccessCommandOptions): 1 {
  warn(`acmcp: no approval ${printableInLine(id)} waits`)
  return 1
}
