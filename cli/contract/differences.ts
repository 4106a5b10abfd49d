/** From what differs between two schemas to what that means. */
import type { ChangedPart, ContractChange, ContractUser } from './findings.ts'
import type { RuleName } from './rules.ts'
import type { DifferenceKind, Direction, SchemaDifference } from './schemas/compare.ts'

/** Where two schemas stand. */
export interface Site {
  readonly subject: ChangedPart
  readonly direction: Direction
  /** From the subject down to the schemas. */
  readonly path: readonly string[]
  readonly audience: ContractUser
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
  default: { input: ['defaultChanged', 'defaultChanged'], output: ['harmless', 'harmless'] },
  secret: { input: ['harmless', 'harmless'], output: ['secretGone', 'harmless'] },
  untrusted: { input: ['harmless', 'harmless'], output: ['untrustedGone', 'harmless'] },
  text: { input: ['argumentText', 'argumentText'], output: ['answerText', 'answerText'] },
}

/** The finding of one difference. Of what nobody of the audience reads, nothing is said. */
export function findingOf(
  difference: SchemaDifference,
  { subject, direction, path, audience }: Site,
): ContractChange {
  const { kind, isCompatible, owner } = difference
  const { before, after } = kind === 'required' ? { before: undefined, after: undefined } : difference
  const told = meanings[kind][direction][isCompatible ? 1 : 0]
  const isRead = kind !== 'text' || audience === 'tools'
  const used = subject.kind === 'route' || subject.kind === 'tool' ? [subject.name] : []
  return {
    rule: isRead ? told : 'documented',
    subject: owner === null ? subject : { kind: 'type', name: owner, route: null },
    path: written([...(owner === null ? path : []), ...difference.path]),
    tag: kind === 'secret' || kind === 'untrusted' || kind === 'default' ? kind : null,
    before,
    after,
    hits: [audience],
    usedBy: owner === null ? [] : used,
  }
}

/** `items[].total` */
export const written = (path: readonly string[]): string =>
  path.reduce(
    (text, step) => (step.startsWith('[') ? `${text}${step}` : text === '' ? step : `${text}.${step}`),
    '',
  )
