/** The command line in this process: what a command loads is loaded once a test file, not once a command. For commands that show or
 *  try the last build, of applications that neither write to the console nor keep running; beside it every command runs as a process. */
import { type Command, CommanderError } from 'commander'
import { call } from '../../../cli/commands/call.ts'
import { runOfferTask } from '../../../cli/commands/offer.ts'
import { createProgram, type Runners } from '../../../cli/commands/program.ts'
import { routes } from '../../../cli/commands/routes.ts'
import { token } from '../../../cli/commands/token.ts'
import { tools } from '../../../cli/commands/tools.ts'
import type { Ran } from './built-app.ts'

type Env = Readonly<Record<string, string>>

/** Runs `acmcp` with these arguments in `cwd`, with these variables and no others of ours; not on a terminal. */
export async function acmcpHere(cwd: string, env: Env, ...args: readonly string[]): Promise<Ran> {
  const stdout: string[] = []
  const stderr: string[] = []
  let status = 0
  const shown = {
    cwd,
    env,
    isTerminal: false,
    isPrintedToTerminal: false,
    colour: false,
    clock: () => Date.now(),
    print: (line: string) => void stdout.push(`${line}\n`),
    warn: (line: string) => void stderr.push(`${line}\n`),
  }
  const runners: Partial<Runners> = {
    async routes(text, { json = false }) {
      status = await routes({ ...shown, text: text.length === 0 ? null : text.join(' '), json })
    },
    async tools(toolbox = undefined, { tokens = false, json = false, scope = null }) {
      status = await tools({ ...shown, toolbox: toolbox ?? null, scope, tokens, json })
    },
    async call(tool, given, { as = null, scope = null, json = false }) {
      status = await call({ ...shown, tool, given, as, scope, json })
    },
    async offer(task) {
      const { as = null, scope = null, json = false } = { as: undefined, ...task.flags }
      const write = (bytes: Uint8Array): void => void stdout.push(Buffer.from(bytes).toString('latin1'))
      status = await runOfferTask(task, { ...shown, as, scope, json, write })
    },
    async token({ as = null, scope = null, json = false }) {
      status = await token({ ...shown, as, scope, json })
    },
  }
  const program = createProgram('0.0.0', runners as Runners) // the others are not asked for
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
