/** The command line as commander knows it. A command is a file in `commands/` here or in the folder of a capability, named as it is
 *  typed. One that is typed is loaded alone, and nothing that it needs to run. */
import { readdirSync } from 'node:fs'
import { Command } from 'commander'
import { type CommandModule, inCapabilities, type Start } from './command-line/command.ts'

/** The whole command line; of what is `typed` nothing else, where that is a command. */
export async function createProgram(version: string, start: Start, typed = ''): Promise<Command> {
  const program = new Command('acmcp')
    .description('Serves controllers as an HTTP API and as MCP tools')
    .version(version, '-v, --version', 'print the version')
    .option('--cwd <folder>', 'run as if it was started in this folder; before or behind the command')
    .showHelpAfterError()
    .exitOverride()
  const loading = filesOf(typed).map((file): Promise<CommandModule> => import(file.href)) // nothing else is in the folders
  const modules = await Promise.all(loading)
  for (const { add } of modules.sort((a, b) => placeOf(a) - placeOf(b))) await add(program, start)
  return program
}

const placeOf = ({ place = Number.MAX_SAFE_INTEGER }: CommandModule): number => place

/** The file of the command that is `typed`; where there is none, those of all. */
function filesOf(typed: string): readonly URL[] {
  const core = commandsIn(new URL('commands/', import.meta.url))
  const found = core.get(typed)
  if (found !== undefined) return [found]
  const all = new Map([...inCapabilities('commands/').flatMap((folder) => [...commandsIn(folder)]), ...core])
  const other = all.get(typed)
  return other === undefined ? [...all.values()] : [other]
}

/** Of modules as they run. */
const end = '.js'

const commandsIn = (folder: URL): ReadonlyMap<string, URL> =>
  new Map(
    readdirSync(folder)
      .filter((name) => name.endsWith(end))
      .sort()
      .map((name) => [name.slice(0, -end.length), new URL(name, folder)]),
  )
