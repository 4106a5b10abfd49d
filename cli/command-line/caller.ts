/** Who asks, where a command asks as somebody: `call`, `prompt`, `read` and `token`, in development alone. */
import type { Command } from 'commander'
import type { DevelopmentOptions } from '../../runtime/serve/development.ts'
import type { CommandContext } from './command.ts'

export interface CallerFlags {
  readonly as?: string
  readonly scope?: string
  readonly json?: boolean
}

export const withCaller = (command: Command): Command =>
  command
    .option('--as <user>', 'a user of the store by id, or a name for a development user')
    .option('--scope <scopes>', 'what the token may do: names with blanks between them; api without it')

export interface CallerOptions extends DevelopmentOptions, Pick<CommandContext, 'print'> {
  /** Who asks; null = whom the development login signs in. */
  readonly as: string | null
  /** What the caller's token may do, with blanks between the scopes; null = `api`. */
  readonly scope: string | null
  readonly json: boolean
  /** Whether people read what `print` writes. */
  readonly isPrintedToTerminal: boolean
}

export const callerOf = (
  { as, scope, json = false }: CallerFlags,
  { cwd, env, clock, print, warn, isTerminal, errors }: CommandContext,
): CallerOptions => ({
  ...{ cwd, env, clock, print, warn, json },
  as: as ?? null,
  scope: scope ?? null,
  isTerminal: errors.isTerminal,
  isPrintedToTerminal: isTerminal,
})
