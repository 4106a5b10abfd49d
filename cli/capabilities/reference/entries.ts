/** The entries of the four reference pages (`templates/docs/reference-*.md`), which are their source. A page has parts (`##`);
 *  a part has a section for each entry: its name as a heading, what it means, facts as a list with labels, samples as code.
 *  Settings and variables are rows of tables. */
import type { Entry, Fact, Sample } from './entry.ts'
import { exportEntries } from './exports.ts'
import { shippedPage } from './shipped-pages.ts'

/** Everything that the reference explains. */
export function allEntries(): readonly Entry[] {
  const entries = [
    ...tagEntries(),
    ...settingEntries(),
    ...commandEntries(),
    ...diagnosticEntries(),
    ...ruleEntries(),
  ]
  const names = new Set(entries.map(({ name }) => name))
  return [...entries, ...exportEntries().filter(({ name }) => !names.has(name))]
}

/** Tags, words of `@mcp` and wrappers of parameters. */
export const tagEntries = (): readonly Entry[] =>
  sectionsOf('reference-tags', 3).map(({ part, name, ...rest }) => {
    if (part.startsWith('Words')) {
      const word = name.replace('@mcp ', '')
      return { ...rest, kind: 'word of @mcp', name, aliases: [word, `mcp ${word}`] }
    }
    if (part.startsWith('Types')) return { ...rest, kind: 'parameter wrapper', name, aliases: [`${name}<T>`] }
    return { ...rest, kind: 'tag', name, aliases: [name.slice(1)] }
  })

export const diagnosticEntries = (): readonly Entry[] =>
  sectionsOf('reference-diagnostics', 3).map(({ part: _, ...rest }) => ({
    ...rest,
    kind: 'diagnostic',
    aliases: [],
  }))

/** The rules of the contract, rows of a table. */
export const ruleEntries = (): readonly Entry[] =>
  shippedPage('contract')
    .split('\n')
    .filter((line) => line.startsWith('| `CON'))
    .map((line) => {
      const [name = '', changeClass = '', flow = '', meaning = ''] = cellsOf(line)
      const facts: readonly Fact[] = [
        ['class', changeClass],
        ...(flow === '' ? [] : [['of what is', flow] as const]),
      ]
      return { kind: 'rule of the contract', name, aliases: [], facts, meaning, samples: [] }
    })

/** Every command, and its options by themselves. */
export const commandEntries = (): readonly Entry[] =>
  sectionsOf('reference-commands', 2).flatMap(({ part: _, name: written, ...rest }) => {
    const name = written.replace('acmcp ', '')
    const aliases = [written, ...(name.includes(' ') ? [name.slice(name.lastIndexOf(' ') + 1)] : [])]
    const options = rest.facts.filter(([label]) => label.startsWith('-'))
    return [{ ...rest, kind: 'command', name, aliases }, ...options.map(optionOf(name, rest.samples))]
  })

const optionOf =
  (command: string, samples: readonly Sample[]) =>
  ([flags, text]: Fact): Entry => {
    const long = /--[\w-]+/.exec(flags)?.[0] ?? flags
    return {
      kind: 'option',
      name: `${command} ${long}`,
      aliases: [long, long.slice(2), `acmcp ${command} ${long}`],
      facts: [['written', `acmcp ${command} ${flags}`]],
      meaning: `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`,
      samples: samples.filter((sample) => sample.text.split(' ').includes(long)),
    }
  }

/** Settings of `defineApp`, and environment variables. */
export const settingEntries = (): readonly Entry[] =>
  partsOf('reference-settings').flatMap(({ title, lines }) =>
    lines
      .filter((line) => line.startsWith('| `'))
      .map(title.startsWith('Environment') ? variableOf : settingOf),
  )

const factsOf = ([, expected = '', byDefault = '']: readonly string[]): readonly Fact[] => [
  ['must be', expected],
  ['default', byDefault],
]

function variableOf(row: string): Entry {
  const cells = cellsOf(row)
  const [name = '', , , meaning = '', example = ''] = cells
  const samples: readonly Sample[] = [{ label: 'example', text: `${name}=${example}` }]
  return { kind: 'environment variable', name, aliases: [], facts: factsOf(cells), meaning, samples }
}

function settingOf(row: string): Entry {
  const cells = cellsOf(row)
  const [name = '', , , meaning = '', example = ''] = cells
  const path = name.split('.')
  const samples: readonly Sample[] = [{ label: 'example', text: `defineApp({ ${nested(path, example)} })` }]
  const aliases = [path.at(-1) ?? name, name.replace('.*', '')]
  return { kind: 'setting', name, aliases, facts: factsOf(cells), meaning, samples }
}

/** Names of the application's own by setting, with what must stand beside any other field of theirs. */
const named: Readonly<Record<string, { readonly name: string; readonly beside: string }>> = {
  providers: { name: 'company:', beside: '...credentials, ' },
  clients: { name: "'ci-bot':", beside: "scopes: ['api'], " },
  scopes: { name: "'notes:read': 'see notes', 'notes:write':", beside: "text: 'change notes', " },
}

/** The setting in its objects. */
function nested([name = '', ...more]: readonly string[], value: string): string {
  if (more.length === 0) return `${name}: ${value}`
  const own = named[name]
  if (own === undefined) return `${name}: { ${nested(more, value)} }`
  const field = nested(more.slice(1), value)
  const isBeside = own.beside.startsWith(`${more[1]}:`)
  return `${name}: { ${own.name} { ${isBeside ? '' : own.beside}${field} } }`
}

/** The cells of a row; code as the code alone where nothing else is there. */
const cellsOf = (row: string): readonly string[] =>
  row
    .slice(2, -2)
    .split(/(?<!\\)\|/)
    .map((cell) => withoutEscapes(cell.trim()).replace(/^`([^`]*)`$/, '$1'))

const withoutEscapes = (text: string): string => text.replace(/\\([|<])/g, '$1')

interface Part {
  readonly title: string
  readonly lines: readonly string[]
}

const partsOf = (page: string): readonly Part[] => partsAt(shippedPage(page).split('\n'), '## ')

/** What stands below each heading of this depth; headings in code are none. */
function partsAt(lines: readonly string[], mark: string): readonly Part[] {
  const parts: { readonly title: string; readonly lines: string[] }[] = []
  let isCode = false
  for (const line of lines) {
    if (line.startsWith('```')) isCode = !isCode
    if (!isCode && line.startsWith(mark)) parts.push({ title: line.slice(mark.length), lines: [] })
    else parts.at(-1)?.lines.push(line)
  }
  return parts
}

interface Section extends Pick<Entry, 'name' | 'meaning' | 'facts' | 'samples'> {
  /** The title of the part of the page. */
  readonly part: string
}

function sectionsOf(page: string, depth: 2 | 3): readonly Section[] {
  if (depth === 2) return partsOf(page).map((section) => sectionOf(section, ''))
  return partsOf(page).flatMap(({ title, lines }) =>
    partsAt(lines, '### ').map((section) => sectionOf(section, title)),
  )
}

function sectionOf({ title, lines }: Part, part: string): Section {
  const [text = '', ...code] = lines.join('\n').split(/^```/m)
  const [paragraphs = '', ...bullets] = text.split(/^- /m)
  const [list = '', ...after] = bullets.join('- ').split('\n\n')
  return {
    part,
    name: title.replaceAll('`', ''),
    meaning: paragraphs.trim().split('\n\n').map(oneLine).join('\n\n'),
    facts: list === '' ? [] : list.split('\n- ').map(factOf),
    samples: samplesOf(after.join('\n\n'), code),
  }
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** `label: text`; as code what a command takes, and how something is written. */
function factOf(bullet: string): Fact {
  const [, label = '', text = ''] = /^(`[^`]+`|[^:]+): (.*)$/.exec(oneLine(bullet)) ?? []
  return [label.replaceAll('`', ''), withoutEscapes(text).replace(/^`([^`]*)`$/, '$1')]
}

/** Code and what stands between it in turns. Lines of a shell are samples by themselves. */
function samplesOf(before: string, blocks: readonly string[]): readonly Sample[] {
  const labels = [before, ...blocks.filter((_, index) => index % 2 === 1)].map((text) => text.trim())
  return blocks
    .filter((_, index) => index % 2 === 0)
    .flatMap((block, index): readonly Sample[] => {
      const language = block.slice(0, block.indexOf('\n'))
      const text = block.slice(language.length + 1).trimEnd()
      if (language === 'sh') return text.split('\n').map((line) => ({ label: 'example', text: line }))
      const label = labels[index] === 'Wrong:' ? 'wrong' : labels[index] === 'Right:' ? 'right' : 'example'
      return [{ label, text }]
    })
}
