/** `acmcp grants`: which clients are connected, and how that ends. Never loads the compiler. */
import type { Command } from 'commander'
import type { GrantFilter } from '../../runtime/serve/tasks/access-tasks.ts'
import {
  type AccessCommandOptions,
  grantTable,
  showFirst,
  showRevoked,
  withJson,
  withLimit,
} from '../command-line/access-lists.ts'
import { type Add, addExamples } from '../command-line/command.ts'
import { withEnvFile } from '../command-line/env-file.ts'

export const add: Add = (program, start) => {
  const group = program.command('grants').description('see which clients are connected, and disconnect them')
  const named = (name: string): Command =>
    withJson(
      group
        .command(name)
        .option('--user <id>', 'only of this user')
        .option('--client <id>', 'only of this client'),
    )
  const act = (task: GrantsTask, json = false): Promise<void> =>
    start((context) => run(task, { ...context, json }))
  const list = withLimit(named('list'))
    .description('list the connections that work: user, client, scopes, since when')
    .action(({ limit, json, ...filter }: GrantsFlags & { readonly limit: number }) =>
      act({ kind: 'list', filter: filterOf(filter), limit }, json),
    )
  addExamples(list, ['acmcp grants list', 'acmcp grants list --user google:117 --json'])
  const revoke = named('revoke')
    .description('end connections and their tokens; on PostgreSQL open streams end at once')
    .argument('[grant...]', 'what grants list calls GRANT')
    .action((grants: readonly string[], { json, ...filter }: GrantsFlags) =>
      act({ kind: 'revoke', filter: filterOf(filter), grants }, json),
    )
  addExamples(revoke, [
    'acmcp grants revoke 6f1c0a1d9b7e4f0aa3c25d1e8b7a9c04',
    'acmcp grants revoke --client https://agent.example/client.json',
  ])
}

interface GrantsFlags {
  readonly user?: string
  readonly client?: string
  readonly json?: boolean
}

type GrantsTask =
  | { readonly kind: 'list'; readonly filter: GrantFilter; readonly limit: number }
  | { readonly kind: 'revoke'; readonly filter: GrantFilter; readonly grants: readonly string[] }

const filterOf = ({ user, client }: GrantsFlags): GrantFilter => ({
  ...(user === undefined ? {} : { userId: user }),
  ...(client === undefined ? {} : { clientId: client }),
})

/** The exit code: 1 when no connection works that could be revoked, or it was refused, after a clear line; 2 when nothing was
 *  named: nobody ends every connection by leaving something out. */
export function run(task: GrantsTask, options: AccessCommandOptions): Promise<0 | 1 | 2> {
  return withEnvFile(options.cwd, options.warn, async () => {
    const { listGrants } = await import('../../runtime/serve/tasks/access-tasks.ts')
    if (task.kind === 'revoke') return revoke(options, task)
    showFirst(options, 'grants', await listGrants(options, task.filter, task.limit), grantTable)
    return 0
  })
}

async function revoke(
  options: AccessCommandOptions,
  { grants, filter }: Extract<GrantsTask, { kind: 'revoke' }>,
): Promise<0 | 1 | 2> {
  if (grants.length === 0 && Object.keys(filter).length === 0) {
    options.warn('acmcp: say which: a grant, --user or --client')
    return 2
  }
  const { revokeGrants } = await import('../../runtime/serve/tasks/access-tasks.ts')
  const filters = grants.length === 0 ? [filter] : grants.map((grantId) => ({ ...filter, grantId }))
  const revoked = await revokeGrants(options, filters)
  if (revoked.grants.length > 0) return showRevoked(options, revoked)
  showRevoked(options, { grants: [], count: 0, isAnnounced: true })
  options.warn('acmcp: no such connection works: there was nothing to revoke')
  return 1
}
