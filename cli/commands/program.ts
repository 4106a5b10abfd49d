/** The command line as commander knows it: every command, option and example. It runs nothing itself, so that the reference
 *  (`cli/reference`) reads it too. */
import { Command, Option } from 'commander'
import { exampleNames } from '../init/project-files.ts'
import { type AccessTask, addAccess, addAudit } from './access-commands.ts'
import { toCount, toPort, toSeconds, toUrl } from './argument-types.ts'
import type {
  AuditFlags,
  BuildFlags,
  CallerFlags,
  DocsFlags,
  DoctorFlags,
  ExplainFlags,
  HealthFlags,
  InitFlags,
  RoutesFlags,
  ServeFlags,
  ToolsFlags,
} from './flags.ts'
import { addAsking, addOffers, type OfferTask, offerExamples } from './offer-commands.ts'
import { addStore, type StoreTask } from './store-commands.ts'

/** What each command does. */
export interface Runners {
  init(folder: string | undefined, flags: InitFlags): Promise<void>
  build(flags: BuildFlags): Promise<void>
  call(tool: string, given: readonly string[], flags: CallerFlags): Promise<void>
  dev(): Promise<void>
  doctor(url: URL | undefined, flags: DoctorFlags): Promise<void>
  health(url: URL | undefined, flags: HealthFlags): Promise<void>
  routes(text: readonly string[], flags: RoutesFlags): Promise<void>
  offer(task: OfferTask): Promise<void>
  token(flags: CallerFlags): Promise<void>
  tools(toolbox: string | undefined, flags: ToolsFlags): Promise<void>
  serve(flags: ServeFlags): Promise<void>
  store(task: StoreTask): Promise<void>
  access(task: AccessTask): Promise<void>
  audit(flags: AuditFlags): Promise<void>
  explain(names: readonly string[], flags: ExplainFlags): Promise<void>
  docs(page: string | undefined, flags: DocsFlags): Promise<void>
}

/** By full name of a command: what somebody would type. Shown in its `--help` and in the reference. */
export const examples: Readonly<Record<string, readonly string[]>> = {
  init: ['acmcp init', 'acmcp init shop --yes', 'acmcp init --example desk', 'acmcp init --empty'],
  build: [
    'acmcp build',
    'acmcp build --check --format github',
    'acmcp build --watch',
    'acmcp build --client',
  ],
  call: [
    'acmcp call notes_create text="Buy milk"',
    'acmcp call orders_search limit=5 \'tags:=["new"]\' --as ada --json',
  ],
  ...offerExamples,
  dev: ['acmcp dev', 'PORT=8080 DEV_LOGIN=1 acmcp dev'],
  doctor: [
    'acmcp doctor',
    'acmcp doctor https://api.example.org/mcp --sign-in',
    'ACMCP_TOKEN=eyJ... acmcp doctor https://api.example.org/mcp --json',
  ],
  health: ['acmcp health', 'acmcp health --store', 'acmcp health http://127.0.0.1:8080/health'],
  routes: ['acmcp routes', 'acmcp routes POST', 'acmcp routes --json'],
  token: ['acmcp token', 'acmcp token --as ada --json', 'acmcp token --scope notes:read'],
  tools: ['acmcp tools', 'acmcp tools notes --tokens', 'acmcp tools --scope api --json'],
  serve: ['acmcp serve', 'NODE_ENV=production acmcp serve --migrate', 'acmcp serve --workers 4'],
  'store status': ['acmcp store status', 'acmcp store status --json'],
  'store migrate': [
    'DATABASE_URL=postgres://db.internal/shop acmcp store migrate',
    'acmcp store migrate --plan',
    'acmcp store migrate --plan --json',
  ],
  'store purge': ['acmcp store purge'],
  'store backup': ['acmcp store backup backups/shop.db'],
  'store restore': ['acmcp store restore backups/shop.db'],
  'store check': ['acmcp store check', 'acmcp store check --json'],
  'grants list': ['acmcp grants list', 'acmcp grants list --user google:117 --json'],
  'grants revoke': [
    'acmcp grants revoke 6f1c0a1d9b7e4f0aa3c25d1e8b7a9c04',
    'acmcp grants revoke --client https://agent.example/client.json',
  ],
  'clients list': ['acmcp clients list'],
  'clients remove': ['acmcp clients remove 5f0c2a7be9d14c3f8a60b1d2c3e4f506'],
  'users list': ['acmcp users list --json'],
  'sessions revoke': ['acmcp sessions revoke google:117'],
  audit: ['acmcp audit --user google:117 --since 7d', 'acmcp audit --tool notes_remove --json --follow'],
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
  addDev(program, run)
  addBuild(program, run)
  addServe(program, run)
  addStore(program, run.store)
  addAccess(program, run.access)
  addAudit(program, run.audit)
  addSeeing(program, run)
  addTrying(program, run)
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
    .addOption(
      new Option('--example [name]', 'begin with an example: notes of signed-in users, or a help desk')
        .choices(exampleNames)
        .preset(exampleNames[0])
        .conflicts('empty'),
    )
    .option('--empty', 'begin with one route')
    .allowExcessArguments(false)
    .action((folder: string | undefined, flags: InitFlags) => run.init(folder, flags))
}

function addDev(program: Command, run: Runners): void {
  program
    .command('dev')
    .description(
      'build, watch and serve: each build as soon as it is there, with the variables of .env (development)',
    )
    .allowExcessArguments(false)
    .action(() => run.dev())
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
    .option('--client', 'write a typed client too, generated/client.ts; later builds keep it up to date')
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
    .option(
      '--workers <count>',
      'serve with so many processes on one port, or auto; SIGHUP restarts them one by one',
      toCount,
    )
    .addOption(new Option('--worker', 'a process of a supervisor').hideHelp())
    .allowExcessArguments(false)
    .action((flags: ServeFlags) => run.serve(flags))
}

/** What the last build serves. */
function addSeeing(program: Command, run: Runners): void {
  program
    .command('routes')
    .description('list the routes of the last build: address, controller, filters, handlers, tool, scopes')
    .argument('[text...]', 'show only routes with this text, such as a path, a controller or an error')
    .option('--json', 'print one JSON document')
    .action((text: readonly string[], flags: RoutesFlags) => run.routes(text, flags))
  program
    .command('tools')
    .description('show the tools of the last build as a client sees them in tools/list')
    .argument('[toolbox]', 'the tools of this toolbox; without it those at the MCP address itself')
    .option('--scope <scopes>', 'only those that are listed to the bearer of a token with these scopes')
    .option('--tokens', 'add what each costs a model: four characters of description and schema are one')
    .option('--json', 'print the result of tools/list, with all schemas')
    .allowExcessArguments(false)
    .action((toolbox: string | undefined, flags: ToolsFlags) => run.tools(toolbox, flags))
  addOffers(program, run.offer)
}

/** `call` and `token` make credentials. */
function addTrying(program: Command, run: Runners): void {
  const as = (): Option =>
    new Option('--as <user>', 'a user of the store by id, or a name for a development user')
  const scope = (): Option =>
    new Option('--scope <scopes>', 'what the token may do: names with blanks between them; api without it')
  program
    .command('call')
    .description('call a tool through the whole application, without a server; refused in production')
    .argument('<tool>', 'its name')
    .argument('[argument...]', 'name=value, or name:=json')
    .addOption(as())
    .addOption(scope())
    .option('--json', 'print the whole result, structured content included')
    .action((tool: string, given: readonly string[], flags: CallerFlags) => run.call(tool, given, flags))
  addAsking(program, [as, scope], run.offer)
  program
    .command('token')
    .description('print an access token for the acmcp serve of this folder and store; refused in production')
    .addOption(as())
    .addOption(scope())
    .option('--json', 'print one JSON document')
    .allowExcessArguments(false)
    .action((flags: CallerFlags) => run.token(flags))
  program
    .command('doctor')
    .description('walk the way of an MCP client to a tool call from outside, and name the broken link')
    .argument('[url]', 'the MCP endpoint; without it that of this folder, by BASE_URL', toUrl)
    .addOption(
      new Option(
        '--token <token>',
        'a token to go on with where nobody signs in, or the variable ACMCP_TOKEN',
      ).env('ACMCP_TOKEN'),
    )
    .addOption(new Option('--sign-in', 'sign in at the browser of this machine').conflicts('token'))
    .option('--ca <file>', 'authorities (PEM) to trust besides the public ones')
    .option('--timeout <seconds>', 'how long an answer may take: 10, unless told otherwise', toSeconds, 10)
    .option('--json', 'print one JSON document')
    .allowExcessArguments(false)
    .action((url: URL | undefined, flags: DoctorFlags) => run.doctor(url, flags))
  program
    .command('health')
    .description('ask whether a server answers, for a container health check')
    .argument('[url]', 'the server, or with a path an address of it that must answer 2xx', toUrl)
    .option('--store', 'ask whether the store answers too')
    .allowExcessArguments(false)
    .action((url: URL | undefined, flags: HealthFlags) => run.health(url, flags))
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
