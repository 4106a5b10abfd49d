/** The command line as commander knows it: every command, option and example. It runs nothing itself, so that the reference
 *  (`cli/reference`) reads it too. */
import { Command, InvalidArgumentError, Option } from 'commander'

export interface BuildFlags {
  readonly check?: boolean
  readonly overwrite?: boolean
  readonly typecheck?: boolean
  readonly watch?: boolean
  readonly format: 'text' | 'json' | 'github'
  readonly openapi: '3.1' | '3.0'
  readonly strict?: boolean
}

export interface ServeFlags {
  readonly migrate?: boolean
  readonly watch?: boolean
  readonly worker?: boolean
}

export interface InitFlags {
  readonly yes?: boolean
  readonly example?: boolean
  readonly empty?: boolean
}

export interface ExplainFlags {
  readonly json?: boolean
}

export interface DocsFlags {
  readonly print?: boolean
  readonly open?: boolean
  readonly port: number
}

/** What each command does. */
export interface Runners {
  init(folder: string | undefined, flags: InitFlags): Promise<void>
  build(flags: BuildFlags): Promise<void>
  serve(flags: ServeFlags): Promise<void>
  store(task: string, file?: string): Promise<void>
  explain(names: readonly string[], flags: ExplainFlags): Promise<void>
  docs(page: string | undefined, flags: DocsFlags): Promise<void>
}

/** By full name of a command: what somebody would type. Shown in its `--help` and in the reference. */
export const examples: Readonly<Record<string, readonly string[]>> = {
  init: ['acmcp init', 'acmcp init shop --yes', 'acmcp init --empty'],
  build: ['acmcp build', 'acmcp build --check --format github', 'acmcp build --watch'],
  serve: ['acmcp serve', 'NODE_ENV=production acmcp serve --migrate'],
  'store status': ['acmcp store status'],
  'store migrate': ['DATABASE_URL=postgres://db.internal/shop acmcp store migrate'],
  'store purge': ['acmcp store purge'],
  'store backup': ['acmcp store backup backups/shop.db'],
  explain: ['acmcp explain @exception', 'acmcp explain ACM203', 'acmcp explain limits.bodyBytes --json'],
  docs: ['acmcp docs --open', 'acmcp docs reference-tags --print'],
}

/** `store backup`: the names from below the program down. */
export function fullName(command: Command): string {
  const above = command.parent
  return above === null || above.parent === null ? command.name() : `${fullName(above)} ${command.name()}`
}

/** Every command that does something, in the order of the help; groups are left out. */
export function commandsOf(program: Command): readonly Command[] {
  return program.commands.flatMap((one) => (one.commands.length > 0 ? commandsOf(one) : [one]))
}

export function createProgram(version: string, run: Runners): Command {
  const program = new Command('acmcp')
    .description('Serves controllers as an HTTP API and as MCP tools')
    .version(version, '-v, --version', 'print the version')
    .showHelpAfterError()
    .exitOverride()
  addInit(program, run)
  addBuild(program, run)
  addServe(program, run)
  addStore(program, run)
  addReference(program, run)
  for (const command of commandsOf(program)) {
    const lines = examples[fullName(command)] ?? []
    command.addHelpText('after', ['', 'Examples:', ...lines.map((line) => `  $ ${line}`)].join('\n'))
  }
  return program
}

function addInit(program: Command, run: Runners): void {
  program
    .command('init')
    .description('make a new application, or add what a project lacks; nothing is overwritten')
    .argument('[dir]', 'where; asked for, else the working directory')
    .option('--yes', 'ask nothing')
    .addOption(new Option('--example', 'begin with notes of signed-in users').conflicts('empty'))
    .option('--empty', 'begin with one route')
    .allowExcessArguments(false)
    .action((folder: string | undefined, flags: InitFlags) => run.init(folder, flags))
}

function addBuild(program: Command, run: Runners): void {
  program
    .command('build')
    .description('compile the controllers into generated/ and .acmcp/')
    .option('--check', 'write nothing; fail with a diff when generated/ is stale')
    .addOption(
      new Option('--format <format>', 'how problems are shown')
        .choices(['text', 'json', 'github'])
        .default('text'),
    )
    .addOption(
      new Option('--watch', 'build again whenever the application changes').conflicts(['check', 'typecheck']),
    )
    .option('--typecheck', "also run the application's own tsc --noEmit")
    .addOption(
      new Option('--openapi <version>', 'the dialect of generated/openapi.yml')
        .choices(['3.1', '3.0'])
        .default('3.1'),
    )
    .option('--strict', 'take warnings for errors')
    .option('--overwrite', 'discard edits made by hand and merge conflicts in generated/')
    .allowExcessArguments(false)
    .action((flags: BuildFlags) => run.build(flags))
}

function addServe(program: Command, run: Runners): void {
  program
    .command('serve')
    .description('serve the last build')
    .option('--migrate', 'bring the store up to date first, in production too')
    .option('--watch', 'serve each new build as soon as it is there (development)')
    .addOption(new Option('--worker', 'a process of a supervisor').hideHelp())
    .allowExcessArguments(false)
    .action((flags: ServeFlags) => run.serve(flags))
}

function addStore(program: Command, run: Runners): void {
  const store = program.command('store').description('look after the store that serve uses')
  const task = (name: string, description: string): Command =>
    store.command(name).description(description).allowExcessArguments(false)
  task('status', 'show engine, migrations and rows; fail when migrations are pending').action(() =>
    run.store('status'),
  )
  task('migrate', 'apply pending migrations').action(() => run.store('migrate'))
  task('purge', 'remove what has expired').action(() => run.store('purge'))
  task('backup', 'copy a SQLite store while it is in use')
    .argument('[file]', 'the copy, which must not exist')
    .action((file?: string) => run.store('backup', file))
}

function addReference(program: Command, run: Runners): void {
  program
    .command('explain')
    .description('print what the reference says of a tag, a diagnostic, a setting or a command')
    .argument(
      '<name...>',
      'such as @get, "@mcp hide", ACM203, limits.bodyBytes, DATABASE_URL or build --check',
    )
    .option('--json', 'print one JSON document')
    .allowUnknownOption() // `explain build --check` names an option of another command
    .action((names: readonly string[], flags: ExplainFlags) => run.explain(names, flags))
  program
    .command('docs')
    .description('serve the documentation of this version on this machine')
    .argument('[page]', 'the name of a page, such as quick-start')
    .addOption(new Option('--print', 'print the page as Markdown instead').conflicts('open'))
    .option('--open', 'open it in the browser too')
    .option('--port <port>', 'where to listen; 0 takes a free port', toPort, 0)
    .allowExcessArguments(false)
    .action((page: string | undefined, flags: DocsFlags) => run.docs(page, flags))
}

function toPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text)
  throw new InvalidArgumentError('It must be a port number.')
}
