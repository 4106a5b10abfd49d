/** `acmcp clients`: which clients are registered, and how they are forgotten. Never loads the compiler. */
import type { KnownClient } from '../../runtime/serve/tasks/access-tasks.ts'
import {
  type AccessCommandOptions,
  showFirst,
  showRevoked,
  type Table,
  withJson,
  withLimit,
} from '../command-line/access-lists.ts'
import { type Add, addExamples } from '../command-line/command.ts'
import { withEnvFile } from '../command-line/env-file.ts'
import { printableInLine, timeText } from '../terminal/table.ts'

export const add: Add = (program, start) => {
  const group = program.command('clients').description('see which clients are registered, and remove them')
  const act = (task: ClientsTask, json = false): Promise<void> =>
    start((context) => run(task, { ...context, json }))
  const list = withJson(withLimit(group.command('list')))
    .description('list the clients that have registered by themselves')
    .action(({ limit, json }: { readonly limit: number; readonly json?: boolean }) =>
      act({ kind: 'list', limit }, json),
    )
  addExamples(list, ['acmcp clients list'])
  const remove = withJson(group.command('remove'))
    .description('forget a client, and end its connections')
    .argument('<client>', 'what clients list calls CLIENT')
    .action((id: string, { json }: { readonly json?: boolean }) => act({ kind: 'remove', id }, json))
  addExamples(remove, ['acmcp clients remove 5f0c2a7be9d14c3f8a60b1d2c3e4f506'])
}

type ClientsTask =
  | { readonly kind: 'list'; readonly limit: number }
  | { readonly kind: 'remove'; readonly id: string }

/** The exit code: 1 when there is no such client, or it was refused, after a clear line. */
export function run(task: ClientsTask, options: AccessCommandOptions): Promise<0 | 1> {
  const { cwd, warn } = options
  return withEnvFile(cwd, warn, async () => {
    const { listClients, removeClient } = await import('../../runtime/serve/tasks/access-tasks.ts')
    if (task.kind === 'list') {
      showFirst(options, 'clients', await listClients(options, task.limit), clientTable)
      return 0
    }
    const revoked = await removeClient(options, task.id)
    if (revoked !== null) return showRevoked(options, revoked)
    warn(`acmcp: there is no client ${printableInLine(task.id)}`)
    return 1
  })
}

const clientTable: Table<KnownClient> = {
  heading: ['CLIENT', 'NAME', 'CONNECTIONS', 'REGISTERED', 'LAST USED'],
  cells: ({ id, name, connections, registeredAt, lastUsedAt }) => [
    id,
    name ?? '',
    String(connections),
    timeText(registeredAt),
    timeText(lastUsedAt),
  ],
}
