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
import {
  canonical,
  type FieldValues,
  hasFields,
  isSame,
  itemsOf,
  ownIn,
  recordOf,
  textItems,
} from './json.ts'
import { letsThrough, stoppedBy } from './keywords.ts'

/** Who writes values of the schema: the caller, or the server. */
export type Direction = 'input' | 'output'

/** `type`: no alternative of that JSON type is left. `value`: one of a list. `bound`: a keyword is narrower. `required`: a
 *  property must be there. `gone`, `added`: a property. `closed`: no further properties. `unknown`: nobody can say. `renamed`:
 *  a component has another name, or none. `default`, `secret`, `untrusted`, `text`: what is said beside it. */
export type DifferenceKind =
  | ('type' | 'value' | 'bound' | 'required' | 'gone' | 'added' | 'closed' | 'unknown')
  | ('renamed' | 'default' | 'secret' | 'untrusted' | 'text')

export interface SchemaDifference extends Place {
  readonly kind: DifferenceKind
  /** Whether whoever knew the old schema is served all the same. */
  readonly isCompatible: boolean
  readonly before: unknown
  readonly after: unknown
}

interface Place {
  /** The definition in which it stands; null = the schema itself. */
  readonly owner: string | null
  /** From the owner down: properties by name, `[]` for items, `[0]` for one of a tuple, `*` for further properties. */
  readonly path: readonly string[]
  /** Whether it is a secret property, or inside of one. */
  readonly isSecret: boolean
}

interface Run {
  readonly direction: Direction
  /** What the old one did not let through: it makes nothing worse. */
  readonly isReverse: boolean
}

interface Node {
  readonly before: unknown
  readonly after: unknown
  readonly at: Place
  readonly run: Run
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

type Found = readonly SchemaDifference[]

/** Compares schemas of two documents; what it found of two definitions it knows again. */
export class SchemaComparison {
  readonly #before: Definitions
  readonly #after: Definitions
  readonly #hasOpenObjects: boolean
  readonly #pairs = new Map<string, Found>()
  #steps = 0
  #allSteps = 0

  constructor(before: Definitions, after: Definitions, { hasOpenObjects = false }: ComparisonOptions = {}) {
    this.#before = before
    this.#after = after
    this.#hasOpenObjects = hasOpenObjects
  }

  /** Everything that is another in `after`; one thing may be told for each way that leads to it. */
  compare(before: unknown, after: unknown, direction: Direction): Found {
    this.#steps = 0
    const at = { owner: null, path: [], isSecret: false }
    return [false, true].flatMap((isReverse) =>
      this.#node({ before, after, at, run: { direction, isReverse } }),
    )
  }

  #node(node: Node): Found {
    const { before, after, run } = node
    const inner = {
      ...node,
      at: { ...node.at, isSecret: node.at.isSecret || [before, after].some(isMarked) },
    }
    const beside = besides(node, inner.at)
    const [from, to] = [nameOf(before, this.#before), nameOf(after, this.#after)]
    if (from === null || to === null)
      return [...beside, ...(from === null ? [] : this.#unnamed(node)), ...this.#inside(inner)]
    const references = [recordOf(before).$ref, recordOf(after).$ref]
    const key = [run.direction, run.isReverse, inner.at.isSecret, ...references].join(' ')
    const known = this.#pairs.get(key)
    if (known !== undefined) return [...beside, ...known]
    this.#pairs.set(key, []) // of itself it says nothing
    const at = { owner: to.name, path: [], isSecret: inner.at.isSecret }
    const definitions = { before: from.schema, after: to.schema, at, run }
    // what several of its properties lead to is one thing: without that the list doubles with each level
    const found = [
      ...new Set([...besides(definitions, at), ...this.#renamed(node), ...this.#inside(definitions)]),
    ]
    this.#pairs.set(key, found)
    return [...beside, ...found]
  }

  /** A component that stands under another name in the place of one. */
  #renamed({ before, after, run }: Node): Found {
    const [from, to] = [before, after].map(componentOf)
    const [old, current] = [String(recordOf(before).$ref), String(recordOf(after).$ref)]
    if (run.isReverse || from == null || to == null || from === to) return []
    if (this.#after(old) !== null && this.#before(current) !== null) return []
    return [{ ...whole(to), kind: 'renamed', isCompatible: false, before: from, after: to }]
  }

  /** A component in whose place a schema without a name stands. */
  #unnamed({ before, after, run }: Node): Found {
    const from = componentOf(before)
    if (run.isReverse || from === null || recordOf(after).$ref !== undefined) return []
    if (this.#after(String(recordOf(before).$ref)) !== null) return []
    return [{ ...whole(from), kind: 'renamed', isCompatible: false, before: from, after: undefined }]
  }

  #inside(node: Node): Found {
    const { before, after, at } = node
    this.#steps += 1
    this.#allSteps += 1
    const isTooMuch = this.#steps > mostSteps || this.#allSteps > mostStepsInAll
    if (isTooMuch || at.path.length > deepest) return this.#uncompared(node)
    try {
      const from = schemaAlternatives(before, this.#before)
      const to = schemaAlternatives(after, this.#after)
      const [subs, sups] = turned(node.run, [from, to])
      return subs.flatMap((sub) => this.#among(sub, { subs, sups }, node))
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error
      return this.#uncompared(node)
    }
  }

  /** Nothing is said where both say the same, also what they refer to. */
  #uncompared(node: Node): Found {
    const { before, after, run } = node
    if (run.isReverse || (isSame(before, after) && this.#refersToSame(before))) return []
    return [differenceOf('unknown', node, turned(run, [before, after]))]
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

  #among(sub: Alternative, { subs, sups }: Unions, node: Node): Found {
    const candidates = sups.filter(({ type }) => type === sub.type)
    const found =
      candidates.length === 0
        ? [differenceOf('type', node, [shownOf(sub)])]
        : sub.values === null
          ? this.#nearest(sub, { subs, sups: candidates }, node)
          : missingValues(sub, candidates, node)
    const [definitions] = turned(node.run, [this.#before, this.#after])
    // what no value is, nobody misses
    const isNothing = found.some(isStopping) && isImpossible(sub, definitions)
    return isNothing ? found.filter((one) => !isStopping(one)) : found
  }

  /** What stands between `sub` and the alternative that is nearest to it. */
  #nearest(sub: Alternative, { subs, sups }: Unions, node: Node): Found {
    const likely = [...sups].sort((a, b) => likeness(sub, b) - likeness(sub, a))
    let best: Found | null = null
    for (const sup of likely) {
      // a member that is beside the one it is most like is new: its other texts are no change
      const isNew =
        sup.reference !== null &&
        sup.reference !== sub.reference &&
        subs.some(({ reference }) => reference === sup.reference)
      const all = this.#pair(sub, sup, node)
      const found = isNew ? all.filter(isStopping) : all
      const stopping = found.filter(isStopping)
      if (stopping.length === 0) return found
      if (best === null || stopping.length < best.filter(isStopping).length) best = found
    }
    return best ?? []
  }

  #pair(sub: Alternative, sup: Alternative, node: Node): Found {
    const schemaOf = ({ reference }: Alternative): FieldValues =>
      reference === null ? {} : { $ref: reference }
    const [before, after] = turned(node.run, [schemaOf(sub), schemaOf(sup)])
    const pair = { ...node, before, after }
    if (sub.reference !== null && sup.reference !== null) return this.#node(pair)
    return [...(before.$ref === undefined ? [] : this.#unnamed(pair)), ...this.#keywords(sub, sup, node)]
  }

  #keywords({ type, keywords: sub }: Alternative, { values, keywords: sup }: Alternative, node: Node): Found {
    const stopped = stoppedBy(sub, sup).map(({ kind, keyword }) =>
      differenceOf(kind, node, [sub[keyword], sup[keyword]]),
    )
    return [
      ...(values === null ? [] : [differenceOf('bound', node, [undefined, values])]),
      ...stopped,
      ...(type === 'object' ? this.#properties(sub, sup, node) : this.#items(sub, sup, node)),
    ]
  }

  #properties(sub: FieldValues, sup: FieldValues, node: Node): Found {
    const [own, wanted] = [recordOf(sub.properties), recordOf(sup.properties)]
    const names = [...new Set([...Object.keys(own), ...Object.keys(wanted)])]
    const found = names.flatMap((name) => {
      const [from, to] = [ownIn(own, name), ownIn(wanted, name)]
      const isInBoth = from !== undefined && to !== undefined
      return isInBoth ? this.#both(from, to, node, name) : this.#lone(name, { sub, sup }, node)
    })
    // that a property of an answer is gone, or new, says whether it is required
    const isTold = (name: string): boolean =>
      !this.#hasOpenObjects &&
      (node.run.direction === 'output' || node.run.isReverse) &&
      Object.hasOwn(wanted, name) &&
      !Object.hasOwn(own, name)
    const had = textItems(sub.required)
    const needed = textItems(sup.required).filter((name) => !had.includes(name) && !isTold(name))
    return [
      ...found,
      ...needed.map((name) => differenceOf('required', below(node, name), [undefined, name])),
      ...this.#further(sub, sup, node),
    ]
  }

  #both(sub: unknown, sup: unknown, node: Node, step: string): Found {
    const [before, after] = turned(node.run, [sub, sup])
    return this.#node({ ...below(node, step), before, after })
  }

  /** A property that one of both does not name: what that says of further ones must be what the other says of it. */
  #lone(name: string, { sub, sup }: Sides, node: Node): Found {
    const [from, to] = [sub, sup].map(({ properties }) => ownIn(recordOf(properties), name))
    const { additionalProperties: further } = from === undefined ? sub : sup
    const inner = below(node, name)
    const [definitions] = turned(node.run, [this.#before, this.#after])
    if (from !== undefined) {
      if (schemaAlternatives(from, definitions).length === 0) return []
      // whether a name matches is not asked: patterns are foreign
      if (hasFields(sup.patternProperties)) return [differenceOf('unknown', inner, [from])]
      if (further === false && this.#hasOpenObjects) return [differenceOf('closed', inner, [name])]
      if (!hasFields(further)) return this.#presence([from, to], inner)
      return [
        ...this.#presence([from, to], inner).filter(({ kind }) => kind === 'added'),
        ...this.#both(from, further, node, name),
      ]
    }
    const isNeeded = isForward(node.run) && textItems(sup.required).includes(name)
    const told = isNeeded ? [] : this.#presence([from, to], inner)
    const isDeclared = hasFields(further) && Object.keys(further).length > 0
    const isOpen = isDeclared || (this.#hasOpenObjects && further !== false)
    return isOpen ? [...told, ...this.#both(further, to, node, name)] : told
  }

  #presence(sides: readonly [unknown, unknown], node: Node): Found {
    const [before] = turned(node.run, sides)
    if (node.run.isReverse) return []
    const isNew = before === undefined
    return [{ ...differenceOf(isNew ? 'added' : 'gone', node, sides), isCompatible: isNew }]
  }

  #further(sub: FieldValues, sup: FieldValues, node: Node): Found {
    const own = recordOf(sub.patternProperties)
    const named = Object.entries(recordOf(sup.patternProperties)).flatMap(([pattern, schema]) =>
      Object.hasOwn(own, pattern)
        ? this.#both(own[pattern], schema, node, `/${pattern}/`)
        : [differenceOf('unknown', node, [undefined, pattern])],
    )
    const [from, to] = [sub.additionalProperties, sup.additionalProperties]
    if (to === undefined || to === true || from === false) return named
    if (to === false) return [...named, differenceOf('closed', node, [from])]
    const isOpen = this.#hasOpenObjects || from === true
    return isOpen || hasFields(from)
      ? [...named, ...this.#both(hasFields(from) ? from : {}, to, node, '*')]
      : named
  }

  #items(sub: FieldValues, sup: FieldValues, node: Node): Found {
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

interface Unions {
  readonly subs: readonly Alternative[]
  readonly sups: readonly Alternative[]
}

interface Sides {
  readonly sub: FieldValues
  readonly sup: FieldValues
}

/** Whether everything of the old one must be let through by the new one. */
const isForward = ({ direction, isReverse }: Run): boolean => (direction === 'input') !== isReverse

/** What is before and after, as what is let through and what lets through; and the other way round. */
const turned = <T>(run: Run, [one, other]: readonly [T, T]): readonly [T, T] =>
  isForward(run) ? [one, other] : [other, one]

const below = (node: Node, step: string): Node => ({
  ...node,
  at: { ...node.at, path: [...node.at.path, step] },
})

const whole = (owner: string): Place => ({ owner, path: [], isSecret: false })

/** Of a reference alone, with what is said beside it. */
function nameOf(schema: unknown, definitions: Definitions): ReturnType<Definitions> {
  const { $ref, ...rest } = recordOf(schema)
  return typeof $ref === 'string' && Object.keys(rest).every(isAnnotation) ? definitions($ref) : null
}

/** As generated clients call it. */
const componentOf = (schema: unknown): string | null =>
  /^#\/components\/schemas\/([^/]+)$/.exec(String(recordOf(schema).$ref))?.[1] ?? null

const isMarked = (schema: unknown): boolean => recordOf(schema)['x-acmcp-secret'] === true

const differenceOf = (
  kind: DifferenceKind,
  { at, run }: Node,
  [sub, sup]: readonly [unknown?, unknown?],
): SchemaDifference => {
  const [before, after] = turned(run, [sub, sup])
  return { ...at, kind, isCompatible: run.isReverse, before, after }
}

const shownOf = ({ type, reference, values }: Alternative): unknown =>
  reference ?? (values !== null && type !== 'boolean' && type !== 'null' ? values : type)

const missingValues = (sub: Alternative, candidates: readonly Alternative[], node: Node): Found =>
  (sub.values ?? []).flatMap((value) => {
    const answers = candidates.map(({ values, keywords }) =>
      values === null || values.some((one) => isSame(one, value))
        ? letsThrough(keywords, value, sub.keywords)
        : false,
    )
    if (answers.includes(true)) return []
    return [differenceOf(answers.includes(null) ? 'unknown' : 'value', node, [value])]
  })

/** Those with the same name, or the same value of a property that tells them apart, come first. */
function likeness(a: Alternative, b: Alternative): number {
  if (a.reference !== null && a.reference === b.reference) return 1000
  const [own, other] = [recordOf(a.keywords.properties), recordOf(b.keywords.properties)]
  const shared = Object.keys(own).filter((name) => Object.hasOwn(other, name))
  const told = shared.filter((name) => isTelling(own[name]) && isSame(own[name], other[name]))
  return shared.length + 100 * told.length
}

const isTelling = (schema: unknown): boolean => 'const' in recordOf(schema) || 'enum' in recordOf(schema)

const isStopping = ({ kind }: SchemaDifference): boolean => !harmless.has(kind)

const harmless: ReadonlySet<DifferenceKind> = new Set<DifferenceKind>([
  ...(['added', 'renamed', 'default', 'secret', 'untrusted', 'text'] as const),
])

const saidBeside = [
  ['default', 'default'],
  ['secret', 'x-acmcp-secret'],
  ['untrusted', 'x-acmcp-untrusted'],
  ['text', 'description'],
  ['text', 'title'],
] as const

/** What is said of a value beside which values there are. */
function besides({ before, after, at, run }: Node, inner: Place): Found {
  const [from, to] = [recordOf(before), recordOf(after)]
  if (run.isReverse) return []
  return saidBeside.flatMap(([kind, keyword]) => {
    if (isSame(from[keyword], to[keyword])) return []
    const isMark = kind === 'secret' || kind === 'untrusted'
    const isCompatible = kind === 'text' || (isMark && to[keyword] === true)
    const place = kind === 'secret' ? at : inner
    return [{ ...place, kind, isCompatible, before: from[keyword], after: to[keyword] }]
  })
}

const referencesIn = (schema: unknown): readonly string[] =>
  [...(canonical(schema) ?? '').matchAll(/"\$ref":("(?:[^"\\]|\\.)*")/g)].map(([, name = '""']) =>
    JSON.parse(name),
  )
