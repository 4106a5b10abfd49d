/** The command line in this process: what a command loads is loaded once a test file, not once a command. For commands that show or
 *  try the last build, of applications that neither write to the console nor keep running; beside it every command runs as a process. */
import { type Command, CommanderError } from 'commander'
import type { CommandContext, Start } from '../../../cli/command-line/command.ts'
import { createProgram } from '../../../cli/program.ts'
import type { Ran } from './built-app.ts'

type Env = Readonly<Record<string, string>>

/** Runs `acmcp` with these arguments in `cwd`, with these variables and no others of ours; not on a terminal. */
export const acmcpHere = (cwd: string, env: Env, ...args: readonly string[]): Promise<Ran> =>
  acmcpIn({ cwd, env }, ...args)

const nowhere = { isTerminal: false, colour: false }

/** The same where `more` says what is otherwise. */
export async function acmcpIn(
  more: Pick<CommandContext, 'cwd' | 'env'> & Partial<CommandContext>,
  ...args: readonly string[]
): Promise<Ran> {
  const stdout: string[] = []
  const stderr: string[] = []
  let status = 0
  const context: CommandContext = {
    ...nowhere,
    errors: nowhere,
    progress: null,
    isInteractive: false,
    version: '0.0.0',
    main: '',
    clock: () => Date.now(),
    print: (line) => void stdout.push(`${line}\n`),
    write: (bytes) => void stdout.push(Buffer.from(bytes).toString('latin1')),
    warn: (line) => void stderr.push(`${line}\n`),
    besideApplication: (run) => run(),
    ...more,
  }
  const start: Start = async (work) => {
    status = await work(context)
  }
  const program = await createProgram('0.0.0', start)
  for (const command of everyCommand(program))
    command.configureOutput({
      writeOut: (text) => void stdout.push(text),
      writeErr: (text) => void stderr.push(text),
    })
  try {
    await program.parseAsync(['node', 'acmcp', ...args])
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    status = error.exitCode === 0 ? 0 : 2
  }
  return { status, stdout: stdout.join(''), stderr: stderr.join('') }
}

const everyCommand = (command: Command): readonly Command[] => [
  command,
  ...command.commands.flatMap(everyCommand),
]
