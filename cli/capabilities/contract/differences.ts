/** From what differs between two schemas to what that means. */
import type { ChangedPart, ContractChange, ContractUser } from './findings.ts'
import type { RuleName } from './rules.ts'
import type { DifferenceKind, Direction, SchemaDifference } from './schemas/pairs.ts'

/** Where two schemas stand. */
export interface Site {
  readonly subject: ChangedPart
  readonly direction: Direction
  /** From the subject down to the schemas. */
  readonly path: readonly string[]
  readonly hits: readonly ContractUser[]
  /** The route and the tool. */
  readonly usedBy: readonly string[]
}

type Meaning = Readonly<Record<Direction, readonly [worse: RuleName, harmless: RuleName]>>

const narrower: Meaning = {
  input: ['inputNarrowed', 'inputWidened'],
  output: ['outputWidened', 'outputNarrowed'],
}

const meanings: Readonly<Record<DifferenceKind, Meaning>> = {
  type: narrower,
  bound: narrower,
  closed: narrower,
  value: { input: ['inputValueGone', 'inputWidened'], output: ['outputValueNew', 'outputNarrowed'] },
  required: { input: ['inputRequired', 'inputWidened'], output: ['outputOptional', 'outputNarrowed'] },
  gone: { input: ['inputGone', 'inputGone'], output: ['outputGone', 'outputGone'] },
  added: { input: ['inputNew', 'inputNew'], output: ['outputNew', 'outputNew'] },
  unknown: { input: ['unknown', 'unknown'], output: ['unknown', 'unknown'] },
  renamed: { input: ['typeRenamed', 'typeRenamed'], output: ['typeRenamed', 'typeRenamed'] },
  default: { input: ['defaultChanged', 'defaultChanged'], output: ['harmless', 'harmless'] },
  secret: { input: ['harmless', 'harmless'], output: ['secretGone', 'outputGone'] },
  untrusted: { input: ['harmless', 'harmless'], output: ['untrustedGone', 'harmless'] },
  text: { input: ['argumentText', 'argumentText'], output: ['answerText', 'answerText'] },
}

const tags: ReadonlySet<string> = new Set<DifferenceKind>(['secret', 'untrusted', 'default'])

/** The finding of one difference; none where no caller notices it. */
export function findingsOf(difference: SchemaDifference, site: Site): readonly ContractChange[] {
  const { kind, isCompatible, isSecret, owner } = difference
  // tools answer no secrets, and call no type by its name
  const isForPeople = kind === 'renamed' || (isSecret && site.direction === 'output')
  const heard = site.hits.filter((user) => user === 'HTTP' || !isForPeople)
  const isForTools = heard.includes('tools')
  const ruleName = meanings[kind][site.direction][isCompatible ? 1 : 0]
  const isNewSecret = kind === 'secret' && ruleName === 'outputGone'
  const hits = isNewSecret && isForTools ? (['tools'] as const) : heard
  if (hits.length === 0) return []
  const { before, after } = kind === 'required' ? { before: undefined, after: undefined } : difference
  const finding: ContractChange = {
    rule: isForTools ? ruleName : kind === 'text' ? 'documented' : isNewSecret ? 'harmless' : ruleName,
    subject: owner === null ? site.subject : { kind: 'type', name: owner, route: null },
    path: written([...(owner === null ? site.path : []), ...difference.path]),
    tag: tags.has(kind) ? kind : null,
    before,
    after,
    hits,
    usedBy: owner === null ? [] : site.usedBy,
  }
  return [finding]
}

/** `items[].total` */
const written = (path: readonly string[]): string =>
  path.reduce(
    (text, step) => (step.startsWith('[') ? `${text}${step}` : text === '' ? step : `${text}.${step}`),
    '',
  )
