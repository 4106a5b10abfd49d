/** `acmcp prompts` and `acmcp resources`: what a client is listed beside tools, of the last build. Starts nothing. */
import type { Command } from 'commander'
import type { LastBuild, ListedOffers } from '../../runtime/serve/last-build.ts'
import { bold, jsonDocument, printable, type TableStyle } from '../terminal/table.ts'
import { addExamples, type CommandContext, type Start } from './command.ts'
import { withEnvFile } from './env-file.ts'
import { namedScopes } from './scope-names.ts'

/** One of the two commands. */
interface OffersCommand {
  readonly name: OffersOptions['kind']
  readonly description: string
  /** What `--json` prints. */
  readonly result: string
  readonly examples: readonly string[]
}

export function addOffers(
  program: Command,
  start: Start,
  { name, description, result, examples }: OffersCommand,
): void {
  const command = program
    .command(name)
    .description(description)
    .option('--scope <scopes>', 'only those that are listed to the bearer of a token with these scopes')
    .option('--json', `print ${result}`)
    .allowExcessArguments(false)
    .action(({ scope, json = false }: { readonly scope?: string; readonly json?: boolean }) =>
      start((context) => {
        const options = { ...context, kind: name, scope: scope ?? null, json }
        return context.besideApplication(() => offers(options))
      }),
    )
  addExamples(command, examples)
}

export interface OffersOptions extends TableStyle, Pick<CommandContext, 'cwd' | 'env' | 'print' | 'warn'> {
  readonly kind: 'prompts' | 'resources'
  /** The scopes of the token of who asks, with blanks between them; null = everything is shown. */
  readonly scope: string | null
  readonly json: boolean
}

/** The exit code: 1 when there is no build, 2 when there is no such scope. */
export function offers(options: OffersOptions): Promise<0 | 1 | 2> {
  const { cwd, warn } = options
  return withEnvFile(cwd, warn, async () => {
    const { readLastBuild } = await import('../../runtime/serve/last-build.ts')
    return showOffers(options, await readLastBuild(cwd))
  })
}

function showOffers(options: OffersOptions, { offersFor, scopes, stale }: LastBuild): 0 | 2 {
  const { env, kind, scope, json, isTerminal, print, warn } = options
  if (stale !== null) warn(`acmcp: ${stale}`)
  const named = scope === null ? null : namedScopes(scope, scopes)
  if (typeof named === 'string') {
    warn(`acmcp: ${named}`)
    return 2
  }
  const listed = offersFor(named, env)
  const blocks = kind === 'prompts' ? promptBlocks(listed) : resourceBlocks(listed)
  if (json) print(jsonDocument(documentOf(kind, listed), isTerminal))
  else for (const line of linesOf(blocks, options)) print(line)
  if (blocks.length === 0) {
    const whose = scope === null ? `: @mcp ${kind.slice(0, -1)} makes one` : ` with ${scope}`
    warn(`acmcp: there are no ${kind}${whose}`)
  }
  return 0
}

/** The results of `prompts/list`, or of `resources/list` and `resources/templates/list`. */
const documentOf = (kind: OffersOptions['kind'], { prompts, resources }: ListedOffers): object =>
  kind === 'prompts'
    ? { prompts }
    : { resources: resources.resources, resourceTemplates: resources.templates }

interface Block {
  readonly head: string
  readonly note: string
  readonly lines: readonly string[]
}

const promptBlocks = ({ prompts }: ListedOffers): readonly Block[] =>
  prompts.map(({ name, title, description, arguments: all = [] }) => ({
    head: name,
    note: title ?? '',
    lines: [
      ...textLines(description),
      ...(all.length === 0
        ? []
        : [
            `arguments: ${all.map((item) => (item.required === true ? item.name : `${item.name}?`)).join(', ')}`,
          ]),
    ],
  }))

const resourceBlocks = ({ resources: { resources, templates } }: ListedOffers): readonly Block[] =>
  [
    ...resources.map((resource) => ({ ...resource, address: resource.uri })),
    ...templates.map((template) => ({ ...template, address: template.uriTemplate })),
  ].map(({ address, name, mimeType, description }) => ({
    head: address,
    note: [name, ...(mimeType === undefined ? [] : [mimeType])].join(', '),
    lines: textLines(description),
  }))

const textLines = (text = ''): readonly string[] => (text === '' ? [] : text.split('\n'))

function linesOf(blocks: readonly Block[], { isTerminal, colour }: OffersOptions): readonly string[] {
  const shown = (text: string): string => (isTerminal ? printable(text) : text)
  return blocks
    .flatMap(({ head, note, lines }) => [
      bold(shown(head), colour) + (note === '' ? '' : ` (${shown(note)})`),
      ...lines.map((line) => `  ${shown(line)}`.trimEnd()),
      '',
    ])
    .slice(0, -1)
}
