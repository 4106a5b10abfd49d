/** `acmcp prompts` and `acmcp resources`: what a client is listed beside tools, of the last build. Starts nothing. */
import type { Command } from 'commander'
import type { ListedOffers } from '../../runtime/serve/last-build.ts'
import { bold, printable } from '../terminal/table.ts'
import { addCommand, type JsonFlag, printResult } from './add-command.ts'
import type { CommandContext, Start } from './command.ts'
import { namedScopes } from './known-names.ts'

/** One of the two commands. */
interface OffersCommand {
  readonly kind: 'prompts' | 'resources'
  readonly description: string
  /** What `--json` prints. */
  readonly result: string
  readonly examples: readonly string[]
}

export function addOffers(
  program: Command,
  start: Start,
  { kind, description, result, examples }: OffersCommand,
): void {
  const command = program
    .command(kind)
    .description(description)
    .option('--scope <scopes>', 'only those that are listed to the bearer of a token with these scopes')
    .option('--json', `print ${result}`)
  addCommand<OffersFlags>(command, start, {
    examples,
    isBesideApplication: true,
    run: (options) => showOffers(options, kind),
  })
}

interface OffersFlags extends JsonFlag {
  readonly scope?: string
}

type OffersOptions = CommandContext & OffersFlags

async function showOffers(options: OffersOptions, kind: OffersCommand['kind']): Promise<0> {
  const { cwd, env, scope, warn } = options
  const { readLastBuild } = await import('../../runtime/serve/last-build.ts')
  const { offersFor, scopes, stale } = await readLastBuild(cwd)
  if (stale !== null) warn(`acmcp: ${stale}`)
  const listed = offersFor(scope === undefined ? null : namedScopes(scope, scopes), env)
  const blocks = kind === 'prompts' ? promptBlocks(listed) : resourceBlocks(listed)
  printResult(options, documentOf(kind, listed), linesOf(blocks, options))
  if (blocks.length === 0) {
    const whose = scope === undefined ? `: @mcp ${kind.slice(0, -1)} makes one` : ` with ${scope}`
    warn(`acmcp: there are no ${kind}${whose}`)
  }
  return 0
}

/** The results of `prompts/list`, or of `resources/list` and `resources/templates/list`. */
const documentOf = (kind: OffersCommand['kind'], { prompts, resources }: ListedOffers): object =>
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
