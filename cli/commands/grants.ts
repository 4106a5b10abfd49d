/** `acmcp grants`: which clients are connected, and how that ends. Never loads the compiler. */
import type { Command } from 'commander'
import type { GrantFilter, LiveGrant } from '../../runtime/serve/tasks/access-tasks.ts'
import { addCommand, CommandFailure, type JsonFlag, withJson } from '../command-line/add-command.ts'
import { addList, grantColumns, showRevoked, withLimit } from '../command-line/add-list.ts'
import type { Add } from '../command-line/command.ts'

export const place = 310

export const add: Add = (program, start) => {
  const group = program.command('grants').description('see which clients are connected, and disconnect them')
  const named = (name: string): Command =>
    withJson(
      group
        .command(name)
        .option('--user <id>', 'only of this user')
        .option('--client <id>', 'only of this client'),
    )
  const list = withLimit(named('list')).description(
    'list the connections that work: user, client, scopes, since when',
  )
  addList<LiveGrant, GrantsFlags>(list, start, {
    examples: ['acmcp grants list', 'acmcp grants list --user google:117 --json'],
    name: 'grants',
    rows: async (options) => (await loadTasks()).listGrants(options, filterOf(options), options.limit),
    columns: grantColumns,
  })
  const revoke = named('revoke')
    .description('end connections and their tokens; on PostgreSQL open streams end at once')
    .argument('[grant...]', 'what grants list calls GRANT')
  addCommand<GrantsFlags, [grants: readonly string[]]>(revoke, start, {
    examples: [
      'acmcp grants revoke 6f1c0a1d9b7e4f0aa3c25d1e8b7a9c04',
      'acmcp grants revoke --client https://agent.example/client.json',
    ],
    async run(options, grants) {
      const filter = filterOf(options)
      // an operator must not end every connection by leaving something out
      if (grants.length === 0 && Object.keys(filter).length === 0)
        throw new CommandFailure('say which: a grant, --user or --client', 2)
      const filters = grants.length === 0 ? [filter] : grants.map((grantId) => ({ ...filter, grantId }))
      const revoked = await (await loadTasks()).revokeGrants(options, filters)
      if (revoked.grants.length > 0) return showRevoked(options, revoked)
      showRevoked(options, { grants: [], count: 0, isAnnounced: true })
      throw new CommandFailure('no such connection works: there was nothing to revoke')
    },
  })
}

const loadTasks = () => import('../../runtime/serve/tasks/access-tasks.ts')

interface GrantsFlags extends JsonFlag {
  readonly user?: string
  readonly client?: string
}

const filterOf = ({ user, client }: GrantsFlags): GrantFilter => ({
  ...(user === undefined ? {} : { userId: user }),
  ...(client === undefined ? {} : { clientId: client }),
})
