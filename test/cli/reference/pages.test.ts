/** The reference pages name exactly what the code knows, and say of it what the code does. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { Command, Option } from 'commander'
import t from 'tap'
import { features } from '../../../cli/capabilities/index.ts'
import {
  commandEntries,
  diagnosticEntries,
  settingEntries,
  tagEntries,
} from '../../../cli/capabilities/reference/entries.ts'
import type { Entry, Fact } from '../../../cli/capabilities/reference/entry.ts'
import { exportGroups } from '../../../cli/capabilities/reference/exports.ts'
import { shippedPages } from '../../../cli/capabilities/reference/shipped-pages.ts'
import { examplesOf } from '../../../cli/command-line/command.ts'
import {
  constrainingTags,
  languageOf,
  type Word,
  whereOf,
  wrapperNames,
} from '../../../cli/compiler/read/language.ts'
import { createProgram } from '../../../cli/program.ts'
import { BootError } from '../../../runtime/boot/boot-error.ts'
import { readEnvironment } from '../../../runtime/boot/environment.ts'
import { allSettings } from '../../../runtime/boot/settings/all-settings.ts'
import type { Setting } from '../../../runtime/boot/settings/setting.ts'
import { variableDefaults } from '../../../runtime/boot/variables.ts'
import { shapes } from '../support/diagnostic-shapes.ts'

const { tagTable, mcpTable } = languageOf(features)

const sorted = (names: Iterable<string>): readonly string[] => [...names].sort()
const byName = (entries: readonly Entry[], kind: Entry['kind']): ReadonlyMap<string, Entry> =>
  new Map(entries.filter((entry) => entry.kind === kind).map((entry) => [entry.name, entry]))

const ordered = <T extends { readonly name: string }>(entries: readonly T[]): readonly T[] =>
  [...entries].sort((a, b) => (a.name < b.name ? -1 : 1))

/** How a row of the table of tags is written, and where it may stand. */
const tagFacts = (written: string, row: Word): readonly Fact[] => [
  ['written', written.trim()],
  ['stands on', `${whereOf(row)}; ${row.repeats ? 'repeatable' : 'once'}`],
]

t.test(
  'reference: every tag, word of @mcp and wrapper has its section, which says how the reader takes it',
  async (t) => {
    const facts = (kind: Entry['kind']) =>
      [...byName(tagEntries(), kind).values()].map(({ name, facts }) => ({ name, facts }))
    const tags = [...tagTable].map(([name, row]) => ({
      name: `@${name}`,
      facts: tagFacts(`@${name} ${row.takes}`, row),
    }))
    const words = [...mcpTable].map(([name, row]) => ({
      name: `@mcp ${name}`,
      facts: tagFacts(`@mcp ${name}${row.takes}`, row),
    }))
    t.strictSame(ordered(facts('tag')), ordered(tags))
    t.strictSame(ordered(facts('word of @mcp')), ordered(words))
    t.strictSame(sorted(byName(tagEntries(), 'parameter wrapper').keys()), sorted(Object.keys(wrapperNames)))
    t.ok(constrainingTags.size > 10)
  },
)

interface Row {
  readonly path: string
  readonly expected: string
  readonly byDefault: unknown
}

/** The settings by path, without the objects that hold them; `*` stands for a name of the application's own. */
function rowsOf(
  { check: { inner, expected }, byDefault }: Pick<Setting<never, unknown>, 'check' | 'byDefault'>,
  path = '',
): readonly Row[] {
  if (inner === null) return [{ path, expected, byDefault }]
  const above = path === '' ? '' : expected.endsWith('by name') ? `${path}.*.` : `${path}.`
  return [...inner].flatMap(([name, check]) =>
    rowsOf({ check, byDefault: Object(byDefault)[name] }, `${above}${name}`),
  )
}

/** As somebody would write it; null where the page says it in words. */
function asWritten(value: unknown): string | null {
  if (typeof value === 'number') return String(value).replace(/\B(?=(\d{3})+$)/g, ',')
  return typeof value === 'string' || typeof value === 'boolean' ? String(value) : null
}

/** Whether its default is this one; others it says in words. */
function saysDefault(entry: Entry | undefined, byDefault: unknown): boolean {
  const expected = asWritten(byDefault)
  const [, [, written = ''] = []] = entry?.facts ?? []
  return expected === null || new RegExp(`^${expected}(?![^ ;])`).test(written)
}

t.test('reference: every setting has its row, with what the boot takes and its default', async (t) => {
  const said = byName(settingEntries(), 'setting')
  const rows = rowsOf(allSettings)
  t.strictSame(
    sorted([...said].map(([name, { facts }]) => `${name}: ${facts[0]?.[1]}`)),
    sorted(rows.map(({ path, expected }) => `${path}: ${expected}`)),
  )
  t.strictSame(
    rows.filter(({ path, byDefault }) => !saysDefault(said.get(path), byDefault)),
    [],
  )
  t.ok(rows.length > 60)
})

t.test('settings: what editors show of one says its default as the table has it', async (t) => {
  const tables = [
    ...['table', 'mcp-table', 'limit-table'].map((name) => `runtime/boot/settings/${name}.ts`),
    ...readdirSync('runtime/capabilities')
      .map((name) => `runtime/capabilities/${name}/settings.ts`)
      .filter((path) => existsSync(path)),
  ].map((path) => readFileSync(path, 'utf8'))
  const shown = [...tables.join('').matchAll(/\/\*\* ((?:(?!\*\/)[\s\S])*)\*\/\s+readonly (\w+):/g)]
  const wrong = rowsOf(allSettings).filter(({ path, byDefault }) => {
    const expected = asWritten(byDefault)
    const says = new RegExp(`[dD]efault \`?${expected}(?![\\d,]*\\d)`)
    return (
      expected !== null && !shown.some(([, text = '', name]) => path.endsWith(`${name}`) && says.test(text))
    )
  })
  t.strictSame(wrong, [])
})

t.test('reference: variables are those that the start reads', async (t) => {
  const variables = byName(settingEntries(), 'environment variable')
  const read = new Set<string>()
  const production: Readonly<Record<string, string>> = { NODE_ENV: 'production' }
  const environment = new Proxy(production, {
    get: (target, name) => {
      read.add(String(name))
      return Reflect.get(target, name)
    },
  })
  t.throws(() => readEnvironment(environment, t.testdir({}), () => ''), BootError)
  t.strictSame(sorted(read), sorted(variables.keys()))
  t.strictSame(sorted(Object.keys(variableDefaults)), sorted(variables.keys()))
  const wrong = Object.entries(variableDefaults).filter(
    ([name, value]) => !saysDefault(variables.get(name), value),
  )
  t.strictSame(wrong, [])
})

t.test(
  'reference: every diagnostic of the code has its section, with its message and hint, and no other',
  async (t) => {
    const raised = shapes()
    const expected = raised.map(({ code, severity, message, hint }): readonly [string, readonly Fact[]] => [
      code,
      [
        ['severity', severity],
        ['message', message === '…' ? '… (of TypeScript or esbuild)' : message],
        ['what to do', hint],
      ],
    ])
    const explained = diagnosticEntries().map(({ name, facts }) => [name, facts] as const)
    t.strictSame(new Map([...explained].sort(([a], [b]) => (a < b ? -1 : 1))), new Map(expected))
    t.equal(explained.length, raised.length, 'each has a code of its own')
  },
)

const entries = {
  acmcp: 'runtime/index.ts',
  'acmcp/store': 'runtime/store/database.ts',
  'acmcp/testing': 'runtime/testing.ts',
} as const

/** The names that a module exports, by its text. */
function exportsOf(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8')
  const declared = [...text.matchAll(/^export (?:async )?(?:interface|type|function|class|const) (\w+)/gm)]
  const listed = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.trim().replace(/^(type )?(\w+ as )?/, '')),
  )
  return [...declared.map(([, name = '']) => name), ...listed].filter((name) => name !== '')
}

t.test('reference: every export is named, with a section that is there', async (t) => {
  for (const [from, file] of Object.entries(entries)) {
    const named = exportGroups.filter((group) => group.from === from).flatMap(({ names }) => names)
    t.strictSame(sorted(named), sorted(exportsOf(file)), from)
  }
  const pages = new Map(shippedPages().map(({ name, text }) => [name, text]))
  const lost = exportGroups.filter(
    ({ page, heading }) => !pages.get(page)?.split('\n').includes(`## ${heading}`),
  )
  t.strictSame(lost, [])
})

t.test('every type that is exported stands on a page, in words', async (t) => {
  const prose = shippedPages().map(({ text }) => text)
  const names = exportGroups.filter(({ from }) => from !== 'this').flatMap((group) => group.names)
  const unnamed = names.filter((name) => !prose.some((text) => new RegExp(`\\b${name}\\b`).test(text)))
  t.strictSame(unnamed, [])
})

const program = await createProgram('1.0.0', async () => {})

/** `store backup`: the names from below the program down. */
function fullName(command: Command): string {
  const above = command.parent
  return above === null || above.parent === null ? command.name() : `${fullName(above)} ${command.name()}`
}

/** Every command that does something, in the order of the help; groups are left out. */
const commandsOf = ({ commands }: Command): readonly Command[] =>
  commands.flatMap((command) => (command.commands.length > 0 ? commandsOf(command) : [command]))

t.test('commands: every command has an example, which the command line takes', async (t) => {
  const ran: string[] = []
  const note = (_: Command, command: Command): void => void ran.push(fullName(command))
  const programOf = async () => (await createProgram('1.0.0', async () => {})).hook('preAction', note)
  for (const command of commandsOf(await programOf())) {
    const name = fullName(command)
    t.not(examplesOf(command).length, 0, name)
    for (const line of examplesOf(command)) {
      const [, ...words] = line.replace(/^(\w+=\S+ )+/, '').split(' ')
      await (await programOf()).parseAsync(words, { from: 'user' })
      t.equal(ran.pop(), name, line)
    }
  }
})

t.test('a command is a file in a folder of commands, named as it is typed', async (t) => {
  const files = readdirSync('cli', { recursive: true, encoding: 'utf8' }).flatMap(
    (file) => /(?:^|\/)commands\/([^/]+)\.ts$/.exec(file)?.[1] ?? [],
  )
  t.strictSame(sorted(files), sorted(program.commands.map((command) => command.name())))
})

/** The text of an option, what it takes and what it is without it. */
function textOf({ description, argChoices, defaultValue }: Option): string {
  const choices = argChoices === undefined ? [] : [`one of ${argChoices.join(', ')}`]
  const fallback = typeof defaultValue === 'string' ? [`default ${defaultValue}`] : []
  const more = [...choices, ...fallback].join('; ')
  return more === '' ? description : `${description} (${more})`
}

function commandFacts(command: Command): readonly Fact[] {
  return [
    ['written', `acmcp ${fullName(command)} ${command.usage()}`.trim()],
    ...command.registeredArguments.map((argument): Fact => {
      const name = `${argument.name()}${argument.variadic ? '...' : ''}`
      return [argument.required ? `<${name}>` : `[${name}]`, argument.description]
    }),
    ...command.options.filter(({ hidden }) => !hidden).map((option): Fact => [option.flags, textOf(option)]),
  ]
}

t.test('commands: the page says of each command what --help says', async (t) => {
  const said = [...byName(commandEntries(), 'command').values()]
  t.strictSame(
    said.map(({ name, meaning, facts, samples }) => [name, meaning, facts, samples.map(({ text }) => text)]),
    commandsOf(program).map((command) => {
      const description = command.description()
      const meaning = `${description.slice(0, 1).toUpperCase()}${description.slice(1)}.`
      return [fullName(command), meaning, commandFacts(command), examplesOf(command)]
    }),
  )
})
