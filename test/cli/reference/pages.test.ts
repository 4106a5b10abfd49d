/** The reference names exactly what the code knows, and the shipped pages are what it comes to. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import t from 'tap'
import { commandsOf, examplesOf, fullName } from '../../../cli/command-line/command.ts'
import {
  constrainingTags,
  mcpTable,
  ourTags,
  valueTags,
  wrapperNames,
} from '../../../cli/compiler/read/language.ts'
import { createProgram } from '../../../cli/program.ts'
import { groups, shapes } from '../../../cli/reference/diagnostics.ts'
import { exportGroups } from '../../../cli/reference/exports.ts'
import { referencePages } from '../../../cli/reference/pages.ts'
import { settingTexts } from '../../../cli/reference/settings/setting-texts.ts'
import { variableTexts } from '../../../cli/reference/settings/variables.ts'
import { settingPaths } from '../../../cli/reference/settings.ts'
import { shippedPages } from '../../../cli/reference/shipped-pages.ts'
import { controllerTags } from '../../../cli/reference/tags/controller-tags.ts'
import { mcpTexts } from '../../../cli/reference/tags/mcp-words.ts'
import { valueTexts } from '../../../cli/reference/tags/value-tags.ts'
import { wrapperTexts } from '../../../cli/reference/tags/wrapper-texts.ts'
import { BootError } from '../../../runtime/boot/boot-error.ts'
import { readEnvironment } from '../../../runtime/boot/environment.ts'
import { variableNames } from '../../../runtime/boot/misspelt-variables.ts'

const program = await createProgram('1.0.0', async () => {})

const sorted = (names: Iterable<string>): readonly string[] => [...names].sort()

t.test('issue 14, reference tables: tags, words and wrappers are those that the reader knows', async (t) => {
  t.strictSame(sorted(Object.keys(controllerTags)), sorted(ourTags))
  t.strictSame(sorted(Object.keys(mcpTexts)), sorted(mcpTable.keys()))
  t.strictSame(sorted(Object.keys(valueTexts)), sorted(valueTags))
  t.strictSame(sorted(Object.keys(wrapperTexts)), sorted(Object.keys(wrapperNames)))
  t.ok(constrainingTags.size > 10)
})

t.test('issue 14, reference tables: settings are those that the boot checks', async (t) => {
  const paths = settingPaths().map(([path]) => path)
  t.strictSame(sorted(Object.keys(settingTexts)), sorted(paths))
  t.ok(paths.includes('limits.bodyBytes') && paths.includes('providers.*.clientId'))
})

t.test('issue 14, reference tables: variables are those that the start reads', async (t) => {
  const read = new Set<string>()
  const given: Readonly<Record<string, string>> = { NODE_ENV: 'production' }
  const variables = new Proxy(given, {
    get: (target, name) => {
      read.add(String(name))
      return Reflect.get(target, name)
    },
  })
  t.throws(() => readEnvironment(variables, t.testdir({}), () => ''), BootError)
  t.strictSame(sorted(read), sorted(Object.keys(variableTexts)))
  t.strictSame(sorted(variableNames), sorted(Object.keys(variableTexts)))
})

t.test('issue 14, reference tables: every diagnostic of the code is explained, and no other', async (t) => {
  const codes = shapes().map(({ code }) => code)
  t.strictSame(sorted(Object.values(groups).flatMap((group) => Object.keys(group))), sorted(codes))
  t.strictSame([...new Set(codes)], codes, 'each has a code of its own')
})

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
    names.split(',').map((name) => name.trim().replace(/^type /, '')),
  )
  return [...declared.map(([, name = '']) => name), ...listed].filter((name) => name !== '')
}

t.test('issue 14, reference: every export is named, with a section that is there', async (t) => {
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

t.test('issue 14, commands: every command has an example, which the command line takes', async (t) => {
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

t.test('a module of cli/commands is named as its command is typed', async (t) => {
  const files = readdirSync('cli/commands').map((file) => file.replace(/\.ts$/, ''))
  t.strictSame(sorted(files), sorted(program.commands.map((one) => one.name())))
})

t.test('issue 14: the shipped reference pages are generated', async (t) => {
  for (const [name, text] of Object.entries(referencePages(program))) {
    const path = `templates/docs/${name}.md`
    if (process.env.ACMCP_UPDATE_GOLDEN === '1') {
      mkdirSync('templates/docs', { recursive: true })
      writeFileSync(path, text)
    }
    t.equal(text, readFileSync(path, 'utf8'), name)
  }
  const settings = referencePages(program)['reference-settings'] ?? ''
  t.strictSame(
    settingPaths().filter(([path]) => !settings.includes(`| \`${path}\` |`)),
    [],
    'every setting has its row',
  )
})
