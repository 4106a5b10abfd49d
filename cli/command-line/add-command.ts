/** The frame of the commands that read an application's environment: flags in, exit code out. */
import type { Command } from 'commander'
import { jsonDocument } from '../terminal/table.ts'
import { addExamples, type CommandContext, type Start } from './command.ts'

export interface CommandWork<Flags, Words extends readonly unknown[]> {
  readonly examples: readonly string[]
  /** Whether modules of the application are loaded; absent = none are. */
  readonly isBesideApplication?: true
  /** `words` are the arguments; the exit code. */
  run(options: CommandContext & Flags, ...words: Words): Promise<number>
}

/** Says what a command does, in the variables of `.env` too. */
export function addCommand<Flags extends object, Words extends readonly unknown[] = []>(
  command: Command,
  start: Start,
  work: CommandWork<Flags, Words>,
): void {
  addExamples(command.allowExcessArguments(false), work.examples)
  command.action((...values: readonly unknown[]) => {
    const words = values.slice(0, -2) as readonly unknown[] as Words // commander passes the arguments, the flags, the command
    const flags = values.at(-2) as Flags
    return start((context) => {
      const options = { ...context, ...flags }
      const run = (): Promise<number> =>
        withEnvFile(context.cwd, context.warn, () => work.run(options, ...words).catch(failed(context)))
      return work.isBesideApplication === true ? context.besideApplication(run) : run()
    })
  })
}

/** Thrown in a command: a clear line, and the exit code: 1 when what was asked for failed, 2 when it is written wrong. */
export class CommandFailure extends Error {
  readonly code: 1 | 2

  constructor(line: string, code: 1 | 2 = 1) {
    super(line)
    this.code = code
  }
}

const failed =
  ({ warn }: CommandContext) =>
  (error: unknown): 1 | 2 => {
    if (!(error instanceof CommandFailure)) throw error
    warn(`acmcp: ${error.message}`)
    return error.code
  }

/** Runs a command with the variables of `.env` in development; when the application must not start, each reason is a line of
 *  `warn` and the exit code is 1. */
export async function withEnvFile<Code extends number>(
  cwd: string,
  warn: (line: string) => void,
  run: () => Promise<Code>,
): Promise<Code | 1> {
  try {
    const { loadEnvFile } = await import('../../runtime/serve/env-file.ts')
    loadEnvFile(cwd)
    return await run()
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'BootError') throw error
    for (const line of error.message.split('\n')) warn(`acmcp: ${line}`)
    return 1
  }
}

export interface JsonFlag {
  readonly json?: boolean
}

export const withJson = (command: Command): Command => command.option('--json', 'print one JSON document')

/** Prints what was asked for: one JSON document with `--json`, else lines. */
export function printResult(
  { json = false, isTerminal, print }: Pick<CommandContext, 'isTerminal' | 'print'> & JsonFlag,
  document: object,
  lines: readonly string[],
): void {
  for (const line of json ? [jsonDocument(document, isTerminal)] : lines) print(line)
}
