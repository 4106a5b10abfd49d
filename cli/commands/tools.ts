/** `acmcp tools`: what a client sees in `tools/list`, of the last build. Starts nothing and never loads the compiler. */
import { Option } from 'commander'
import type { LastBuild, ListedOffers, ListedTool } from '../../runtime/serve/last-build.ts'
import { addCommand, CommandFailure, type JsonFlag, printResult } from '../command-line/add-command.ts'
import type { Add, CommandContext } from '../command-line/command.ts'
import { hintOf, namedScopes } from '../command-line/known-names.ts'
import { type Client, type ClientName, clientsByName } from '../dialects/clients.ts'
import type { Judgement } from '../dialects/judge.ts'
import { bold, printable } from '../terminal/table.ts'

export const place = 420

export const add: Add = (program, start) => {
  const command = program
    .command('tools')
    .description('show the tools of the last build as a client sees them in tools/list')
    .argument('[toolbox]', 'the tools of this toolbox; without it those at the MCP address itself')
    .option('--scope <scopes>', 'only those that are listed to the bearer of a token with these scopes')
    .option('--tokens', 'add what each costs a model: four characters of description and schema are one')
    .addOption(
      new Option(
        '--pins',
        'print names and fingerprints alone; without a toolbox those of all tools',
      ).conflicts('tokens'),
    )
    .addOption(
      new Option('--for <client>', 'print what that client does not take')
        .choices(Object.keys(clientsByName))
        .conflicts(['tokens', 'pins']),
    )
    .option(
      '--json',
      'print the result of tools/list, with all schemas; with --pins or --for what they print',
    )
  addCommand<ToolsFlags, [toolbox?: string]>(command, start, {
    examples: [
      'acmcp tools',
      'acmcp tools notes --tokens',
      'acmcp tools --scope api --json',
      'acmcp tools --pins',
      'acmcp tools --for cursor',
    ],
    isBesideApplication: true,
    run: show,
  })
}

interface ToolsFlags extends JsonFlag {
  readonly scope?: string
  readonly tokens?: boolean
  readonly pins?: boolean
  readonly for?: ClientName
}

type ToolsOptions = CommandContext & ToolsFlags

/** The exit code: 1 when there is no build, nothing of the toolbox is listed, or the client would not take all of it, 2 when there is no such toolbox or scope. */
async function show(options: ToolsOptions, toolbox?: string): Promise<0 | 1> {
  const { pinOf, readLastBuild, tokensOfListed } = await import('../../runtime/serve/last-build.ts')
  const build = await readLastBuild(options.cwd)
  if (build.stale !== null) options.warn(`acmcp: ${build.stale}`)
  const named = options.scope === undefined ? null : namedScopes(options.scope, build.scopes)
  const lists = named === null ? build.lists : build.listsFor(named)
  if (options.pins === true) {
    const pins = listedIn(toolbox, everyTool(lists), { options, lists, build }).map(
      (tool) => [tool.name, pinOf(tool)] as const,
    )
    printResult(
      options,
      Object.fromEntries(pins),
      pins.map((pair) => pair.join('  ')),
    )
    return 0
  }
  const listed = listedIn(toolbox, lists.root, { options, lists, build })
  if (options.for !== undefined) return showUntaken(clientsByName[options.for], listed, { options, build })
  const costOf = options.tokens === true ? tokensOfListed : null
  printResult(options, documentOf(listed, costOf), linesOf(listed, costOf, options))
  if (toolbox === undefined && options.isTerminal)
    for (const line of furtherLines([...lists.toolboxes.keys()], build.offersFor(named, {})))
      options.warn(line)
  return 0
}

interface Shown {
  readonly options: ToolsOptions
  readonly build: LastBuild
}

/** What is listed of a toolbox, or without one. */
function listedIn(
  toolbox: string | undefined,
  without: readonly ListedTool[],
  { options, lists, build }: Shown & { readonly lists: LastBuild['lists'] },
): readonly ListedTool[] {
  const listed = toolbox === undefined ? without : lists.toolboxes.get(toolbox)
  if (listed !== undefined) return listed
  const name = toolbox ?? ''
  if (build.lists.toolboxes.has(name))
    throw new CommandFailure(`with ${options.scope} no tool of ${name} is listed`)
  throw new CommandFailure(`there is no toolbox ${name}. ${hintOf(name, [...lists.toolboxes.keys()])}`, 2)
}

/** Shows only what this client would not take. */
async function showUntaken(
  client: Client,
  tools: readonly ListedTool[],
  { options, build }: Shown,
): Promise<0 | 1> {
  const { judge } = await import('../dialects/judge.ts')
  const found = judge({ tools, era: 'modern', ...build.endpoint() }, client)
  printResult(options, found.map(findingOf), judgementLines(client, found, tools.length))
  return found.length === 0 ? 0 : 1
}

const findingOf = ({ rule: { otherwise, source }, what }: Judgement): object => ({ what, otherwise, source })

/** One line for each finding, with what becomes of it. */
function judgementLines(client: Client, found: readonly Judgement[], count: number): readonly string[] {
  const tools = `${count} ${count === 1 ? 'tool' : 'tools'}`
  if (found.length === 0) return [`${client} takes all of it: ${tools}`]
  return found.map(({ rule: { otherwise, source }, what }) => `${what}: ${otherwise} (${source})`)
}

/** Of all toolboxes, and those of the endpoint itself. */
const everyTool = ({ all, root }: LastBuild['lists']): readonly ListedTool[] => [
  ...new Set([...all, ...root]),
]

/** What else there is to see. */
function furtherLines(
  boxes: readonly string[],
  { prompts, resources: { resources, templates } }: ListedOffers,
): readonly string[] {
  return [
    `toolboxes: ${boxes.join(', ')} (acmcp tools <toolbox>)`,
    ...(prompts.length === 0 ? [] : [`${prompts.length} prompts (acmcp prompts)`]),
    ...(resources.length + templates.length === 0
      ? []
      : [`${resources.length + templates.length} resources (acmcp resources)`]),
  ]
}

/** The result of `tools/list`; the estimates stand beside it. */
const documentOf = (listed: readonly ListedTool[], costOf: CostOf | null): object => ({
  tools: listed,
  ...(costOf === null ? {} : { tokens: Object.fromEntries(listed.map((tool) => [tool.name, costOf(tool)])) }),
})

/** About how many tokens a tool costs a model. */
type CostOf = (tool: ListedTool) => number

function linesOf(
  listed: readonly ListedTool[],
  costOf: CostOf | null,
  { colour, isTerminal }: ToolsOptions,
): readonly string[] {
  const blocks = listed.flatMap((tool) => {
    const notes = [...hintsOf(tool), ...(costOf === null ? [] : [`about ${costOf(tool)} tokens`])]
    const name = bold(tool.name, colour) + (notes.length === 0 ? '' : ` (${notes.join(', ')})`)
    const text = tool.description ?? ''
    const lines = (isTerminal ? printable(text) : text).split('\n').map((line) => `  ${line}`.trimEnd())
    return [name, ...lines, ...argumentsOf(tool), '']
  })
  if (costOf === null) return blocks.slice(0, -1)
  const sum = listed.reduce((total, tool) => total + costOf(tool), 0)
  const count = `${listed.length} ${listed.length === 1 ? 'tool' : 'tools'}`
  return [...blocks, `${count}, about ${sum} tokens: four characters of description and input schema are one`]
}

function hintsOf({ annotations }: ListedTool): readonly string[] {
  const { readOnlyHint, destructiveHint, idempotentHint } = annotations ?? {}
  if (readOnlyHint === true) return ['reads']
  return [
    destructiveHint === true ? 'may destroy' : 'writes',
    ...(idempotentHint === true ? ['idempotent'] : []),
  ]
}

/** Their names; `--json` has the schemas. */
function argumentsOf({ inputSchema }: ListedTool): readonly string[] {
  const required: readonly string[] = inputSchema.required ?? []
  const names = Object.keys(inputSchema.properties ?? {})
  if (names.length === 0) return []
  return [`  arguments: ${names.map((name) => (required.includes(name) ? name : `${name}?`)).join(', ')}`]
}
