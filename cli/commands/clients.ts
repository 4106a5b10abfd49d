/** `acmcp clients`: which clients are registered, and how they are forgotten. Never loads the compiler. */
import type { KnownClient } from '../../runtime/serve/tasks/access-tasks.ts'
import { addCommand, CommandFailure, type JsonFlag, withJson } from '../command-line/add-command.ts'
import { addList, type Columns, showRevoked, withLimit } from '../command-line/add-list.ts'
import type { Add } from '../command-line/command.ts'
import { printableInLine, timeText } from '../terminal/table.ts'

export const place = 320

export const add: Add = (program, start) => {
  const group = program.command('clients').description('see which clients are registered, and remove them')
  const list = withJson(withLimit(group.command('list'))).description(
    'list the clients that have registered by themselves',
  )
  addList(list, start, {
    examples: ['acmcp clients list'],
    name: 'clients',
    rows: async (options) => (await loadTasks()).listClients(options, options.limit),
    columns,
  })
  const remove = withJson(group.command('remove'))
    .description('forget a client, and end its connections')
    .argument('<client>', 'what clients list calls CLIENT')
  addCommand<JsonFlag, [id: string]>(remove, start, {
    examples: ['acmcp clients remove 5f0c2a7be9d14c3f8a60b1d2c3e4f506'],
    async run(options, id) {
      const revoked = await (await loadTasks()).removeClient(options, id)
      if (revoked === null) throw new CommandFailure(`there is no client ${printableInLine(id)}`)
      return showRevoked(options, revoked)
    },
  })
}

const loadTasks = () => import('../../runtime/serve/tasks/access-tasks.ts')

const columns: Columns<KnownClient> = {
  CLIENT: ({ id }) => id,
  NAME: ({ name }) => name ?? '',
  CONNECTIONS: ({ connections }) => String(connections),
  REGISTERED: ({ registeredAt }) => timeText(registeredAt),
  'LAST USED': ({ lastUsedAt }) => timeText(lastUsedAt),
}
