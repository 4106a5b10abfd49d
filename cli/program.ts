/** The command line as commander knows it: every command, option and example. A command that is typed is loaded alone, and nothing
 *  that it needs to run. */
import { Command } from 'commander'
import type { Add, Start } from './command-line/command.ts'

type Module = () => Promise<{ readonly add: Add }>

/** By what is typed, in the order of the help. */
const modules: ReadonlyMap<string, Module> = new Map<string, Module>([
  ['init', () => import('./commands/init.ts')],
  ['dev', () => import('./commands/dev.ts')],
  ['build', () => import('./commands/build.ts')],
  ['diff', () => import('./commands/diff.ts')],
  ['serve', () => import('./commands/serve.ts')],
  ['store', () => import('./commands/store.ts')],
  ['grants', () => import('./commands/grants.ts')],
  ['clients', () => import('./commands/clients.ts')],
  ['users', () => import('./commands/users.ts')],
  ['sessions', () => import('./commands/sessions.ts')],
  ['approvals', () => import('./commands/approvals.ts')],
  ['audit', () => import('./commands/audit.ts')],
  ['routes', () => import('./commands/routes.ts')],
  ['tools', () => import('./commands/tools.ts')],
  ['prompts', () => import('./commands/prompts.ts')],
  ['resources', () => import('./commands/resources.ts')],
  ['call', () => import('./commands/call.ts')],
  ['prompt', () => import('./commands/prompt.ts')],
  ['read', () => import('./commands/read.ts')],
  ['token', () => import('./commands/token.ts')],
  ['doctor', () => import('./commands/doctor.ts')],
  ['health', () => import('./commands/health.ts')],
  ['explain', () => import('./commands/explain.ts')],
  ['docs', () => import('./commands/docs.ts')],
])

/** The whole command line; of what is `typed` nothing else, where that is a command. */
export async function createProgram(version: string, start: Start, typed = ''): Promise<Command> {
  const program = new Command('acmcp')
    .description('Serves controllers as an HTTP API and as MCP tools')
    .version(version, '-v, --version', 'print the version')
    .option('--cwd <folder>', 'run as if it was started in this folder; before or behind the command')
    .showHelpAfterError()
    .exitOverride()
  const module = modules.get(typed)
  const loading = (module === undefined ? [...modules.values()] : [module]).map((load) => load())
  for (const { add } of await Promise.all(loading)) add(program, start)
  return program
}
