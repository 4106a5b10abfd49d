/** `acmcp users`: lists the users who have signed in, and blocks and erases those who leave. Never loads the compiler. */
import type { Command } from 'commander'
import type { KeptRows, ShownUser } from '../../../../runtime/capabilities/leaving/operator.ts'
import type { KnownUser } from '../../../../runtime/serve/tasks/access-tasks.ts'
import {
  addCommand,
  CommandFailure,
  type JsonFlag,
  printResult,
  withJson,
} from '../../../command-line/add-command.ts'
import { addList, type Columns, tableOf, withLimit } from '../../../command-line/add-list.ts'
import type { Add, CommandContext } from '../../../command-line/command.ts'
import { printableInLine, timeText, withTimes } from '../../../terminal/table.ts'

export const place = 330

export const add: Add = (program, start) => {
  const group = program.command('users').description('see who has signed in, block and erase users')
  addList(withJson(withLimit(group.command('list'))).description('list everybody who has signed in'), start, {
    examples: ['acmcp users list --json'],
    name: 'users',
    async rows(options) {
      const { listUsers } = await import('../../../../runtime/serve/tasks/access-tasks.ts')
      return listUsers(options, options.limit)
    },
    columns,
  })
  const named = (name: string, description: string): Command =>
    withJson(group.command(name)).argument('<user>', 'what users list calls USER').description(description)
  const does = (command: Command, examples: readonly string[], run: UserWork): void =>
    addCommand<UserFlags, [user: string]>(command, start, { examples, isBesideApplication: true, run })
  does(
    named('show', 'show one user, and whether they are blocked'),
    ['acmcp users show google:117'],
    async (options, user) => showStanding(await standingOf(options, user), options),
  )
  does(
    named(
      'block',
      'end all that a user has open (sessions, connections, streams, sockets, tasks) and refuse their sign-in',
    ),
    ['acmcp users block google:117'],
    (options, user) => change('block', user, options),
  )
  does(
    named('unblock', 'let a user sign in again; nothing of before comes back'),
    ['acmcp users unblock google:117'],
    (options, user) => change('unblock', user, options),
  )
  does(
    named('erase', 'block a user, call onErase of the application, and remove what is kept of them').option(
      '--dry-run',
      'count what would go, and change nothing',
    ),
    ['acmcp users erase google:117 --dry-run', 'acmcp users erase google:117'],
    erase,
  )
}

interface UserFlags extends JsonFlag {
  readonly dryRun?: boolean
}

type Options = CommandContext & UserFlags

/** The exit code: 1 when running servers could not be told. */
type UserWork = (options: Options, user: string) => Promise<0 | 1>

const columns: Columns<KnownUser> = {
  USER: ({ id }) => id,
  NAME: ({ name }) => name,
  'E-MAIL': ({ email }) => email ?? '',
  CONNECTIONS: ({ connections }) => String(connections),
  'SIGNED IN': ({ signedInAt }) => timeText(signedInAt),
  BLOCKED: ({ blockedAt }) => timeText(blockedAt),
}

const loadTasks = () => import('../../../../runtime/capabilities/leaving/operator.ts')

async function standingOf(options: Options, user: string): Promise<ShownUser> {
  return (await (await loadTasks()).showUser(options, user)) ?? unknown(user)
}

function unknown(user: string): never {
  throw new CommandFailure(`there is no user ${printableInLine(user)}`)
}

async function change(kind: 'block' | 'unblock', user: string, options: Options): Promise<0 | 1> {
  const { changeUser } = await loadTasks()
  const { isDone, isAnnounced } = await changeUser(options, kind, user)
  const name = printableInLine(user)
  if (!isDone) {
    await standingOf(options, user)
    throw new CommandFailure(`${name} is being erased`)
  }
  const isBlocked = kind === 'block'
  const text = `${name} ${isBlocked ? 'is blocked' : 'may sign in again'}`
  printResult(options, { user, blocked: isBlocked }, [text])
  return exitCode(isAnnounced, options)
}

async function erase(options: Options, user: string): Promise<0 | 1> {
  const { dryRun = false } = options
  const { countUser, eraseUser } = await loadTasks()
  const { kept, isAnnounced } = await (dryRun ? countUser : eraseUser)(options, user)
  if (kept === null) return unknown(user)
  printResult(options, { dryRun, ...kept }, [
    dryRun ? 'would be erased: the user, and' : 'erased: the user, and',
    ...words.map(([name, word]) => `  ${kept[name]} ${word}`),
  ])
  return exitCode(isAnnounced, options)
}

function exitCode(isAnnounced: boolean, { warn }: Options): 0 | 1 {
  if (isAnnounced) return 0
  warn(
    'acmcp: access has ended, but running servers could not be told: what is open ends when they look again',
  )
  return 1
}

const standingColumns: Columns<ShownUser> = {
  USER: ({ user }) => user.id,
  NAME: ({ user }) => user.name,
  'E-MAIL': ({ user }) => user.email ?? '',
  'SIGNED IN': ({ signedInAt }) => timeText(signedInAt),
  STATE: ({ erasedAs, blockedAt }) => {
    if (erasedAs !== null) return 'is being erased'
    return blockedAt === null ? '' : `blocked ${timeText(blockedAt)}`
  },
}

function showStanding(standing: ShownUser, options: Options): 0 {
  const { user, signedInAt, blockedAt, erasedAs, attributes } = standing
  const document = {
    ...user,
    ...withTimes({ signedInAt, blockedAt }),
    isBeingErased: erasedAs !== null,
    attributes,
  }
  printResult(options, document, tableOf([standing], standingColumns, options))
  return 0
}

/** What each kind of row is called, and what becomes of it. */
const words: readonly (readonly [keyof KeptRows, string])[] = [
  ['sessions', 'sessions'],
  ['grants', 'connections'],
  ['tasks', 'tasks'],
  ['approvals', 'approvals'],
  ['idempotencyKeys', 'idempotency keys'],
  ['auditRows', 'rows of the audit, which keep a pseudonym'],
]
