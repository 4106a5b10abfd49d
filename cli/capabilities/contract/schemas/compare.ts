/** What a schema's change means: for what is sent to a server the new one must let everything through that the old one did,
 *  for what it answers the old one everything that the new one does. Every part of both is looked at once for each pair of
 *  definitions, and no more than `maxSteps` parts in all: what is left is told as not compared. */
import {
  type Alternative,
  componentOf,
  type Definitions,
  definitionNamed,
  isImpossible,
  likeness,
  referencesIn,
  schemaAlternatives,
  TooLarge,
  typeShown,
} from './alternatives.ts'
import { type FieldValues, hasFields, isSame, itemsOf, ownIn, recordOf, textItems } from './json.ts'
import { letsThrough, stoppedBy } from './keywords.ts'
import {
  below,
  besides,
  type Direction,
  differenceOf,
  insideOf,
  isForward,
  isStopping,
  type Pair,
  type SchemaDifference,
  turned,
  whole,
} from './pairs.ts'

interface ComparisonOptions {
  /** An object may have any property that its schema does not name, as JSON Schema has it; otherwise only what is declared is
   *  sent. */
  readonly hasOpenObjects?: boolean
}

const maxSteps = 50_000
/** Of all schemas of a document. */
const maxStepsInAll = 1_000_000
/** Deeper differences are reported as `unknown`. */
const maxDepth = 100

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

  #node(node: Pair): Found {
    const { before, after, run } = node
    const inner = insideOf(node, [before, after])
    const beside = besides(node, inner.at)
    const [from, to] = [definitionNamed(before, this.#before), definitionNamed(after, this.#after)]
    if (from === null || to === null) return [...beside, ...this.#renamed(node), ...this.#inside(inner)]
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

  /** A component in whose place one of another name stands, or a schema without a name. */
  #renamed({ before, after, run }: Pair): Found {
    const [from, to] = [before, after].map(componentOf)
    const [old, current] = [before, after].map((schema) => recordOf(schema).$ref)
    const isUnnamed = current === undefined
    if (run.isReverse || from == null || from === to || (to == null && !isUnnamed)) return []
    const isKept = this.#after(String(old)) !== null
    if (isKept && (isUnnamed || this.#before(String(current)) !== null)) return []
    return [
      { ...whole(to ?? from), kind: 'renamed', isCompatible: false, before: from, after: to ?? undefined },
    ]
  }

  #inside(node: Pair): Found {
    const { before, after, at } = node
    this.#steps += 1
    this.#allSteps += 1
    const isTooMuch = this.#steps > maxSteps || this.#allSteps > maxStepsInAll
    if (isTooMuch || at.path.length > maxDepth) return this.#uncompared(node)
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
  #uncompared(node: Pair): Found {
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

  #among(sub: Alternative, { subs, sups }: Unions, node: Pair): Found {
    const candidates = sups.filter(({ type }) => type === sub.type)
    const found =
      candidates.length === 0
        ? [differenceOf('type', node, [typeShown(sub)])]
        : sub.values === null
          ? this.#nearest(sub, { subs, sups: candidates }, node)
          : missingValues(sub, candidates, node)
    const [definitions] = turned(node.run, [this.#before, this.#after])
    // no caller misses what no value can be
    const isNothing = found.some(isStopping) && isImpossible(sub, definitions)
    return isNothing ? found.filter((change) => !isStopping(change)) : found
  }

  /** What stands between `sub` and the alternative that is nearest to it. */
  #nearest(sub: Alternative, { subs, sups }: Unions, node: Pair): Found {
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

  #pair(sub: Alternative, sup: Alternative, node: Pair): Found {
    const schemaOf = ({ reference }: Alternative): FieldValues =>
      reference === null ? {} : { $ref: reference }
    const [before, after] = turned(node.run, [schemaOf(sub), schemaOf(sup)])
    const pair = { ...node, before, after }
    if (sub.reference !== null && sup.reference !== null) return this.#node(pair)
    return [...this.#renamed(pair), ...this.#keywords(sub, sup, node)]
  }

  #keywords({ type, keywords: sub }: Alternative, { values, keywords: sup }: Alternative, node: Pair): Found {
    const stopped = stoppedBy(sub, sup).map(({ kind, keyword }) =>
      differenceOf(kind, node, [sub[keyword], sup[keyword]]),
    )
    return [
      ...(values === null ? [] : [differenceOf('bound', node, [undefined, values])]),
      ...stopped,
      ...(type === 'object' ? this.#properties(sub, sup, node) : this.#items(sub, sup, node)),
    ]
  }

  #properties(sub: FieldValues, sup: FieldValues, node: Pair): Found {
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

  #both(sub: unknown, sup: unknown, node: Pair, step: string): Found {
    const [before, after] = turned(node.run, [sub, sup])
    return this.#node({ ...below(node, step), before, after })
  }

  /** A property that one of both does not name: what that says of further ones must be what the other says of it. */
  #lone(name: string, { sub, sup }: Readonly<Record<'sub' | 'sup', FieldValues>>, node: Pair): Found {
    const [from, to] = [sub, sup].map(({ properties }) => ownIn(recordOf(properties), name))
    const { additionalProperties: further } = from === undefined ? sub : sup
    const inner = insideOf(below(node, name), [from, to])
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
    const missing = isNeeded ? [] : this.#presence([from, to], inner)
    const isDeclared = hasFields(further) && Object.keys(further).length > 0
    const isOpen = isDeclared || (this.#hasOpenObjects && further !== false)
    return isOpen ? [...missing, ...this.#both(further, to, node, name)] : missing
  }

  #presence(sides: readonly [unknown, unknown], node: Pair): Found {
    const [before] = turned(node.run, sides)
    if (node.run.isReverse) return []
    const isNew = before === undefined
    return [{ ...differenceOf(isNew ? 'added' : 'gone', node, sides), isCompatible: isNew }]
  }

  #further(sub: FieldValues, sup: FieldValues, node: Pair): Found {
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

  #items(sub: FieldValues, sup: FieldValues, node: Pair): Found {
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

const missingValues = (sub: Alternative, candidates: readonly Alternative[], node: Pair): Found =>
  (sub.values ?? []).flatMap((value) => {
    const answers = candidates.map(({ values, keywords }) =>
      values === null || values.some((item) => isSame(item, value))
        ? letsThrough(keywords, value, sub.keywords)
        : false,
    )
    if (answers.includes(true)) return []
    return [differenceOf(answers.includes(null) ? 'unknown' : 'value', node, [value])]
  })
