/** `acmcp tools`: what a client sees in `tools/list`, of the last build. Starts nothing and never loads the compiler. */
import { Option } from 'commander'
import type { LastBuild, ListedOffers, ListedTool } from '../../runtime/serve/last-build.ts'
import { type Add, addExamples, type CommandContext } from '../command-line/command.ts'
import { withEnvFile } from '../command-line/env-file.ts'
import { namedScopes } from '../command-line/scope-names.ts'
import { closest } from '../compiler/diagnostics/similar-names.ts'
import { type Client, type ClientName, clientsByName } from '../dialects/clients.ts'
import type { Judgement } from '../dialects/judge.ts'
import { bold, jsonDocument, printable, type TableStyle } from '../terminal/table.ts'

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
    .allowExcessArguments(false)
    .action(
      (
        toolbox: string | undefined,
        { scope, tokens = false, pins = false, json = false, ...flags }: ToolsFlags,
      ) =>
        start((context) => {
          const client = flags.for === undefined ? null : clientsByName[flags.for]
          const shown = { toolbox: toolbox ?? null, scope: scope ?? null, tokens, pins, client, json }
          const options = { ...context, ...shown }
          return context.besideApplication(() => run(options))
        }),
    )
  addExamples(command, [
    'acmcp tools',
    'acmcp tools notes --tokens',
    'acmcp tools --scope api --json',
    'acmcp tools --pins',
    'acmcp tools --for cursor',
  ])
}

interface ToolsFlags {
  readonly scope?: string
  readonly tokens?: boolean
  readonly pins?: boolean
  readonly for?: ClientName
  readonly json?: boolean
}

export interface ToolsOptions extends TableStyle, Pick<CommandContext, 'cwd' | 'print' | 'warn'> {
  /** Null = what is listed at the endpoint's own path. */
  readonly toolbox: string | null
  /** The scopes of the token of who asks, with blanks between them; null = everything is shown. */
  readonly scope: string | null
  /** Adds an estimate of what each costs a model. */
  readonly tokens: boolean
  /** Fingerprints alone. */
  readonly pins: boolean
  /** Only what this client would not take; null = the list. */
  readonly client: Client | null
  readonly json: boolean
}

/** The exit code: 1 when there is no build, nothing of the toolbox is listed, or the client would not take all of it, 2 when there is no such toolbox or scope. */
export function run(options: ToolsOptions): Promise<0 | 1 | 2> {
  const { cwd, toolbox, scope, tokens, pins, client, json, isTerminal, print, warn } = options
  return withEnvFile(cwd, warn, async () => {
    const { pinOf, readLastBuild, tokensOfListed } = await import('../../runtime/serve/last-build.ts')
    const costOf = tokens ? tokensOfListed : null
    const { lists: all, listsFor, offersFor, endpoint, scopes, stale } = await readLastBuild(cwd)
    if (stale !== null) warn(`acmcp: ${stale}`)
    const named = scope === null ? null : namedScopes(scope, scopes)
    if (typeof named === 'string') {
      warn(`acmcp: ${named}`)
      return 2
    }
    const lists = named === null ? all : listsFor(named)
    const boxes = [...lists.toolboxes.keys()]
    const listed = toolbox === null ? (pins ? everyTool(lists) : lists.root) : lists.toolboxes.get(toolbox)
    if (listed === undefined) {
      const isThere = all.toolboxes.has(toolbox ?? '')
      warn(
        `acmcp: ${isThere ? `with ${scope} no tool of ${toolbox} is listed` : unknownToolbox(toolbox ?? '', boxes)}`,
      )
      return isThere ? 1 : 2
    }
    if (pins) {
      const found = listed.map((tool) => [tool.name, pinOf(tool)] as const)
      if (json) print(jsonDocument(Object.fromEntries(found), isTerminal))
      else for (const pair of found) print(pair.join('  '))
      return 0
    }
    if (client !== null) {
      const { judge } = await import('../dialects/judge.ts')
      const found = judge({ tools: listed, era: 'modern', ...endpoint() }, client)
      if (json) print(jsonDocument(found.map(findingOf), isTerminal))
      else for (const line of judgementLines(client, found, listed.length)) print(line)
      return found.length === 0 ? 0 : 1
    }
    if (json) print(jsonDocument(documentOf(listed, costOf), isTerminal))
    else for (const line of linesOf(listed, costOf, options)) print(line)
    if (toolbox === null && isTerminal)
      for (const line of furtherLines(boxes, offersFor(named, {}))) warn(line)
    return 0
  })
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

function unknownToolbox(toolbox: string, boxes: readonly string[]): string {
  const meant = closest(toolbox, boxes)
  const hint = meant === null ? `There are: ${boxes.join(', ')}.` : `Did you mean ${meant}?`
  return `there is no toolbox ${toolbox}. ${hint}`
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
