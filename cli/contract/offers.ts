/** What changed between two `mcp.yml`: tools, toolboxes, prompts, resources and scopes, as models, users and reviewers read them.
 *  A tool whose text is as it was is not parsed, unless it uses a type that is another. */
import { type Blocks, below, blocksIn, changedBlocks, fieldUnder, itemOf, itemsIn } from './blocks.ts'
import { findingOf, written } from './differences.ts'
import { type ChangedPart, type ContractChange, noticedBy, type Tell } from './findings.ts'
import { tagFinding, withoutNames } from './openapi.ts'
import { type InlineTypes, schemaOfReviewed, typeNamesIn } from './reviewed.ts'
import type { RuleName } from './rules.ts'
import { type Definitions, remembered } from './schemas/alternatives.ts'
import { SchemaComparison } from './schemas/compare.ts'
import { isSame, itemsOf, ownIn, recordOf, textItems } from './schemas/json.ts'
import { located } from './schemas/locate.ts'

/** The parts of the file by name, as text. */
interface Offers {
  readonly tools: ReadonlyMap<string, ToolText>
  readonly toolboxes: Blocks
  readonly types: Blocks
  readonly prompts: Blocks
  readonly resources: Blocks
  readonly scopes: Blocks
}

interface ToolText {
  readonly toolbox: string
  readonly text: string
}

/** Everything that differs, each thing for tools. */
export function compareOffers(before: string, after: string): readonly ContractChange[] {
  const [from, to] = [offersOf(before), offersOf(after)]
  return new Run(from, to).findings()
}

function offersOf(text: string): Offers {
  const top = blocksIn(text, 0)
  const listed = (key: string): Blocks => byName(itemsIn(below(top.get(key) ?? ''), 2))
  const boxes = listed('toolboxes')
  const parts = [...boxes].map(([name, block]) => [name, blocksIn(block, 4)] as const)
  const tools = parts.flatMap(([toolbox, fields]) =>
    [...byName(itemsIn(below(fields.get('tools') ?? ''), 6))].map(
      ([name, tool]) => [name, { toolbox, text: tool }] as const,
    ),
  )
  const own = parts.flatMap(([, fields]) => [...blocksIn(below(fields.get('types') ?? ''), 6)])
  return {
    tools: new Map(tools),
    toolboxes: new Map(parts.map(([name, fields]) => [name, withoutParts(boxes.get(name) ?? '', fields)])),
    types: new Map([...own, ...blocksIn(below(top.get('types') ?? ''), 2)]),
    prompts: listed('prompts'),
    resources: listed('resources'),
    scopes: blocksIn(below(top.get('scopes') ?? ''), 2),
  }
}

const byName = (items: readonly string[]): Blocks =>
  new Map(items.map((item) => [String(nameIn(item)), item]))

/** The first line of an item says its name. */
function nameIn(item: string): unknown {
  const [line = ''] = item.split('\n', 1)
  const plain = /^ *- name: ([A-Za-z_][\w.-]*)$/.exec(line)?.[1]
  if (plain !== undefined && !/^(?:true|false|null)$/i.test(plain)) return plain
  return /^\s*- name:/.test(line) ? recordOf(itemOf(line)).name : recordOf(itemOf(item)).name
}

/** A toolbox without its tools and types. */
function withoutParts(block: string, fields: Blocks): string {
  return ['tools', 'types'].reduce((text, name) => text.replace(fields.get(name) ?? '', () => ''), block)
}

/** A field of a tool that names properties of its answer. */
interface Marks {
  readonly name: 'untrusted' | 'leavesOut'
  readonly from: Fields
  readonly to: Fields
}

/** What is more is not named. Source: cli/compiler/schema/marks.ts. */
const mostPaths = 100

const finding: Tell = noticedBy('tools')

type Fields = Readonly<Record<string, unknown>>

/** Counted, or made of the rest. */
const derived = new Set([
  'digest',
  'tokens',
  'fingerprint',
  'answerFingerprint',
  'name',
  'tools',
  'types',
  'controller',
])

class Run {
  readonly #before: Offers
  readonly #after: Offers
  readonly #changed: ReadonlySet<string>
  readonly #definitions: Definitions
  readonly #schemas: SchemaComparison
  readonly #inline: readonly [before: InlineTypes, after: InlineTypes] = [new Map(), new Map()]

  constructor(before: Offers, after: Offers) {
    this.#before = before
    this.#after = after
    this.#changed = changedBlocks(before.types, after.types, typeNamesIn)
    this.#definitions = definitionsOf(after.types, this.#inline[1])
    this.#schemas = new SchemaComparison(definitionsOf(before.types, this.#inline[0]), this.#definitions)
  }

  findings(): readonly ContractChange[] {
    const [from, to] = [this.#before, this.#after]
    const renamed = this.#renamed()
    return [
      ...this.#tools(renamed),
      ...this.#grownScopes(renamed),
      ...offered(from.toolboxes, to.toolboxes, {
        kind: 'toolbox',
        gone: 'toolboxGone',
        compare: toolboxFindings,
      }),
      ...offered(from.prompts, to.prompts, { kind: 'prompt', gone: 'promptGone', compare: promptFindings }),
      ...offered(from.resources, to.resources, {
        kind: 'resource',
        gone: 'resourceAddress',
        compare: resourceFindings,
      }),
      ...offered(from.scopes, to.scopes, { kind: 'scope', gone: 'scopeGone', compare: scopeFindings }),
    ]
  }

  /** By the new name, the tools that run a route which another name ran. */
  #renamed(): ReadonlyMap<string, string> {
    const [from, to] = [this.#before.tools, this.#after.tools]
    const routes = new Map(
      [...without(to, from)].map(([name, { text }]) => [withoutNames(routeOf(fieldsOfTool(text))), name]),
    )
    const pairs = [...without(from, to)].flatMap(([name, { text }]) => {
      const other = routes.get(withoutNames(routeOf(fieldsOfTool(text))))
      return other === undefined ? [] : [[other, name] as const]
    })
    return new Map(pairs)
  }

  #tools(renamed: ReadonlyMap<string, string>): readonly ContractChange[] {
    const [from, to] = [this.#before.tools, this.#after.tools]
    const known = new Set(renamed.values())
    const removed = [...without(from, to)].filter(([name]) => !known.has(name))
    return [
      ...removed.map(([name, { text }]) => finding('toolGone', toolSubject(name, fieldsOfTool(text)))),
      ...[...to].flatMap(([name, tool]) => {
        const old = renamed.get(name) ?? name
        const other = from.get(old)
        if (other === undefined) return this.#newTool(name, fieldsOfTool(tool.text))
        if (old === name) return this.#isSame(other.text, tool.text) ? [] : this.#tool(name, other, tool)
        const told = { path: 'name', before: old, after: name }
        const subject = toolSubject(old, fieldsOfTool(other.text))
        return [finding('toolRenamed', subject, told), ...this.#tool(name, other, tool)]
      }),
    ]
  }

  #newTool(name: string, fields: Fields): readonly ContractChange[] {
    const subject = toolSubject(name, fields)
    return [
      finding('toolNew', subject),
      ...(fields.root === true ? [finding('toolAtRoot', subject, { path: 'root' })] : []),
    ]
  }

  #isSame(before: string, after: string): boolean {
    return before === after && !typeNamesIn(after).some((name) => this.#changed.has(name))
  }

  #tool(name: string, before: ToolText, after: ToolText): readonly ContractChange[] {
    const [from, to] = [fieldsOfTool(before.text), fieldsOfTool(after.text)]
    const subject = toolSubject(name, to)
    const names = [...new Set([...Object.keys(from), ...Object.keys(to)])]
    return [
      ...(before.toolbox === after.toolbox
        ? []
        : [finding('harmless', subject, { path: 'toolbox', before: before.toolbox, after: after.toolbox })]),
      ...(withoutNames(routeOf(from)) === withoutNames(routeOf(to))
        ? []
        : [finding('otherRoute', subject, { before: routeOf(from), after: routeOf(to) })]),
      ...this.#schema(inputOf(from), inputOf(to), subject, 'input'),
      ...this.#schema(from.result ?? {}, to.result ?? {}, subject, 'output'),
      ...scopesFindings(from, to, subject),
      ...this.#lost('untrustedGone', { name: 'untrusted', from, to }, subject),
      ...this.#lost('secretGone', { name: 'leavesOut', from, to }, subject),
      ...names.flatMap((field) => toolFieldFindings(field, ownIn(from, field), ownIn(to, field), subject)),
    ]
  }

  #schema(
    before: unknown,
    after: unknown,
    subject: ChangedPart,
    direction: 'input' | 'output',
  ): readonly ContractChange[] {
    const [from, to] = [schemaOfReviewed(before, this.#inline[0]), schemaOfReviewed(after, this.#inline[1])]
    const found = this.#schemas.compare(from, to, direction)
    return found.map((difference) =>
      findingOf(difference, { subject, direction, path: [], audience: 'tools' }),
    )
  }

  /** One for each path that is no longer named, and still leads to something: at the type in which the property stands, as
   *  the other document has it. */
  #lost(rule: RuleName, { name, from, to }: Marks, subject: ChangedPart): readonly ContractChange[] {
    const [old, current] = [textItems(from[name]), textItems(to[name])]
    if (isSame(old, current) || (name === 'untrusted' && current.length >= mostPaths)) return []
    const tag = name === 'leavesOut' ? 'secret' : name
    const lost = old.filter((path) => !current.includes(path))
    const result = schemaOfReviewed(to.result ?? {}, this.#inline[1])
    const found = lost.flatMap((path) => {
      const at = located(result, path, this.#definitions)
      if (at === null) return []
      const told = { path: written(at.path), tag, before: path }
      if (at.owner === null) return [finding(rule, subject, told)]
      const owner: ChangedPart = { kind: 'type', name: at.owner, route: null }
      return [{ ...finding(rule, owner, told), usedBy: [subject.name] }]
    })
    if (lost.length > 0) return found
    return [finding('harmless', subject, { path: tag, tag, before: from[name], after: to[name] })]
  }

  /** The tools that a scope lets be called which it did not, of those scopes that people allowed before. */
  #grownScopes(renamed: ReadonlyMap<string, string>): readonly ContractChange[] {
    const [old, current] = [neededScopes(this.#before), neededScopes(this.#after)]
    const grown = new Map([...this.#before.scopes.keys()].map((name) => [name, [] as string[]]))
    for (const [tool, needed] of current) {
      const had = old.get(renamed.get(tool) ?? tool)
      // who has them could call it before
      if (had?.every((name) => needed.includes(name)) === true) continue
      for (const name of needed) if (had?.includes(name) !== true) grown.get(name)?.push(tool)
    }
    return [...grown].flatMap(([name, more]) => {
      const subject: ChangedPart = { kind: 'scope', name, route: null }
      return more.length === 0 ? [] : [finding('scopeGrown', subject, { path: 'tools', after: more.sort() })]
    })
  }
}

/** The line is short, and stands in nearly every tool: no tool is parsed for it. */
function neededScopes({ tools }: Offers): ReadonlyMap<string, readonly string[]> {
  const known = new Map<string, readonly string[]>()
  return new Map(
    [...tools].map(([tool, { text }]) => {
      const block = /^ {8}scopes:[^\n]*(?:\n {9,}[^\n]*)*/m.exec(text)?.[0] ?? 'scopes:'
      const scopes = known.get(block) ?? textItems(fieldUnder(block))
      known.set(block, scopes)
      return [tool, scopes]
    }),
  )
}

const without = <T>(all: ReadonlyMap<string, T>, others: ReadonlyMap<string, T>): ReadonlyMap<string, T> =>
  new Map([...all].filter(([name]) => !others.has(name)))

const fieldsOfTool = (text: string): Fields => recordOf(itemOf(text))

export const routeOf = ({ verb, path }: { readonly verb?: unknown; readonly path?: unknown }): string =>
  `${verb} ${String(path)
    .replace(/\*?:(\w+)/g, '{$1}')
    .replace(/(.)\/$/, '$1')}`

const toolSubject = (name: string, fields: Fields): ChangedPart => ({
  kind: 'tool',
  name,
  route: routeOf(fields),
})

/** The arguments as one object; in files of older versions `schema` holds what a schema file says beside them. */
function inputOf({ params, schema }: Fields): Fields {
  const properties = Object.entries(recordOf(params)).map(([name, param]) => {
    const { in: _place, ...shown } = recordOf(param)
    return [name, shown] as const
  })
  return { properties: Object.fromEntries(properties), ...recordOf(schema) }
}

const definitionsOf = (types: Blocks, inline: InlineTypes): Definitions =>
  remembered((reference) => {
    const name = reference.replace('#/$defs/', '')
    const block = types.get(name)
    const schema = block === undefined ? inline.get(name) : schemaOfReviewed(contentOf(block), inline)
    return schema === undefined ? null : { name: name.replace(/\.answered$/, ''), schema }
  })

function contentOf(block: string): Fields {
  const { digest: _digest, tokens: _tokens, ...fields } = recordOf(fieldUnder(block))
  return fields
}

type Compare = (before: Fields, after: Fields, subject: ChangedPart) => readonly ContractChange[]

interface Offer {
  readonly kind: ChangedPart['kind']
  readonly gone: RuleName
  readonly compare: Compare
}

function offered(before: Blocks, after: Blocks, { kind, gone, compare }: Offer): readonly ContractChange[] {
  const subjectOf = (name: string): ChangedPart => ({ kind, name, route: null })
  const read = (block: string): Fields => recordOf(kind === 'scope' ? fieldUnder(block) : itemOf(block))
  const removed = [...before.keys()].filter((name) => !after.has(name))
  return [
    ...removed.map((name) => finding(gone, subjectOf(name))),
    ...[...after].flatMap(([name, block]) => {
      const other = before.get(name)
      if (other === undefined) return [finding('offerNew', subjectOf(name))]
      return other === block ? [] : compare(read(other), read(block), subjectOf(name))
    }),
  ]
}

/** The findings of each field that differs. */
function fieldFindings(
  before: Fields,
  after: Fields,
  subject: ChangedPart,
  ruleFor: (name: string, from: unknown, to: unknown) => RuleName,
): readonly ContractChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !derived.has(name),
  )
  return names.flatMap((name) => {
    const [from, to] = [ownIn(before, name), ownIn(after, name)]
    if (isSame(from, to)) return []
    return [finding(ruleFor(name, from, to), subject, { path: name, before: from, after: to })]
  })
}

const toolboxTexts = new Set(['instructions', 'description', 'skill', 'when', 'title'])

const toolboxFindings: Compare = (before, after, subject) =>
  fieldFindings(withoutCounts(before), withoutCounts(after), subject, (name) =>
    name === 'icon' ? 'harmless' : toolboxTexts.has(name) ? 'toolboxText' : 'unknown',
  )

/** What a skill costs is counted. */
function withoutCounts({ skill, ...fields }: Fields): Fields {
  const { tokens: _tokens, digest: _digest, ...said } = recordOf(skill)
  return skill === undefined ? fields : { ...fields, skill: said }
}

const promptFindings: Compare = (before, after, subject) =>
  offerFindings(before, after, { subject, text: 'promptText' })

const resourceFindings: Compare = (before, after, subject) =>
  offerFindings(before, after, { subject, text: 'resourceText' })

const addressed = new Set(['uri', 'mimeType'])

function offerFindings(
  { arguments: old, scopes: oldScopes, unless: oldUnless, ...before }: Fields,
  { arguments: current, scopes, unless, ...after }: Fields,
  { subject, text }: { readonly subject: ChangedPart; readonly text: RuleName },
): readonly ContractChange[] {
  return [
    ...argumentFindings(recordOf(old), recordOf(current), { subject, text }),
    ...scopesFindings({ scopes: oldScopes, unless: oldUnless }, { scopes, unless }, subject),
    ...fieldFindings(before, after, subject, (name, from, to) => {
      if (name === 'approval') return tagFinding(name, from, to)[0]?.rule ?? 'unknown'
      if (addressed.has(name)) return 'resourceAddress'
      if (name === 'verb' || name === 'path') return 'otherRoute'
      return name === 'title' || name === 'description' ? text : name === 'icon' ? 'harmless' : 'unknown'
    }),
  ]
}

function argumentFindings(
  before: Fields,
  after: Fields,
  { subject, text }: { readonly subject: ChangedPart; readonly text: RuleName },
): readonly ContractChange[] {
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name))
  return [
    ...gone.map((path) => finding('promptArgument', subject, { path, before: path })),
    ...Object.entries(after).flatMap(([path, argument]) => {
      const { required = false, values, description, ...rest } = recordOf(argument)
      if (!Object.hasOwn(before, path))
        return [finding(required === true ? 'promptArgument' : 'inputNew', subject, { path, after: path })]
      const other = recordOf(before[path])
      const { required: wasRequired = false, values: oldValues, description: oldText, ...oldRest } = other
      const lost = textItems(oldValues).filter(
        (value) => values !== undefined && !itemsOf(values).includes(value),
      )
      const isNarrower =
        (required === true && wasRequired !== true) ||
        lost.length > 0 ||
        (oldValues === undefined && values !== undefined)
      const isOther = !isSame([required, values, rest], [wasRequired, oldValues, oldRest])
      const told = { path, before: other, after: argument }
      return [
        ...(isNarrower
          ? [finding('promptArgument', subject, told)]
          : isOther
            ? [finding('harmless', subject, told)]
            : []),
        ...(oldText === description
          ? []
          : [finding(text, subject, { path, before: oldText, after: description })]),
      ]
    }),
  ]
}

const scopeFindings: Compare = (before, after, subject) =>
  fieldFindings(before, after, subject, (name, from, to) => {
    if (name === 'text') return 'askedText'
    if (name === 'implies')
      return textItems(to).every((scope) => textItems(from).includes(scope)) ? 'scopeAdded' : 'scopeGrown'
    if (name === 'sensitive' || name === 'mayHave') return to === undefined ? 'accessEased' : 'scopeAdded'
    return 'unknown'
  })

/** What a caller's token must grant, and who needs none. */
function scopesFindings(from: Fields, to: Fields, subject: ChangedPart): readonly ContractChange[] {
  if (isSame([from.scopes, from.unless], [to.scopes, to.unless])) return []
  const [needed, needs] = [textItems(from.scopes), textItems(to.scopes)]
  const [spared, spares] = [textItems(from.unless), textItems(to.unless)]
  const isHarder =
    needs.some((scope) => !needed.includes(scope)) ||
    (needs.length > 0 && needed.length > 0 && spared.some((who) => !spares.includes(who)))
  const isEasier =
    needed.some((scope) => !needs.includes(scope)) ||
    (needed.length > 0 && spares.some((who) => !spared.includes(who)))
  const told = { tag: 'scope', before: [from.scopes, from.unless], after: [to.scopes, to.unless] }
  return [
    ...(isHarder ? [finding('scopeAdded', subject, told)] : []),
    ...(isEasier ? [finding('accessEased', subject, told)] : []),
    ...(isHarder || isEasier ? [] : [finding('harmless', subject, told)]),
  ]
}

const handled = new Set([
  'untrusted',
  'leavesOut',
  'verb',
  'path',
  'params',
  'schema',
  'result',
  'scopes',
  'unless',
  'brief',
  ...derived,
])
const toolTexts = new Set(['title', 'description', 'summary', 'keywords', 'examples'])

/** A field of a tool that stands beside its schemas. */
function toolFieldFindings(
  name: string,
  before: unknown,
  after: unknown,
  subject: ChangedPart,
): readonly ContractChange[] {
  if (handled.has(name) || isSame(before, after)) return []
  const told = { path: name, before, after }
  if (toolTexts.has(name)) return [finding('toolText', subject, told)]
  if (name === 'icon' || name === 'shown' || name === 'repeatable')
    return [finding('harmless', subject, told)]
  if (name === 'paging')
    return [finding(hasAll(recordOf(before), recordOf(after)) ? 'harmless' : 'unknown', subject, told)]
  if (name === 'root') return [finding(after === true ? 'toolAtRoot' : 'harmless', subject, told)]
  if (name === 'hints')
    return [finding(isUnsafe(textItems(before), textItems(after)) ? 'hintUnsafe' : 'harmless', subject, told)]
  return tagFinding(name, before, after).map(({ rule, tag, path }) =>
    finding(rule, subject, { ...told, tag, path }),
  )
}

/** Whatever one says, the other says too. */
const hasAll = (one: Fields, other: Fields): boolean =>
  Object.keys(one).every((name) => isSame(one[name], ownIn(other, name)))

/** Clients ask before a tool that may destroy something, and after none that only reads. */
const isUnsafe = (before: readonly string[], after: readonly string[]): boolean =>
  ['readOnly', 'idempotent'].some((hint) => before.includes(hint) && !after.includes(hint)) ||
  ['destructive', 'openWorld'].some((hint) => after.includes(hint) && !before.includes(hint))
