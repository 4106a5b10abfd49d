/** `acmcp grants`, `clients`, `users` and `sessions` on the command line. */
import type { Command } from 'commander'
import type { AccessFlags } from './flags.ts'

/** What `grants`, `clients`, `users` and `sessions` are asked for. */
export type AccessTask =
  | { readonly kind: 'grants'; readonly flags: AccessFlags }
  | { readonly kind: 'revoke'; readonly grants: readonly string[]; readonly flags: AccessFlags }
  | { readonly kind: 'clients' | 'users'; readonly flags: AccessFlags }
  | { readonly kind: 'remove' | 'sign-out'; readonly id: string; readonly flags: AccessFlags }

/** Who is connected, and how that ends. */
export function addAccess(program: Command, access: (task: AccessTask) => Promise<void>): void {
  const json = '--json'
  const asJson = 'print one JSON document'
  const named = (command: Command): Command =>
    command
      .option('--user <id>', 'only of this user')
      .option('--client <id>', 'only of this client')
      .option(json, asJson)
      .allowExcessArguments(false)
  const grants = program.command('grants').description('see which clients are connected, and disconnect them')
  named(
    grants.command('list').description('list the connections that work: user, client, scopes, since when'),
  ).action((flags: AccessFlags) => access({ kind: 'grants', flags }))
  named(
    grants
      .command('revoke')
      .description('end connections and their tokens; on PostgreSQL open streams end at once'),
  )
    .argument('[grant...]', 'what grants list calls GRANT')
    .action((ids: readonly string[], flags: AccessFlags) => access({ kind: 'revoke', grants: ids, flags }))
  const clients = program.command('clients').description('see which clients are registered, and remove them')
  const users = program.command('users').description('see who has signed in')
  const sessions = program.command('sessions').description('sign people out of their browsers')
  clients
    .command('list')
    .description('list the clients that have registered')
    .option(json, asJson)
    .allowExcessArguments(false)
    .action((flags: AccessFlags) => access({ kind: 'clients', flags }))
  clients
    .command('remove')
    .description('forget a client, and end its connections')
    .argument('<client>', 'what clients list calls CLIENT')
    .option(json, asJson)
    .allowExcessArguments(false)
    .action((id: string, flags: AccessFlags) => access({ kind: 'remove', id, flags }))
  users
    .command('list')
    .description('list everybody who has signed in')
    .option(json, asJson)
    .allowExcessArguments(false)
    .action((flags: AccessFlags) => access({ kind: 'users', flags }))
  sessions
    .command('revoke')
    .description('sign a user out of every browser; connections of clients stay, and streams that are open')
    .argument('<user>', 'what users list calls USER')
    .option(json, asJson)
    .allowExcessArguments(false)
    .action((id: string, flags: AccessFlags) => access({ kind: 'sign-out', id, flags }))
}
