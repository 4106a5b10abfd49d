/** Changes that the team has accepted: `contract.accept` in app/config.ts, as it is written there. */
import type { At } from '../../compiler/ir/schema.ts'
import type { WrittenSetting } from '../../compiler/ir/source-model.ts'
import { type ContractChange, placeText } from './findings.ts'
import { rule } from './rules.ts'

export interface WrittenAcceptance {
  /** `CON012` */
  readonly rule: string
  /** The subject, or the place in it: `POST /api/orders`, `Order total`. */
  readonly at: string
  /** `2027-01-31`: the last day on which it counts. */
  readonly until: string
  readonly because: string
  readonly source: At
}

export interface Judged {
  readonly findings: readonly ContractChange[]
  readonly accepted: readonly ContractChange[]
  /** Entries that no longer do anything, in sentences. */
  readonly notes: readonly string[]
}

/** The entries, of what is given to `defineApp`; null = they cannot be read without running it. */
export function acceptedIn(settings: WrittenSetting | null): readonly WrittenAcceptance[] | null {
  const accept = fieldUnder(fieldUnder(settings, 'contract'), 'accept')
  if (accept === null) return []
  if (accept.kind !== 'list') return null
  const all = accept.items.map(entryOf)
  return all.every((entry) => entry !== null) ? all : null
}

function entryOf(item: WrittenSetting): WrittenAcceptance | null {
  const text = (name: string): string | null => {
    const field = fieldUnder(item, name)
    return field?.kind === 'plain' && typeof field.value === 'string' ? field.value : null
  }
  const [ruleId, at, until, because] = ['rule', 'at', 'until', 'because'].map(text)
  if (ruleId == null || at == null || until == null || because == null) return null
  return { rule: ruleId, at, until, because, source: item.at }
}

function fieldUnder(setting: WrittenSetting | null, name: string): WrittenSetting | null {
  if (setting?.kind !== 'object') return null
  return setting.fields.find((field) => field.name === name)?.value ?? null
}

/** `today`: `2026-11-27`. An entry past its day accepts nothing. */
export function withoutAccepted(
  found: readonly ContractChange[],
  entries: readonly WrittenAcceptance[],
  today: string,
): Judged {
  const valid = new Map<string, WrittenAcceptance>()
  for (const entry of entries) if (entry.until >= today) valid.set(`${entry.rule} ${entry.at}`, entry)
  const used = new Set<WrittenAcceptance>()
  const isAccepted = (finding: ContractChange): boolean => {
    const { id } = rule(finding.rule)
    const entry = valid.get(`${id} ${placeText(finding)}`) ?? valid.get(`${id} ${finding.subject.name}`)
    if (entry !== undefined) used.add(entry)
    return entry !== undefined
  }
  const accepted = found.filter(isAccepted)
  const notes = entries.flatMap((entry) => {
    const { file, line } = entry.source
    const what = `${file}:${line}: contract.accept of ${entry.rule} at ${entry.at}`
    if (entry.until < today) return [`${what} ended on ${entry.until}`]
    return used.has(entry) ? [] : [`${what} matches nothing any more: remove it`]
  })
  return { findings: found.filter((finding) => !accepted.includes(finding)), accepted, notes }
}
