/** Shows what was found: for people, for programs, as annotations and as a summary of a pull request. */
import type { At } from '../../compiler/ir/schema.ts'
import { annotation, type Severity } from '../../terminal/report.ts'
import { printableInLine } from '../../terminal/table.ts'
import { unifiedDiff } from '../../terminal/unified-diff.ts'
import { type ContractChange, placeText } from './findings.ts'
import { type ChangeClass, changeClasses, rule } from './rules.ts'

export interface ContractReport {
  readonly findings: readonly ContractChange[]
  readonly accepted: readonly ContractChange[]
  readonly notes: readonly string[]
  readonly placeOf: (finding: ContractChange) => At
  /** `1.4.0`, of the package. */
  readonly version: string
}

type Counted = Pick<ContractReport, 'findings'>

/** `2 breaking, 1 dangerous, 5 texts`: one line that fits a title. */
export function summaryLine({ findings }: Counted): string {
  const parts = changeClasses.flatMap((name) => {
    const count = findings.filter(isOf(name)).length
    return count === 0 ? [] : [`${count} ${name === 'texts' && count === 1 ? 'text' : name}`]
  })
  return parts.length === 0 ? 'no change of the contract' : parts.join(', ')
}

export const isOf =
  (name: ChangeClass) =>
  (finding: ContractChange): boolean =>
    rule(finding.rule).class === name

/** The version that Semantic Versioning asks for, with its reason; before 1.0.0 the second number says what breaks. */
export function nextVersion({
  findings,
  version,
}: Pick<ContractReport, 'findings' | 'version'>): string | null {
  const [, major = '', minor = '', patch = ''] = /^(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []
  if (major === '' || findings.length === 0) return null
  const has = (name: ChangeClass): boolean => findings.some(isOf(name))
  const isEarly = major === '0'
  if (has('breaking')) {
    const next = isEarly ? `0.${Number(minor) + 1}.0` : `${Number(major) + 1}.0.0`
    return `${next} after ${version}: something breaks`
  }
  const isMore = has('dangerous') || findings.some((finding) => /New$/.test(finding.rule))
  const reason = has('dangerous') ? 'something behaves otherwise' : 'something is new'
  if (isMore && !isEarly) return `${major}.${Number(minor) + 1}.0 after ${version}: ${reason}`
  return `${major}.${minor}.${Number(patch) + 1} after ${version}: ${isMore ? reason : 'nothing is new'}`
}

/** One document, a field of what `--format json` prints. */
export function toJson(shown: ContractReport): object {
  const { findings, accepted, notes, placeOf } = shown
  const rowOf = (finding: ContractChange): object => {
    const { id, class: changeClass, flow } = rule(finding.rule)
    const { subject, path, before, after, hits, usedBy } = finding
    const values = { before: before ?? null, after: after ?? null }
    return {
      rule: id,
      class: changeClass,
      flow,
      subject: subject.name,
      kind: subject.kind,
      path,
      ...values,
      hits,
      usedBy,
      at: placeOf(finding),
    }
  }
  return {
    summary: summaryLine(shown),
    nextVersion: nextVersion(shown),
    findings: findings.map(rowOf),
    accepted: accepted.map(rowOf),
    notes,
  }
}

const severities: Readonly<Record<ChangeClass, Severity>> = {
  breaking: 'error',
  dangerous: 'warning',
  texts: 'notice',
  compatible: 'notice',
}

/** Workflow commands, of everything but what is compatible. Source: GitHub Actions, Workflow commands. */
export function changeAnnotations({ findings, placeOf, notes }: ContractReport): readonly string[] {
  const shown = findings.filter((finding) => !isOf('compatible')(finding))
  return [
    ...shown.map((finding) => {
      const { id, class: changeClass } = rule(finding.rule)
      return annotation(severities[changeClass], placeOf(finding), { title: id, text: sentence(finding) })
    }),
    ...notes.map((note) => annotation('notice', null, { title: 'contract', text: note })),
  ]
}

/** `POST /api/orders total: Values that were taken are refused … (HTTP, tools)` */
function sentence(finding: ContractChange): string {
  const { hits, usedBy } = finding
  const used = usedBy.length === 0 ? '' : `; in ${listed(usedBy, 3)}`
  return `${placeText(finding)}: ${rule(finding.rule).text.replace(/\.$/, '')} (${hits.join(', ')}${used})`
}

const listed = (names: readonly string[], most: number): string =>
  names.length <= most
    ? names.join(', ')
    : `${names.slice(0, most).join(', ')} and ${names.length - most} more`

/** GitHub takes no more than 1 MiB of a step. */
const maxRows = 500

/** Markdown, as the step summary of a workflow takes it. */
export function toMarkdown(shown: ContractReport): string {
  const { findings, placeOf, notes, accepted } = shown
  const version = nextVersion(shown)
  const rows = findings.slice(0, maxRows).map((finding) => {
    const { id, class: changeClass } = rule(finding.rule)
    const { file, line } = placeOf(finding)
    const values = [finding.before, finding.after].map(cell)
    return `| ${changeClass} | ${id} | ${escaped(sentence(finding))} | ${values[0]} | ${values[1]} | ${escaped(`${file}:${line}`)} |`
  })
  const table = [
    '| class | rule | what | before | after | where |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
  ]
  return [
    `## Contract: ${summaryLine(shown)}`,
    ...(version === null ? [] : [`Next version: ${escaped(version)}.`]),
    ...(rows.length === 0 ? [] : [table.join('\n')]),
    ...(findings.length > maxRows ? [`And ${findings.length - maxRows} more.`] : []),
    ...(accepted.length === 0 ? [] : [`Accepted in app/config.ts: ${accepted.length}.`]),
    ...notes.map((note) => `- ${escaped(note)}`),
    '',
  ].join('\n\n')
}

const longestValue = 300

const cell = (value: unknown): string => (value === undefined ? '' : escaped(shortOf(value)))

function shortOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text
}

/** No text of an application begins a cell, a tag or a link. */
const escaped = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_{}[\]<>()#+!|~&@]/g, (character) => `&#${character.codePointAt(0)};`)

interface TextStyle {
  readonly colour: boolean
  /** What is compatible is told too. */
  readonly all: boolean
}

const colours: Readonly<Record<ChangeClass, number>> = {
  breaking: 31,
  dangerous: 33,
  texts: 36,
  compatible: 32,
}

/** The lines for people, by subject: what happened, and what stood and stands there. */
export function toText(shown: ContractReport, { colour, all }: TextStyle): readonly string[] {
  const { findings, placeOf, notes, accepted } = shown
  const paint = (code: number, text: string): string => (colour ? `\u001b[${code}m${text}\u001b[0m` : text)
  const visible = all ? findings : findings.filter((finding) => !isOf('compatible')(finding))
  const subjects = bySubject(visible)
  const blocks = [...subjects].flatMap(([name, own]) => [
    paint(1, printableInLine(name)),
    ...own.flatMap((finding) => {
      const { id, class: changeClass, text } = rule(finding.rule)
      const { file, line, column } = placeOf(finding)
      const path = finding.path === '' ? '' : ` ${printableInLine(finding.path)}:`
      const used = finding.usedBy.length === 0 ? '' : `; in ${listed(finding.usedBy, 3)}`
      return [
        `  ${paint(colours[changeClass], changeClass)} ${id}${path} ${text} (${finding.hits.join(', ')}${used})`,
        ...valuesOf(finding).map((value) => `    ${value}`),
        `    ${paint(2, `${file}:${line}:${column}`)}`,
      ]
    }),
  ])
  const version = nextVersion(shown)
  return [
    ...blocks,
    ...notes.map((note) => `note: ${note}`),
    ...(accepted.length === 0 ? [] : [`${accepted.length} accepted in app/config.ts`]),
    summaryLine(shown),
    ...(version === null ? [] : [`next version: ${version}`]),
  ]
}

function bySubject(found: readonly ContractChange[]): ReadonlyMap<string, readonly ContractChange[]> {
  const subjects = new Map<string, ContractChange[]>()
  for (const finding of found) {
    const name = `${finding.subject.kind} ${finding.subject.name}`
    const others = subjects.get(name)
    if (others === undefined) subjects.set(name, [finding])
    else others.push(finding)
  }
  return subjects
}

/** Long texts as lines that differ, the rest beside each other. */
function valuesOf({ before, after }: ContractChange): readonly string[] {
  if (before === undefined && after === undefined) return []
  const texts = [before, after].map((value) =>
    typeof value === 'string' ? value : (JSON.stringify(value) ?? ''),
  )
  if (!texts.some((text) => text.includes('\n'))) {
    const [from = '', to = ''] = texts.map((text) =>
      printableInLine(text.length > 1000 ? `${text.slice(0, 1000)}…` : text),
    )
    return [...(before === undefined ? [] : [`- ${from}`]), ...(after === undefined ? [] : [`+ ${to}`])]
  }
  const lines = unifiedDiff('text', `${texts[0]}\n`, `${texts[1]}\n`).split('\n')
  return lines.filter((line) => /^[-+ ](?![-+]{2})/.test(line)).map(printableInLine)
}
