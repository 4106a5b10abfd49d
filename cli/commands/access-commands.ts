/** `acmcp grants`, `clients`, `users`, `sessions` and `audit` on the command line. */
import { type Command, Option } from 'commander'
import { toRows, toTime } from './argument-types.ts'
import type { AccessFlags, AuditFlags, ListFlags } from './flags.ts'

/** What `grants`, `clients`, `users` and `sessions` are asked for. */
export type AccessTask =
  | { readonly kind: 'grants' | 'clients' | 'users'; readonly flags: ListFlags }
  | { readonly kind: 'revoke'; readonly grants: readonly string[]; readonly flags: AccessFlags }
  | { readonly kind: 'remove' | 'sign-out'; readonly id: string; readonly flags: AccessFlags }

/** Lists are held whole. */
const mostListed = 100_000
const limit = (): Option =>
  new Option('--limit <rows>', 'the first so many: 1,000, unless told otherwise')
    .argParser(toRows(mostListed))
    .default(1000, '1,000')

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
  )
    .addOption(limit())
    .action((flags: ListFlags) => access({ kind: 'grants', flags }))
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
    .addOption(limit())
    .option(json, asJson)
    .allowExcessArguments(false)
    .action((flags: ListFlags) => access({ kind: 'clients', flags }))
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
    .addOption(limit())
    .option(json, asJson)
    .allowExcessArguments(false)
    .action((flags: ListFlags) => access({ kind: 'users', flags }))
  sessions
    .command('revoke')
    .description('sign a user out of every browser; connections of clients stay, and streams that are open')
    .argument('<user>', 'what users list calls USER')
    .option(json, asJson)
    .allowExcessArguments(false)
    .action((id: string, flags: AccessFlags) => access({ kind: 'sign-out', id, flags }))
}

/** As the rows have them. */
const auditEvents: readonly string[] = [
  'tool-call',
  'request',
  'registration',
  'client-removal',
  'sign-in',
  'sign-out',
  'consent',
  'issue',
  'refresh',
  'reuse',
  'revocation',
]

/** What was done. */
export function addAudit(program: Command, audit: (flags: AuditFlags) => Promise<void>): void {
  program
    .command('audit')
    .description('list tool calls and changes of access: who, through which client, what came of it')
    .option('--user <id>', 'only of this user')
    .option('--client <id>', 'only of this client')
    .option('--tool <name>', 'only of this tool')
    .addOption(new Option('--event <event>', 'only of this kind').choices(auditEvents))
    .option('--since <time>', 'only since then: a date, a time, or how long ago as 24h or 7d', toTime)
    .option('--limit <rows>', 'the newest so many: 100, unless told otherwise', toRows(1_000_000), 100)
    .option('--follow', 'go on with what is recorded from now on, until Ctrl+C')
    .option('--json', 'print one JSON object a line for each row, with grants, ids and digests')
    .allowExcessArguments(false)
    .action((flags: AuditFlags) => audit(flags))
}
