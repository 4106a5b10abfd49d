/** What a schema's change means: for what is sent to a server the new one must let everything through that the old one did,
 *  for what it answers the old one everything that the new one does. Every part of both is looked at once for each pair of
 *  definitions, and no more than `mostSteps` parts in all: what is left is told as not compared. */
import {
  type Alternative,
  type Definitions,
  isAnnotation,
  isImpossible,
  schemaAlternatives,
  TooLarge,
} from './alternatives.ts'
import { letsThrough, stoppedBy } from './bounds.ts'
import { canonical, isSame, isSchemaObject, itemsOf, recordOf, textItems } from './json.ts'

/** Who writes values of the schema: the caller, or the server. */
export type Direction = 'input' | 'output'

/** `type`: no alternative of that JSON type is left. `value`: one of a list. `bound`: a keyword is narrower. `required`: a
 *  property must be there. `gone`, `added`: a property. `closed`: no further properties. `unknown`: nobody can say.
 *  `default`, `secret`, `untrusted`, `text`: what is said beside it. */
export type DifferenceKind =
  | 'type'
  | 'value'
  | 'bound'
  | 'required'
  | 'gone'
  | 'added'
  | 'closed'
  | 'unknown'
  | 'default'
  | 'secret'
  | 'untrusted'
  | 'text'

export interface SchemaDifference {
  readonly kind: DifferenceKind
  /** Whether whoever knew the old schema is served all the same. */
  readonly isCompatible: boolean
  /** The definition in which it stands; null = the schema itself. */
  readonly owner: string | null
  /** From the owner down: properties by name, `[]` for items, `[0]` for one of a tuple, `*` for further properties. */
  readonly path: readonly string[]
  readonly keyword: string
  readonly before: unknown
  readonly after: unknown
}

interface ComparisonOptions {
  /** An object may have any property that its schema does not name, as JSON Schema has it; otherwise only what is declared is
   *  sent. */
  readonly hasOpenObjects?: boolean
}

const mostSteps = 50_000
/** Of all schemas of a document. */
const mostStepsInAll = 1_000_000
/** As deep as somebody reads. */
const deepest = 100

/** Compares schemas of two documents; what it found of two definitions it knows again. */
export class SchemaComparison {
  readonly #before: Definitions
  readonly #after: Definitions
  readonly #hasOpenObjects: boolean
  readonly #pairs = new Map<string, readonly SchemaDifference[]>()
  #steps = 0
  #allSteps = 0

  constructor(before: Definitions, after: Definitions, { hasOpenObjects = false }: ComparisonOptions = {}) {
    this.#before = before
    this.#after = after
    this.#hasOpenObjects = hasOpenObjects
  }

  /** Everything that is another in `after`, each once. */
  compare(before: unknown, after: unknown, direction: Direction): readonly SchemaDifference[] {
    this.#steps = 0
    const found = [
      ...this.#node({ before, after, at: { owner: null, path: [] }, run: { direction, isReverse: false } }),
      ...this.#node({ before, after, at: { owner: null, path: [] }, run: { direction, isReverse: true } }),
    ]
    return withoutRepeats(found)
  }

  #node(node: Node): readonly SchemaDifference[] {
    const { before, after, at, run } = node
    const names = [this.#nameOf(before, this.#before), this.#nameOf(after, this.#after)] as const
    const beside = run.isReverse ? [] : besides(before, after, at)
    const [from, to] = names
    if (from === null || to === null) return [...beside, ...this.#inside(node)]
    const references = [recordOf(before).$ref, recordOf(after).$ref]
    const key = `${run.direction} ${run.isReverse} ${references.join(' ')}`
    const known = this.#pairs.get(key)
    if (known !== undefined) return [...beside, ...known]
    this.#pairs.set(key, []) // of itself it says nothing
    const inner = { before: from.schema, after: to.schema, at: { owner: to.name, path: [] }, run }
    const texts = run.isReverse ? [] : besides(from.schema, to.schema, inner.at)
    // what several of its properties lead to is one thing: without that the list doubles with each level
    const found = [...new Set([...texts, ...this.#inside(inner)])]
    this.#pairs.set(key, found)
    return [...beside, ...found]
  }

  /** Of a reference alone, with what is said beside it. */
  #nameOf(schema: unknown, definitions: Definitions): ReturnType<Definitions> {
    const { $ref, ...rest } = recordOf(schema)
    if (typeof $ref !== 'string' || !Object.keys(rest).every(isAnnotation)) return null
    return definitions($ref)
  }

  #inside(node: Node): readonly SchemaDifference[] {
    const { before, after, at } = node
    this.#steps += 1
    this.#allSteps += 1
    const isTooMuch = this.#steps > mostSteps || this.#allSteps > mostStepsInAll
    if (isTooMuch || at.path.length > deepest) return this.#uncompared(node)
    try {
      const [from, to] = [schemaAlternatives(before, this.#before), schemaAlternatives(after, this.#after)]
      return this.#alternatives(from, to, node)
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error
      return this.#uncompared(node)
    }
  }

  /** Nothing is said where both say the same, also what they refer to. */
  #uncompared(node: Node): readonly SchemaDifference[] {
    const { before, after, run } = node
    if (run.isReverse || (isSame(before, after) && this.#refersToSame(before))) return []
    return [plain('unknown', node, { keyword: 'schema', before, after })]
  }

  #refersToSame(schema: unknown): boolean {
    const names = new Set(referencesIn(schema))
    for (const name of names) {
      const [from, to] = [this.#before(name), this.#after(name)]
      if (!isSame(from?.schema, to?.schema)) return false
      for (const next of referencesIn(from?.schema)) names.add(next) // it grows as it is walked
    }
    return true
  }

  #alternatives(
    before: readonly Alternative[],
    after: readonly Alternative[],
    node: Node,
  ): readonly SchemaDifference[] {
    const isForwards = isForward(node.run)
    const [subs, sups] = isForwards ? [before, after] : [after, before]
    return subs.flatMap((sub) => {
      const found = this.#among(sub, { subs, sups }, node)
      const isNothing = (): boolean => isImpossible(sub, isForwards ? this.#before : this.#after)
      return found.some(isStopping) && isNothing() ? found.filter((one) => !isStopping(one)) : found
    })
  }

  #among(sub: Alternative, { subs, sups }: Unions, node: Node): readonly SchemaDifference[] {
    const candidates = sups.filter(({ type }) => type === sub.type)
    if (candidates.length === 0)
      return [differenceOf('type', node, { keyword: sub.type, value: shownOf(sub) })]
    if (sub.values !== null) return missingValues(sub, candidates, node)
    return this.#nearest(sub, { subs, sups: candidates }, node)
  }

  /** What stands between `sub` and the alternative that is nearest to it. */
  #nearest(sub: Alternative, { subs, sups }: Unions, node: Node): readonly SchemaDifference[] {
    const likely = [...sups].sort((a, b) => likeness(sub, b) - likeness(sub, a))
    let best: readonly SchemaDifference[] | null = null
    for (const sup of likely) {
      // a member that is beside the one it is most like is new: its other texts are no change
      const isNew =
        sup.reference !== sub.reference && subs.some(({ reference }) => reference === sup.reference)
      const all = this.#pair(sub, sup, node)
      const found = isNew && sup.reference !== null ? all.filter(isStopping) : all
      const stopping = found.filter(isStopping)
      if (stopping.length === 0) return found
      if (best === null || stopping.length < best.filter(isStopping).length) best = found
    }
    return best ?? []
  }

  #pair(sub: Alternative, sup: Alternative, node: Node): readonly SchemaDifference[] {
    if (sub.reference === null || sup.reference === null) return this.#keywords(sub, sup, node)
    const [own, wanted] = [{ $ref: sub.reference }, { $ref: sup.reference }]
    const [before, after] = isForward(node.run) ? [own, wanted] : [wanted, own]
    return this.#node({ ...node, before, after })
  }

  #keywords(sub: Alternative, sup: Alternative, node: Node): readonly SchemaDifference[] {
    const values = sup.values === null ? [] : [differenceOf('bound', node, pairOf('enum', sub, sup))]
    const stopped = stoppedBy(sub, sup).map(({ kind, keyword }) =>
      differenceOf(kind, node, pairOf(keyword, sub, sup)),
    )
    const parts = sub.type === 'object' ? this.#properties(sub, sup, node) : this.#items(sub, sup, node)
    return [...values, ...stopped, ...parts]
  }

  #properties(
    { keywords: sub }: Alternative,
    { keywords: sup }: Alternative,
    node: Node,
  ): readonly SchemaDifference[] {
    const [own, wanted] = [recordOf(sub.properties), recordOf(sup.properties)]
    const [has, needs] = [textItems(sub.required), textItems(sup.required)]
    const names = [...new Set([...Object.keys(own), ...Object.keys(wanted)])]
    const found = names.flatMap((name) => {
      const isOwn = Object.hasOwn(own, name)
      if (isOwn && Object.hasOwn(wanted, name)) return this.#both(own[name], wanted[name], node, name)
      return isOwn
        ? this.#only(name, own[name], sup, node)
        : this.#other(name, wanted[name], { sub, needs }, node)
    })
    const isTold = (name: string): boolean =>
      !this.#hasOpenObjects && isToldOtherwise(name, own, wanted, node)
    const required = needs.filter((name) => !has.includes(name) && !isTold(name))
    return [
      ...found,
      ...required.map((name) =>
        differenceOf('required', below(node, name), { keyword: 'required', value: name }),
      ),
      ...this.#further(sub, sup, node),
    ]
  }

  #both(sub: unknown, sup: unknown, node: Node, step: string): readonly SchemaDifference[] {
    const [before, after] = isForward(node.run) ? [sub, sup] : [sup, sub]
    return this.#node({ ...below(node, step), before, after })
  }

  /** A property that `sup` does not name. */
  #only(
    name: string,
    schema: unknown,
    sup: Alternative['keywords'],
    node: Node,
  ): readonly SchemaDifference[] {
    if (schemaAlternatives(schema, isForward(node.run) ? this.#before : this.#after).length === 0) return []
    const inner = below(node, name)
    const isNew = !isForward(node.run)
    const told = node.run.isReverse
      ? []
      : [
          isNew
            ? {
                ...plain('added', inner, { keyword: 'properties', before: undefined, after: schema }),
                isCompatible: true,
              }
            : plain('gone', inner, { keyword: 'properties', before: schema, after: undefined }),
        ]
    const { additionalProperties: further } = sup
    // whether a name matches is not asked: patterns are foreign
    if (isSchemaObject(sup.patternProperties))
      return [plain('unknown', inner, { keyword: 'patternProperties', before: schema, after: undefined })]
    if (further === false && this.#hasOpenObjects)
      return [differenceOf('closed', inner, { keyword: 'additionalProperties', value: name })]
    if (!isSchemaObject(further)) return told
    return [...told.filter(({ kind }) => kind !== 'gone'), ...this.#both(schema, further, node, name)]
  }

  /** A property that `sub` does not name. */
  #other(
    name: string,
    schema: unknown,
    { sub, needs }: { readonly sub: Alternative['keywords']; readonly needs: readonly string[] },
    node: Node,
  ): readonly SchemaDifference[] {
    const inner = below(node, name)
    const told = node.run.isReverse
      ? []
      : isForward(node.run)
        ? needs.includes(name)
          ? []
          : [
              {
                ...plain('added', inner, { keyword: 'properties', before: undefined, after: schema }),
                isCompatible: true,
              },
            ]
        : [plain('gone', inner, { keyword: 'properties', before: schema, after: undefined })]
    const { additionalProperties: further } = sub
    const isDeclared = isSchemaObject(further) && Object.keys(further).length > 0
    if (!isDeclared && (!this.#hasOpenObjects || further === false)) return told
    return [...told, ...this.#both(further, schema, node, name)]
  }

  #further(
    sub: Alternative['keywords'],
    sup: Alternative['keywords'],
    node: Node,
  ): readonly SchemaDifference[] {
    const [own, wanted] = [recordOf(sub.patternProperties), recordOf(sup.patternProperties)]
    const named = Object.keys(wanted).flatMap((pattern) =>
      Object.hasOwn(own, pattern)
        ? this.#both(own[pattern], wanted[pattern], node, `/${pattern}/`)
        : [differenceOf('unknown', node, { keyword: 'patternProperties', value: pattern })],
    )
    const { additionalProperties: from } = sub
    const { additionalProperties: to } = sup
    if (to === undefined || to === true || from === false) return named
    if (to === false)
      return [...named, differenceOf('closed', node, { keyword: 'additionalProperties', value: from })]
    if (isSchemaObject(from)) return [...named, ...this.#both(from, to, node, '*')]
    const isOpen = this.#hasOpenObjects || from === true
    return isOpen ? [...named, ...this.#both({}, to, node, '*')] : named
  }

  #items(
    { keywords: sub }: Alternative,
    { keywords: sup }: Alternative,
    node: Node,
  ): readonly SchemaDifference[] {
    const [own, wanted] = [itemsOf(sub.prefixItems), itemsOf(sup.prefixItems)]
    const most = Number(sub.maxItems ?? Number.POSITIVE_INFINITY)
    const places = Math.max(0, Math.floor(Math.min(Math.max(own.length, wanted.length), most)) || 0)
    const found = [...Array(places).keys()].flatMap((place) =>
      this.#both(own[place] ?? sub.items ?? {}, wanted[place] ?? sup.items ?? {}, node, `[${place}]`),
    )
    if (most <= places || (sub.items === undefined && sup.items === undefined)) return found
    return [...found, ...this.#both(sub.items ?? {}, sup.items ?? {}, node, '[]')]
  }
}

interface Run {
  readonly direction: Direction
  /** What the old one did not let through: it makes nothing worse. */
  readonly isReverse: boolean
}

interface Place {
  readonly owner: string | null
  readonly path: readonly string[]
}

interface Node {
  readonly before: unknown
  readonly after: unknown
  readonly at: Place
  readonly run: Run
}

interface Unions {
  readonly subs: readonly Alternative[]
  readonly sups: readonly Alternative[]
}

/** Whether everything of the old one must be let through by the new one. */
const isForward = ({ direction, isReverse }: Run): boolean => (direction === 'input') !== isReverse

const below = (node: Node, step: string): Node => ({
  ...node,
  at: { owner: node.at.owner, path: [...node.at.path, step] },
})

interface Pair {
  readonly keyword: string
  readonly before: unknown
  readonly after: unknown
}

type Told = Pair | { readonly keyword: string; readonly value: unknown }

/** `value` is what one of both has: the old one, where all of it must be let through. */
function differenceOf(kind: DifferenceKind, node: Node, told: Told): SchemaDifference {
  const pair =
    'value' in told
      ? isForward(node.run) === (kind !== 'required')
        ? { keyword: told.keyword, before: told.value, after: undefined }
        : { keyword: told.keyword, before: undefined, after: told.value }
      : isForward(node.run)
        ? told
        : { ...told, before: told.after, after: told.before }
  return plain(kind, node, pair)
}

const plain = (
  kind: DifferenceKind,
  { at, run }: Node,
  { keyword, before, after }: Pair,
): SchemaDifference => ({
  ...at,
  kind,
  isCompatible: run.isReverse,
  keyword,
  before,
  after,
})

const pairOf = (keyword: string, sub: Alternative, sup: Alternative): Pair => ({
  keyword,
  before: keyword === 'enum' ? sub.values : sub.keywords[keyword],
  after: keyword === 'enum' ? sup.values : sup.keywords[keyword],
})

const shownOf = ({ type, reference, values }: Alternative): unknown =>
  reference ?? (values !== null && type !== 'boolean' && type !== 'null' ? values : type)

function missingValues(
  sub: Alternative,
  candidates: readonly Alternative[],
  node: Node,
): readonly SchemaDifference[] {
  return (sub.values ?? []).flatMap((value) => {
    const answers = candidates.map((one) => letsThrough(one, value, sub))
    if (answers.includes(true)) return []
    return [differenceOf(answers.includes(null) ? 'unknown' : 'value', node, { keyword: 'enum', value })]
  })
}

/** Those with the same name, or the same value of a property that tells them apart, come first. */
function likeness(a: Alternative, b: Alternative): number {
  if (a.reference !== null && a.reference === b.reference) return 1000
  const [own, other] = [recordOf(a.keywords.properties), recordOf(b.keywords.properties)]
  const shared = Object.keys(own).filter((name) => Object.hasOwn(other, name))
  const told = shared.filter((name) => isTelling(own[name]) && isSame(own[name], other[name]))
  return shared.length + 100 * told.length
}

const isTelling = (schema: unknown): boolean => 'const' in recordOf(schema) || 'enum' in recordOf(schema)

const isStopping = ({ kind }: SchemaDifference): boolean => !beside.has(kind) && kind !== 'added'

const beside: ReadonlySet<string> = new Set(['default', 'secret', 'untrusted', 'text'])

/** That a property of an answer is gone, or new, says whether it is required. */
const isToldOtherwise = (
  name: string,
  own: Readonly<Record<string, unknown>>,
  wanted: Readonly<Record<string, unknown>>,
  { run }: Node,
): boolean => {
  if (run.direction === 'output') return Object.hasOwn(wanted, name) && !Object.hasOwn(own, name)
  return run.isReverse && Object.hasOwn(wanted, name) && !Object.hasOwn(own, name)
}

/** What is said of a value beside which values there are. */
function besides(before: unknown, after: unknown, at: Place): readonly SchemaDifference[] {
  const [from, to] = [recordOf(before), recordOf(after)]
  const rows = [
    ['default', 'default'],
    ['secret', 'x-acmcp-secret'],
    ['untrusted', 'x-acmcp-untrusted'],
    ['text', 'description'],
    ['text', 'title'],
  ] as const
  return rows.flatMap(([kind, keyword]) => {
    if (isSame(from[keyword], to[keyword])) return []
    const isCompatible =
      kind === 'text' || ((kind === 'secret' || kind === 'untrusted') && to[keyword] === true)
    return [{ ...at, kind, keyword, isCompatible, before: from[keyword], after: to[keyword] }]
  })
}

const referencesIn = (schema: unknown): readonly string[] =>
  [...(canonical(schema) ?? '').matchAll(/"\$ref":("(?:[^"\\]|\\.)*")/g)].map(([, name = '""']) =>
    JSON.parse(name),
  )

/** What neither direction can say is said once. */
function withoutRepeats(found: readonly SchemaDifference[]): readonly SchemaDifference[] {
  const known = new Map<string, SchemaDifference>()
  for (const difference of found) {
    const { kind, owner, path, keyword, before, after } = difference
    const value = kind === 'value' || kind === 'type' ? canonical([before, after]) : ''
    const key = canonical([
      kind === 'required' && difference.isCompatible ? 'optional' : kind,
      owner,
      path,
      keyword,
      value,
    ])
    if (!known.has(key)) known.set(key, difference)
  }
  const certain = [...known.values()]
  const unsure = new Set(
    certain.filter(({ kind, isCompatible }) => kind === 'unknown' && !isCompatible).map(placeKey),
  )
  return certain.filter((one) => one.kind !== 'unknown' || !one.isCompatible || !unsure.has(placeKey(one)))
}

const placeKey = ({ owner, path, keyword }: SchemaDifference): string => canonical([owner, path, keyword])
