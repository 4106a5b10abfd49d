/** `acmcp users`: who has signed in, and how people who leave are blocked and erased. Never loads the compiler. */
import type { Command } from 'commander'
import type { KnownUser } from '../../runtime/serve/tasks/access-tasks.ts'
import type { KeptRows, ShownUser } from '../../runtime/serve/tasks/user-tasks.ts'
import {
  type AccessCommandOptions,
  showFirst,
  type Table,
  withJson,
  withLimit,
} from '../command-line/access-lists.ts'
import { type Add, addExamples, type CommandContext } from '../command-line/command.ts'
import { withEnvFile } from '../command-line/env-file.ts'
import { jsonDocument, printableInLine, tableLines, timeText, withTimes } from '../terminal/table.ts'

export const add: Add = (program, start) => {
  const group = program.command('users').description('see who has signed in, block and erase users')
  const list = withJson(withLimit(group.command('list')))
    .description('list everybody who has signed in')
    .action(({ limit, json = false }: { readonly limit: number; readonly json?: boolean }) =>
      start((context) => run(limit, { ...context, json })),
    )
  addExamples(list, ['acmcp users list --json'])
  const named = (name: UserTask['kind']): Command =>
    withJson(group.command(name)).argument('<user>', 'what users list calls USER')
  const added = (command: Command, kind: UserTask['kind']): Command =>
    command.action((user: string, { json = false, dryRun = false }: UserFlags) =>
      start((context) =>
        context.besideApplication(() => runOn({ kind, user, dryRun }, { ...context, json })),
      ),
    )
  const show = named('show').description('show one user, and whether they are blocked')
  addExamples(added(show, 'show'), ['acmcp users show google:117'])
  const block = named('block').description(
    'end all that a user has open (sessions, connections, streams, sockets, tasks) and refuse their sign-in',
  )
  addExamples(added(block, 'block'), ['acmcp users block google:117'])
  const unblock = named('unblock').description('let a user sign in again; nothing of before comes back')
  addExamples(added(unblock, 'unblock'), ['acmcp users unblock google:117'])
  const erase = named('erase')
    .description('block a user, call onErase of the application, and remove what is kept of them')
    .option('--dry-run', 'count what would go, and change nothing')
  addExamples(added(erase, 'erase'), [
    'acmcp users erase google:117 --dry-run',
    'acmcp users erase google:117',
  ])
}

interface UserFlags {
  readonly json?: boolean
  readonly dryRun?: boolean
}

interface UserTask {
  readonly kind: 'show' | 'block' | 'unblock' | 'erase'
  readonly user: string
  readonly dryRun: boolean
}

/** Lists so many; the exit code: 1 when it was refused, after a clear line. */
export function run(limit: number, options: AccessCommandOptions): Promise<0 | 1> {
  return withEnvFile(options.cwd, options.warn, async () => {
    const { listUsers } = await import('../../runtime/serve/tasks/access-tasks.ts')
    showFirst(options, 'users', await listUsers(options, limit), userTable)
    return 0
  })
}

const userTable: Table<KnownUser> = {
  heading: ['USER', 'NAME', 'E-MAIL', 'CONNECTIONS', 'SIGNED IN', 'BLOCKED'],
  cells: ({ id, name, email, connections, signedInAt, blockedAt }) => [
    id,
    name,
    email ?? '',
    String(connections),
    timeText(signedInAt),
    timeText(blockedAt),
  ],
}

type Options = AccessCommandOptions & Pick<CommandContext, 'warn'>

/** The exit code: 1 when there is no such user, when running servers could not be told, or it was refused, after a clear line. */
export function runOn(task: UserTask, options: Options): Promise<0 | 1> {
  return withEnvFile(options.cwd, options.warn, () => done[task.kind](task, options))
}

const loadTasks = () => import('../../runtime/serve/tasks/user-tasks.ts')

const done: Readonly<Record<UserTask['kind'], (task: UserTask, options: Options) => Promise<0 | 1>>> = {
  async show({ user }, options) {
    const { showUser } = await loadTasks()
    const standing = await showUser(options, user)
    if (standing === null) return unknown(user, options)
    showStanding(standing, options)
    return 0
  },
  block: (task, options) => change('block', task, options),
  unblock: (task, options) => change('unblock', task, options),
  async erase({ user, dryRun }, options) {
    const { countUser, eraseUser } = await loadTasks()
    const { kept, isAnnounced } = await (dryRun ? countUser : eraseUser)(options, user)
    if (kept === null) return unknown(user, options)
    showKept(kept, { ...options, dryRun })
    return told(isAnnounced, options)
  },
}

async function change(kind: 'block' | 'unblock', { user }: UserTask, options: Options): Promise<0 | 1> {
  const { json, isTerminal, print, warn } = options
  const { changeUser, showUser } = await loadTasks()
  const { isDone, isAnnounced } = await changeUser(options, kind, user)
  if (!isDone && (await showUser(options, user)) === null) return unknown(user, options)
  if (!isDone) {
    warn(`acmcp: ${printableInLine(user)} is being erased`)
    return 1
  }
  const isBlocked = kind === 'block'
  print(
    json
      ? jsonDocument({ user, blocked: isBlocked }, isTerminal)
      : `${printableInLine(user)} ${isBlocked ? 'is blocked' : 'may sign in again'}`,
  )
  return told(isAnnounced, options)
}

function unknown(user: string, { warn }: Options): 1 {
  warn(`acmcp: there is no user ${printableInLine(user)}`)
  return 1
}

function told(isAnnounced: boolean, { warn }: Options): 0 | 1 {
  if (isAnnounced) return 0
  warn(
    'acmcp: access has ended, but running servers could not be told: what is open ends when they look again',
  )
  return 1
}

function showStanding(
  { user, signedInAt, blockedAt, erasedAs, attributes }: ShownUser,
  options: Options,
): void {
  const { json, isTerminal, print } = options
  const isBeingErased = erasedAs !== null
  const times = withTimes({ signedInAt, blockedAt })
  if (json) {
    print(jsonDocument({ ...user, ...times, isBeingErased, attributes }, isTerminal))
    return
  }
  const state = isBeingErased ? 'is being erased' : blockedAt === null ? '' : `blocked ${timeText(blockedAt)}`
  const row = [user.id, user.name, user.email ?? '', timeText(signedInAt), state].map(printableInLine)
  for (const line of tableLines(['USER', 'NAME', 'E-MAIL', 'SIGNED IN', 'STATE'], [row], options)) print(line)
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

function showKept(
  kept: KeptRows,
  { json, isTerminal, print, dryRun }: Options & { readonly dryRun: boolean },
): void {
  if (json) {
    print(jsonDocument({ dryRun, ...kept }, isTerminal))
    return
  }
  print(dryRun ? 'would be erased: the user, and' : 'erased: the user, and')
  for (const [name, word] of words) print(`  ${kept[name]} ${word}`)
}
