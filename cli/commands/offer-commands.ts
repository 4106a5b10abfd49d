/** `acmcp prompts`, `resources`, `prompt` and `read` on the command line. */
import type { Command, Option } from 'commander'
import type { CallerFlags, OffersFlags } from './flags.ts'

/** What they are asked for. */
export type OfferTask =
  | { readonly kind: 'prompts' | 'resources'; readonly flags: OffersFlags }
  | {
      readonly kind: 'prompt'
      readonly prompt: string
      readonly given: readonly string[]
      readonly flags: CallerFlags
    }
  | { readonly kind: 'read'; readonly uri: string; readonly flags: CallerFlags }

/** By name of the command. */
export const offerExamples: Readonly<Record<string, readonly string[]>> = {
  prompts: ['acmcp prompts', 'acmcp prompts --json'],
  resources: ['acmcp resources', 'acmcp resources --scope notes:read'],
  prompt: ['acmcp prompt trips_plan city=Bern', 'acmcp prompt trips_plan city=Bern --as ada --json'],
  read: ['acmcp read trips://2', 'acmcp read /trips/2/photo --json'],
}

type RunOffer = (task: OfferTask) => Promise<void>

/** What the last build offers beside tools. */
export function addOffers(program: Command, run: RunOffer): void {
  const scope = '--scope <scopes>'
  const ofToken = 'only those that are listed to the bearer of a token with these scopes'
  program
    .command('prompts')
    .description('show the prompts of the last build as a client sees them in prompts/list')
    .option(scope, ofToken)
    .option('--json', 'print the result of prompts/list')
    .allowExcessArguments(false)
    .action((flags: OffersFlags) => run({ kind: 'prompts', flags }))
  program
    .command('resources')
    .description('show the resources of the last build, and the templates of their addresses')
    .option(scope, ofToken)
    .option('--json', 'print the results of resources/list and resources/templates/list')
    .allowExcessArguments(false)
    .action((flags: OffersFlags) => run({ kind: 'resources', flags }))
}

/** Asking for one; `options` are those of who asks. */
export function addAsking(program: Command, options: readonly (() => Option)[], run: RunOffer): void {
  const withOptions = (command: Command): Command =>
    options.reduce((so, option) => so.addOption(option()), command)
  withOptions(
    program
      .command('prompt')
      .description('print the messages of a prompt, asked for without a server; refused in production')
      .argument('<prompt>', 'its name')
      .argument('[argument...]', 'name=value'),
  )
    .option('--json', 'print the whole result')
    .action((prompt: string, given: readonly string[], flags: CallerFlags) =>
      run({ kind: 'prompt', prompt, given, flags }),
    )
  withOptions(
    program
      .command('read')
      .description('read a resource without a server, bytes as they are; refused in production')
      .argument('<uri>', 'its address, or with a slash at its beginning a path of the application'),
  )
    .option('--json', 'print the whole result, bytes in base64')
    .allowExcessArguments(false)
    .action((uri: string, flags: CallerFlags) => run({ kind: 'read', uri, flags }))
}
