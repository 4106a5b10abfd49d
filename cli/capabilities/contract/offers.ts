/** What changed between two `mcp.yml`: names, hints, scopes and texts of tools, toolboxes, prompts, resources and scopes. What
 *  tools take and answer is compared in the OpenAPI document. An entry whose text is as it was is not parsed. */
import { type Blocks, documentEntries, entriesBelow, fieldUnder, itemOf } from './blocks.ts'
import { all, type FieldRules, fieldFindings, hasAll, lost, scopesFindings, tagRules } from './fields.ts'
import { type ChangedPart, type ContractChange, noticedBy } from './findings.ts'
import { parseForeign } from './foreign-yaml.ts'
import type { RuleName } from './rules.ts'
import { type FieldValues, fieldPairs, isSame, ownIn, pairsIn, recordOf, textItems } from './schemas/json.ts'
import {
  byName,
  type OfferedTool,
  offeredTools,
  type ToolPair,
  toolFields,
  toolSubject,
  withoutNames,
} from './tools.ts'

/** The parts of the file by name, as text. */
export interface Offers {
  readonly tools: ReadonlyMap<string, OfferedTool>
  readonly toolboxes: Blocks
  readonly prompts: Blocks
  readonly resources: Blocks
  readonly scopes: Blocks
}

const tell = noticedBy('tools')

export function readOffers(text: string): Offers {
  const top = documentEntries(text, ['version'])
  const boxes = [...byName(top.get('toolboxes'))].map(
    ([name, item]) => [name, entriesBelow(`\n${item.replace('- ', '  ')}`)] as const,
  )
  const tools = boxes.flatMap(([name, fields]) => offeredTools(name, fields.get('tools')))
  const withoutParts = (fields: Blocks): string =>
    [...fields].map(([name, field]) => (name === 'tools' || name === 'types' ? '' : field)).join('')
  return {
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    toolboxes: new Map(boxes.map(([name, fields]) => [name, withoutParts(fields)])),
    prompts: byName(top.get('prompts')),
    resources: byName(top.get('resources')),
    scopes: entriesBelow(top.get('scopes')),
  }
}

interface Known {
  readonly pairs: readonly ToolPair[]
  /** Whether the application before has such a route: `GET /orders/{}`. */
  readonly hadRoute: (route: string) => boolean
}

/** Everything that differs, each thing for tools. */
export function compareOffers(from: Offers, to: Offers, known: Known): readonly ContractChange[] {
  return [
    ...compareTools(from, to, known),
    ...grownScopes(from, to, known.pairs),
    ...kinds.flatMap((kind) => offered(from, to, kind)),
  ]
}

function compareTools(from: Offers, to: Offers, { pairs, hadRoute }: Known): readonly ContractChange[] {
  const [kept, known] = [new Set(pairs.map(({ before }) => before)), new Set(pairs.map(({ after }) => after))]
  const gone = [...from.tools.values()].filter((tool) => !kept.has(tool))
  const made = [...to.tools.values()].filter((tool) => !known.has(tool))
  return [
    ...gone.map((tool) => tell('toolGone', toolSubject(tool))),
    ...made.flatMap((tool) => [
      tell(hadRoute(withoutNames(tool.route)) ? 'toolVisible' : 'toolNew', toolSubject(tool)),
      ...(toolFields(tool).root === true ? [tell('toolAtRoot', toolSubject(tool), { path: 'root' })] : []),
    ]),
    ...pairs.flatMap(toolFindings),
  ]
}

function toolFindings({ before, after }: ToolPair): readonly ContractChange[] {
  if (before.text === after.text && before.toolbox === after.toolbox) return []
  const subject = toolSubject(after)
  const [from, to] = [toolFields(before), toolFields(after)]
  const moved = (rule: RuleName, path: string, name: 'toolbox' | 'route'): readonly ContractChange[] =>
    withoutNames(before[name]) === withoutNames(after[name])
      ? []
      : [tell(rule, subject, { path, before: before[name], after: after[name] })]
  return [
    ...(before.name === after.name
      ? []
      : [tell('toolRenamed', toolSubject(before), { path: 'name', before: before.name, after: after.name })]),
    ...moved('harmless', 'toolbox', 'toolbox'),
    ...moved('otherRoute', '', 'route'),
    ...scopesFindings(from, to, { subject, tell }),
    ...fieldFindings(from, to, { subject, tell, rules: toolRules }),
  ]
}

const toolRules: FieldRules = new Map([
  ...all(null, 'name verb path params schema result scopes unless brief untrusted leavesOut'),
  ...all(null, 'digest tokens fingerprint answerFingerprint'),
  ...all('toolText', 'title description summary keywords examples'),
  ...all('harmless', 'icon shown repeatable'),
  ['root', (_from, to) => (to === true ? 'toolAtRoot' : 'harmless')],
  ['hints', (from, to) => (isUnsafe(textItems(from), textItems(to)) ? 'hintUnsafe' : 'harmless')],
  ['paging', (from, to) => (hasAll(from, to) ? 'harmless' : 'unknown')],
  // what goes and comes with its property is told of that
  [
    'renamed',
    (from, to) =>
      Object.entries(recordOf(from)).every(([name, safe]) =>
        [safe, undefined].includes(ownIn(recordOf(to), name)),
      )
        ? null
        : 'unknown',
  ],
  ...tagRules,
])

/** Clients ask before a tool that may destroy something, and after none that only reads. */
const isUnsafe = (before: readonly string[], after: readonly string[]): boolean =>
  ['readOnly', 'idempotent'].some((hint) => before.includes(hint) && !after.includes(hint)) ||
  ['destructive', 'openWorld'].some((hint) => after.includes(hint) && !before.includes(hint))

/** The tools that a scope lets be called which it did not, of those scopes that people allowed before. */
function grownScopes(from: Offers, to: Offers, pairs: readonly ToolPair[]): readonly ContractChange[] {
  const old = new Map(pairs.map(({ before, after }) => [after, before]))
  const grown = new Map([...from.scopes.keys()].map((name) => [name, [] as string[]]))
  for (const tool of to.tools.values()) {
    const before = old.get(tool)
    if (before?.text === tool.text) continue
    const had = before === undefined ? null : textItems(toolFields(before).scopes)
    const needed = textItems(toolFields(tool).scopes)
    // a caller with those scopes could call it before
    if (had?.every((name) => needed.includes(name)) === true) continue
    for (const name of needed) if (had?.includes(name) !== true) grown.get(name)?.push(tool.name)
  }
  return [...grown].flatMap(([name, more]) => {
    const subject: ChangedPart = { kind: 'scope', name, route: null }
    return more.length === 0 ? [] : [tell('scopeGrown', subject, { path: 'tools', after: more.sort() })]
  })
}

interface Kind {
  readonly kind: ChangedPart['kind']
  readonly part: 'toolboxes' | 'prompts' | 'resources' | 'scopes'
  readonly gone: RuleName
  readonly read: (block: string) => unknown
  readonly rules: FieldRules
  /** What is said of an argument in other words. */
  readonly argumentText?: RuleName
}

const offerRules: FieldRules = new Map([
  ...all(null, 'name digest arguments scopes unless'),
  ...all('resourceAddress', 'uri mimeType'),
  ...all('otherRoute', 'verb path'),
  ...all('harmless', 'icon'),
  ...tagRules,
])

const kinds: readonly Kind[] = [
  {
    ...{ kind: 'toolbox', part: 'toolboxes', gone: 'toolboxGone' },
    read: (block) => withoutCounts(recordOf(parseForeign(block))),
    rules: new Map([
      ...all(null, 'name controller digest tokens'),
      ...all('toolboxText', 'instructions description skill when title'),
      ...all('harmless', 'icon'),
    ]),
  },
  {
    ...{ kind: 'prompt', part: 'prompts', gone: 'promptGone', argumentText: 'promptText' },
    read: itemOf,
    rules: new Map([...offerRules, ...all('promptText', 'title description')]),
  },
  {
    ...{ kind: 'resource', part: 'resources', gone: 'resourceAddress', argumentText: 'resourceText' },
    read: itemOf,
    rules: new Map([...offerRules, ...all('resourceText', 'title description')]),
  },
  {
    ...{ kind: 'scope', part: 'scopes', gone: 'scopeGone' },
    read: fieldUnder,
    rules: new Map<string, RuleName | null | ((from: unknown, to: unknown) => RuleName)>([
      ...all(null, 'digest'),
      ['text', 'askedText'],
      ['implies', (from, to) => (lost(to, from).length === 0 ? 'scopeAdded' : 'scopeGrown')],
      ['sensitive', (_from, to) => (to === undefined ? 'accessEased' : 'scopeAdded')],
      ['mayHave', (_from, to) => (to === undefined ? 'accessEased' : 'scopeAdded')],
    ]),
  },
]

/** What a skill costs is counted. */
function withoutCounts({ skill, ...fields }: FieldValues): FieldValues {
  const { tokens: _tokens, digest: _digest, ...said } = recordOf(skill)
  return skill === undefined ? fields : { ...fields, skill: said }
}

function offered(before: Offers, after: Offers, shown: Kind): readonly ContractChange[] {
  const { kind, part, gone, read, rules, argumentText } = shown
  // people are asked for scopes, whichever client calls
  const tell = kind === 'scope' ? noticedBy('HTTP', 'tools') : noticedBy('tools')
  return pairsIn(before[part], after[part]).flatMap(([name, old, current]) => {
    const subject: ChangedPart = { kind, name, route: null }
    if (current === undefined) return [tell(gone, subject)]
    if (old === undefined) return [tell('offerNew', subject)]
    if (old === current) return []
    const [from, to] = [recordOf(read(old)), recordOf(read(current))]
    const own = fieldFindings(from, to, { subject, tell, rules })
    if (argumentText === undefined) return own
    return [
      ...argumentFindings(from.arguments, to.arguments, { subject, text: argumentText }),
      ...scopesFindings(from, to, { subject, tell }),
      ...own,
    ]
  })
}

function argumentFindings(
  before: unknown,
  after: unknown,
  { subject, text }: { readonly subject: ChangedPart; readonly text: RuleName },
): readonly ContractChange[] {
  return fieldPairs(before, after).flatMap(([path, old, current]) => {
    if (current === undefined) return [tell('promptArgument', subject, { path, before: path })]
    const [from, to] = [recordOf(old), recordOf(current)]
    const isNeeded = to.required === true && from.required !== true
    if (old === undefined)
      return [tell(isNeeded ? 'promptArgument' : 'inputNew', subject, { path, after: path })]
    const { description: oldText, ...oldRest } = from
    const { description, ...rest } = to
    const isBound =
      to.values !== undefined && (from.values === undefined || lost(from.values, to.values).length > 0)
    const rule = isNeeded || isBound ? 'promptArgument' : isSame(oldRest, rest) ? null : 'harmless'
    return [
      ...(rule === null ? [] : [tell(rule, subject, { path, before: old, after: current })]),
      ...(oldText === description
        ? []
        : [tell(text, subject, { path, before: oldText, after: description })]),
    ]
  })
}
