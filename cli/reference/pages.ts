/** The generated pages of `templates/docs/`, from the same entries that `acmcp explain` prints. */
import type { Command } from 'commander'
import { commandEntries } from './commands.ts'
import { diagnosticEntries, groups } from './diagnostics.ts'
import { type Entry, type Sample, wrapped } from './entry.ts'
import { variableEntries } from './settings/variables.ts'
import { settingEntries } from './settings.ts'
import { tagGroups } from './tags.ts'

/** The text of every generated page, by name; `program`: the command line. */
export function referencePages(program: Command): Readonly<Record<string, string>> {
  return {
    'reference-tags': page('Reference: tags and parameters', tagsText, Object.entries(tagGroups).map(part)),
    'reference-settings': page('Reference: settings and environment', settingsText, settingParts()),
    'reference-commands': page('Reference: commands', commandsText, [
      commandEntries(program)
        .filter(({ kind }) => kind === 'command')
        .map((entry) => section(entry, 2))
        .join('\n\n'),
    ]),
    'reference-diagnostics': page(
      'Reference: diagnostics',
      diagnosticsText,
      Object.entries(groups).map(([title, group]) => part([title, diagnosticEntries(group)])),
    ),
  }
}

const tagsText =
  'Every tag of the controller language, every word of `@mcp`, and the types that say where a parameter is read. A tag is one line of a doc comment. `acmcp explain @get` prints the same in a terminal.'
const settingsText =
  'Every setting of `defineApp({ … })` in `app/config.ts`, and every environment variable. The build refuses a setting that does not exist, the start one that is not what it must be. `acmcp explain limits.bodyBytes` prints one with an example.'
const commandsText =
  'Every command of `acmcp` with its options. The exit code is 0, 1 when what was asked for failed, and 2 when the command line is wrong.'
const diagnosticsText =
  'What `acmcp build` says about an application, by code; `…` stands for a name or a place in the sources. An error stops the build and nothing is written; a warning does not, unless `--strict` takes it for an error. `ACM1…` show in one place of the sources, `ACM2…` when the whole is known. `ACM3…` are of both kinds, about names, tasks and answers of tools; of these, ACM301 to ACM304 and ACM323 to ACM326 are about the bundle, what it imports, and the files that the build writes. `acmcp explain ACM203` prints one in a terminal.'

const note =
  '<!-- Generated from cli/reference: `ACMCP_UPDATE_GOLDEN=1 node dist/test/cli/reference/pages.test.js` -->'

const page = (title: string, text: string, parts: readonly string[]): string =>
  [`# ${title}`, note, paragraph(text), ...parts].join('\n\n').concat('\n')

const paragraph = (text: string): string => wrapped(text, 118).join('\n')

const part = ([title, entries]: readonly [string, readonly Entry[]]): string =>
  [`## ${title}`, ...entries.map((entry) => section(entry, 3))].join('\n\n')

/** One entry as a part of a page. */
function section({ kind, name, meaning, facts, samples }: Entry, depth: number): string {
  const heading = `${'#'.repeat(depth)} ${kind === 'diagnostic' ? name : `\`${kind === 'command' ? 'acmcp ' : ''}${name}\``}`
  const list = facts.map(([label, text]) => bullet(factText(kind, label, text))).join('\n')
  return [heading, paragraph(meaning), list, ...samplesOf(kind, samples)].join('\n\n')
}

const bullet = (text: string): string => `- ${wrapped(text, 116).join('\n  ')}`

function factText(kind: Entry['kind'], label: string, text: string): string {
  if (label === 'written') return `written: \`${text}\``
  return kind === 'command' ? `\`${label}\`: ${text}` : `${label}: ${withoutMarkup(text)}`
}

/** Angle brackets are no markup; in code they are left alone. */
const withoutMarkup = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '\\<')))
    .join('')

function samplesOf(kind: Entry['kind'], samples: readonly Sample[]): readonly string[] {
  if (kind === 'command') return [fenced('sh', samples.map(({ text }) => text).join('\n'))]
  return samples.map(({ label, text }) =>
    label === 'example'
      ? fenced('text', text)
      : `${label === 'wrong' ? 'Wrong' : 'Right'}:\n\n${fenced('text', text)}`,
  )
}

const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``

function settingParts(): readonly string[] {
  const entries = settingEntries()
  const room = ({ name }: Entry): string => /^(\w+)\./.exec(name)?.[1] ?? 'others'
  const of = (title: string, ...rooms: readonly string[]): string =>
    `## ${title}\n\n${table(entries.filter((one) => rooms.includes(room(one))))}`
  return [
    of('MCP endpoint', 'mcp'),
    of('Pages', 'pages'),
    of('Scopes', 'scopes'),
    of('Audit', 'audit'),
    of('Limits', 'limits'),
    of('Telemetry', 'telemetry'),
    of('Identity providers', 'providers'),
    of('Everything else', 'others', 'session', 'log', 'errors', 'oauth'),
    `## Environment variables\n\nAn empty variable counts as absent.\n\n${table(variableEntries())}`,
  ]
}

function table(entries: readonly Entry[]): string {
  const rows = entries.map(({ name, facts, meaning }) => {
    const [expected = '', byDefault = '', unit = ''] = ['must be', 'default', 'unit'].map(
      (label) => facts.find(([one]) => one === label)?.[1] ?? '',
    )
    const cells = [
      `\`${name}\``,
      expected,
      unit === '' ? byDefault : `${byDefault}${byDefault === 'none' ? '; in' : ''} ${unit}`,
      meaning,
    ]
    return `| ${cells.map((cell) => withoutMarkup(cell.replaceAll('|', '\\|'))).join(' | ')} |`
  })
  return ['| name | must be | default | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n')
}
