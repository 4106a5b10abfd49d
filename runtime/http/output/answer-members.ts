/** Which members of a union speak of a value. Source: decisions/http.md, Answers by type. */
import type { AnswerObject, AnswerProperty, AnswerType, AnswerUnion } from '../../contract/answer-type.ts'

type Of<Kind extends AnswerType['kind']> = Extract<AnswerType, { kind: Kind }>
export type AnswerList = Of<'list'>

/** The type that a name stands for. */
export function target(type: AnswerType): Exclude<AnswerType, Of<'ref'>> {
  let found = type
  while (found.kind === 'ref') found = found.type()
  return found
}

/** Those of a union, and of the unions inside it that no tag tells apart; each once. */
interface Members {
  readonly objects: readonly AnswerObject[]
  readonly lists: readonly AnswerList[]
  readonly scalars: readonly Of<'scalar'>[]
  readonly tagged: readonly AnswerUnion[]
  readonly whole: Of<'whole'> | null
  /** Nothing stands beside it whose secrets would have to be known. */
  readonly isWholeAlone: boolean
  /** Those that do not speak of the value, but for what they mark. */
  readonly unfit: AnswerUnion
}

const known = new WeakMap<AnswerUnion, Members>()

function membersOf(union: AnswerUnion, unfit: AnswerUnion = nothing): Members {
  const found = known.get(union)
  if (found !== undefined) return found
  const list = flattened(union)
  const whole = list.find((type) => type.kind === 'whole') ?? null
  const isWholeAlone = [...list, ...flattened(unfit)].every(
    ({ kind }) => kind === 'whole' || kind === 'scalar',
  )
  const members: Members = {
    objects: [...list.filter((type) => type.kind === 'object'), ...(whole === null ? [] : [openObject])],
    lists: [...list.filter((type) => type.kind === 'list'), ...(whole === null ? [] : [openList])],
    scalars: list.filter((type) => type.kind === 'scalar'),
    tagged: list.filter((type) => type.kind === 'union' && type.tag !== null) as readonly AnswerUnion[], // the filter says so
    whole,
    isWholeAlone,
    unfit,
  }
  known.set(union, members)
  return members
}

function flattened(union: AnswerUnion): readonly AnswerType[] {
  const all = new Set<AnswerType>()
  const add = (type: AnswerType): void => {
    const member = target(type)
    if (all.has(member)) return
    all.add(member)
    if (member.kind === 'union' && member.tag === null) member.members.forEach(add)
  }
  union.members.forEach(add)
  return [...all]
}

/** What says nothing, as an object and as a list, to be joined with others. */
const anything: Of<'whole'> = { kind: 'whole' }
const openObject: AnswerObject = { kind: 'object', properties: new Map(), others: () => anything }
const openList: AnswerList = { kind: 'list', places: [], items: anything }

type Fields = Readonly<Record<string, unknown>>

/** What `union` declares of a list or an object: the member that its tag names; without one all that those members declare whose
 *  required properties are there with the right kind, or all that any does where none is. Null = no member is of its kind.
 *  `isMarked`: what a member marks that does not fit is marked too. */
export function memberOf(union: AnswerUnion, value: object, isMarked: boolean): AnswerType | null {
  const { whole, isWholeAlone, unfit } = membersOf(union)
  if (whole !== null && isWholeAlone) return whole
  if (Array.isArray(value)) return joinedLists(listsFor(union), listsFor(unfit))
  const objects = objectsFor(union, value as Fields)
  const others = unfit === nothing ? [] : objectsFor(unfit, value as Fields)
  if (objects.length < 2 || value instanceof Map) return joinedObjects(objects, others)
  const fitting = objects.filter((object) => hasRequired(object, value as Fields))
  if (fitting.length === 0) return joinedObjects(objects, others)
  const misfits = isMarked ? objects.filter((object) => !fitting.includes(object)) : []
  return joinedObjects(fitting, [...misfits, ...others])
}

function listsFor(union: AnswerUnion): readonly AnswerList[] {
  const { lists, tagged } = membersOf(union)
  return tagged.length === 0 ? lists : [...lists, ...tagged.flatMap((inner) => membersOf(inner).lists)]
}

/** All that any member declares. */
export function allMembers(union: AnswerUnion, value: object): AnswerType | null {
  const { lists, whole, isWholeAlone } = membersOf(union)
  if (whole !== null && isWholeAlone) return whole
  return Array.isArray(value) ? joinedLists(lists) : joinedObjects(objectsOf(union))
}

function objectsFor(union: AnswerUnion, value: Fields): readonly AnswerObject[] {
  const { tag } = union
  const named = tag === null ? undefined : tag.members.get(value[tag.name])
  if (named !== undefined) {
    const member = target(named)
    return member.kind === 'object' ? [member] : []
  }
  const { objects, tagged } = membersOf(union)
  return tagged.length === 0 ? objects : [...objects, ...tagged.flatMap((inner) => objectsFor(inner, value))]
}

function objectsOf(union: AnswerUnion): readonly AnswerObject[] {
  const { objects, tagged } = membersOf(union)
  return [...objects, ...tagged.flatMap(objectsOf)]
}

/** Looks at the first level alone, so that the work is linear. */
function hasRequired({ properties }: AnswerObject, value: Fields): boolean {
  for (const [name, { type, isRequired }] of properties)
    if (isRequired && !(Object.hasOwn(value, name) && isOfKind(value[name], type))) return false
  return true
}

/** Whether a value is a list, an object, or a single value of the right kind. */
export function isOfKind(value: unknown, type: AnswerType): boolean {
  const declared = target(type)
  if (declared.kind === 'whole') return true
  if (declared.kind === 'union') {
    const { objects, lists, scalars, tagged, whole } = membersOf(declared)
    if (whole !== null) return true
    return [...scalars, ...objects, ...lists, ...tagged].some((member) =>
      member.kind === 'union' ? isPlainObject(value) : isOfKind(value, member),
    )
  }
  if (writesItself(value)) return true
  if (declared.kind === 'list') return Array.isArray(value) || value instanceof Set
  return declared.kind === 'object' ? isPlainObject(value) : declared.accepts(value)
}

const isPlainObject = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !(Array.isArray(value) || value instanceof Set || value instanceof Date || value instanceof Uint8Array)

/** Of which kind it is, its `toJSON` says. That of dates and bytes is known. */
const writesItself = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  typeof Reflect.get(value, 'toJSON') === 'function' &&
  !(value instanceof Date || value instanceof Uint8Array)

/** Types that values of several members ask for again and again, by the first and then by all. Each way to join has its own: of two
 *  objects there are a union and an object. */
type Joined = WeakMap<AnswerType, Map<string, AnswerType>>
const joined: Readonly<Record<'unions' | 'lists' | 'objects', Joined>> = {
  unions: new WeakMap(),
  lists: new WeakMap(),
  objects: new WeakMap(),
}
const ids = new WeakMap<AnswerType, number>()
let lastId = 0
/** Of one first member. */
const maxJoined = 1_000

function once<T extends AnswerType>(
  known: Joined,
  types: readonly T[],
  unfit: readonly T[],
  join: () => AnswerType,
): AnswerType | null {
  const [first, second] = types
  if (first === undefined || (second === undefined && unfit.length === 0)) return first ?? null
  const key = `${types.map(idOf).join()}/${unfit.map(idOf).join()}`
  const all = known.get(first) ?? new Map<string, AnswerType>()
  known.set(first, all)
  const made = all.get(key) ?? join()
  if (all.size < maxJoined) all.set(key, made)
  return made
}

function idOf(type: AnswerType): number {
  const id = ids.get(type) ?? ++lastId
  ids.set(type, id)
  return id
}

const untagged = (members: readonly AnswerType[]): AnswerUnion => ({ kind: 'union', members, tag: null })

/** Of what no member declares. */
const nothing: AnswerUnion = untagged([])

const unionOf = (members: readonly AnswerType[], unfit: readonly AnswerType[]): AnswerType =>
  once(joined.unions, members, unfit, () => {
    const union = untagged(members)
    membersOf(union, unfit.length === 0 ? nothing : untagged(unfit))
    return union
  }) ?? nothing

const joinedLists = (lists: readonly AnswerList[], unfit: readonly AnswerList[] = []): AnswerType | null =>
  once(joined.lists, lists, unfit, () => {
    const length = Math.max(...[...lists, ...unfit].map(({ places }) => places.length))
    const at = (index: number, of: readonly AnswerList[]): readonly AnswerType[] =>
      of.flatMap(({ places, items }) => places[index] ?? items ?? [])
    const places = Array.from({ length }, (_, index) => unionOf(at(index, lists), at(index, unfit)))
    const items = at(length, lists)
    return { kind: 'list', places, items: items.length === 0 ? null : unionOf(items, at(length, unfit)) }
  })

/** All properties of all; a name that one of them keeps secret is in no answer, and what one does not trust is not trusted. Those
 *  that are unfit declare nothing, and mark what the others declare. */
const joinedObjects = (
  objects: readonly AnswerObject[],
  unfit: readonly AnswerObject[] = [],
): AnswerType | null =>
  once(joined.objects, objects, unfit, () => {
    const all = [...objects, ...unfit]
    const names = new Set(all.flatMap(({ properties }) => [...properties.keys()]))
    const isOpen = objects.some(({ others }) => others !== null)
    return {
      kind: 'object',
      properties: new Map([...names].flatMap((name) => joinedProperty(name, objects, unfit))),
      others: isOpen ? (name): AnswerType | null => joinedOthers(name, objects, unfit) : null,
    }
  })

/** An index signature says nothing of the properties beside it. Empty = only what is unfit has it. */
function joinedProperty(
  name: string,
  objects: readonly AnswerObject[],
  unfit: readonly AnswerObject[],
): readonly (readonly [string, AnswerProperty])[] {
  const own = [...objects, ...unfit].flatMap(({ properties }) => properties.get(name) ?? [])
  const typesIn = (of: readonly AnswerObject[]): readonly AnswerType[] =>
    of.flatMap(({ properties, others }) => properties.get(name)?.type ?? others?.(name) ?? [])
  const types = typesIn(objects)
  if (types.length === 0) return []
  const property: AnswerProperty = {
    type: unionOf(types, typesIn(unfit)),
    isRequired: false,
    isSecret: own.some(({ isSecret }) => isSecret),
    isUntrusted: own.some(({ isUntrusted }) => isUntrusted),
    isWithheld: own.some(({ isWithheld }) => isWithheld),
  }
  return [[name, property]]
}

function joinedOthers(
  name: string | null,
  objects: readonly AnswerObject[],
  unfit: readonly AnswerObject[],
): AnswerType | null {
  const typesIn = (of: readonly AnswerObject[]): readonly AnswerType[] =>
    of.flatMap(({ others }) => others?.(name) ?? [])
  const types = typesIn(objects)
  return types.length === 0 ? null : unionOf(types, typesIn(unfit))
}
