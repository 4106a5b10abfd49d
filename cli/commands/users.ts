/** `acmcp users`: who has signed in. Never loads the compiler. */
import type { KnownUser } from '../../runtime/serve/tasks/access-tasks.ts'
import {
  type AccessCommandOptions,
  showFirst,
  type Table,
  withJson,
  withLimit,
} from '../command-line/access-lists.ts'
import { type Add, addExamples } from '../command-line/command.ts'
import { withEnvFile } from '../command-line/env-file.ts'
import { timeText } from '../terminal/table.ts'

export const add: Add = (program, start) => {
  const group = program.command('users').description('see who has signed in')
  const list = withJson(withLimit(group.command('list')))
    .description('list everybody who has signed in')
    .action(({ limit, json = false }: { readonly limit: number; readonly json?: boolean }) =>
      start((context) => run(limit, { ...context, json })),
    )
  addExamples(list, ['acmcp users list --json'])
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
  heading: ['USER', 'NAME', 'E-MAIL', 'CONNECTIONS', 'SIGNED IN'],
  cells: ({ id, name, email, connections, signedInAt }) => [
    id,
    name,
    email ?? '',
    String(connections),
    timeText(signedInAt),
  ],
}
