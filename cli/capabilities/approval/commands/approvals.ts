/** `acmcp approvals`: which calls wait for the approval of their users, and how one is denied. Never loads the compiler. */
import type { KnownApproval, ShownToOperator } from '../../../../runtime/capabilities/approval/operator.ts'
import {
  addCommand,
  CommandFailure,
  type JsonFlag,
  printResult,
  withJson,
} from '../../../command-line/add-command.ts'
import { addList, type Columns, withLimit } from '../../../command-line/add-list.ts'
import type { Add, CommandContext } from '../../../command-line/command.ts'
import { printable, printableInLine, timeText, withTimes } from '../../../terminal/table.ts'

export const place = 350

export const add: Add = (program, start) => {
  const group = program.command('approvals').description('see which calls wait for a person, and deny them')
  const list = withJson(
    withLimit(group.command('list').option('--user <id>', 'only of this user')),
  ).description('list the calls that wait: user, client, route, since when and until when')
  addList<KnownApproval, { readonly user?: string }>(list, start, {
    examples: ['acmcp approvals list', 'acmcp approvals list --user google:117 --json'],
    name: 'approvals',
    rows: async ({ user, limit, ...options }) =>
      (await loadTasks()).listApprovals(options, user === undefined ? {} : { user }, limit),
    columns,
  })
  const shown = withJson(group.command('show'))
    .description('show what is known of one, without what its user is asked')
    .argument('<id>', 'what approvals list calls APPROVAL')
    .option('--arguments', 'with the sentence and the arguments: data of its user')
  addCommand(shown, start, {
    examples: ['acmcp approvals show 3q2-7wAAAAAAAAAAAAAAAA --arguments'],
    run: show,
  })
  const denied = withJson(group.command('deny'))
    .description('deny one: its call does not run')
    .argument('<id>', 'what approvals list calls APPROVAL')
  addCommand(denied, start, { examples: ['acmcp approvals deny 3q2-7wAAAAAAAAAAAAAAAA'], run: deny })
}

const loadTasks = () => import('../../../../runtime/capabilities/approval/operator.ts')

const columns: Columns<KnownApproval> = {
  APPROVAL: ({ id }) => id,
  USER: ({ user }) => user,
  CLIENT: ({ client }) => client ?? '',
  ROUTE: ({ route }) => route,
  SINCE: ({ createdAt }) => timeText(createdAt),
  UNTIL: ({ expiresAt }) => timeText(expiresAt),
}

type ShowOptions = CommandContext & JsonFlag & { readonly arguments?: boolean }

async function show(options: ShowOptions, id: string): Promise<0> {
  const found = await (await loadTasks()).showApproval(options, id, options.arguments === true)
  if (found === null) return noSuch(id)
  const { call, ...facts } = found
  const shown = call === null ? facts : { ...facts, call: call === 'unreadable' ? null : call }
  printResult(options, { approval: withTimes(shown) }, linesOf(found))
  if (call === 'unreadable') throw new CommandFailure('its arguments were sealed with another SESSION_SECRET')
  return 0
}

function linesOf({ call, ...facts }: ShownToOperator): readonly string[] {
  const known = Object.entries(withTimes(facts)).map(([name, value]) => [name, String(value ?? '–')])
  const readable = call === 'unreadable' ? null : call
  const outcome =
    readable === null
      ? []
      : [
          ['sentence', readable.sentence],
          ['calls', readable.name],
        ]
  return [
    ...[...known, ...outcome].map(([name = '', value = '']) => `${name}: ${printableInLine(value)}`),
    ...(readable?.arguments ?? []).map(
      ({ name, text }) => `  ${printableInLine(name)} = ${printable(text).replaceAll('\n', '\n    ')}`,
    ),
  ]
}

/** No operator can approve here: only the user of a call can. */
async function deny(options: CommandContext & JsonFlag, id: string): Promise<0> {
  const denied = await (await loadTasks()).denyApproval(options, id)
  if (denied === null) return noSuch(id)
  const { approval, isAnnounced } = denied
  const text = `denied: ${printableInLine(approval.route)} of ${printableInLine(approval.user)}`
  printResult(options, { denied: withTimes(approval) }, [text])
  if (isAnnounced) return 0
  throw new CommandFailure(
    'it is denied, but running servers could not be told: a call that waits learns it within 25 seconds',
  )
}

function noSuch(id: string): never {
  throw new CommandFailure(`no approval ${printableInLine(id)} waits`)
}
