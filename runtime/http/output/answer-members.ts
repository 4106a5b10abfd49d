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
}

const known = new WeakMap<AnswerUnion, Members>()

function membersOf(union: AnswerUnion): Members {
  const found = known.get(union)
  if (found !== undefined) return found
  const all = new Set<AnswerType>()
  const add = (type: AnswerType): void => {
    const member = target(type)
    if (all.has(member)) return
    all.add(member)
    if (member.kind === 'union' && member.tag === null) member.members.forEach(add)
  }
  union.members.forEach(add)
  const list = [...all]
  const whole = list.find((type) => type.kind === 'whole') ?? null
  const isWholeAlone = list.every(({ kind }) => kind === 'whole' || kind === 'scalar')
  const members: Members = {
    objects: [...list.filter((type) => type.kind === 'object'), ...(whole === null ? [] : [openObject])],
    lists: [...list.filter((type) => type.kind === 'list'), ...(whole === null ? [] : [openList])],
    scalars: list.filter((type) => type.kind === 'scalar'),
    tagged: list.filter((type) => type.kind === 'union' && type.tag !== null) as readonly AnswerUnion[], // the filter says so
    whole,
    isWholeAlone,
  }
  known.set(union, members)
  return members
}

/** What says nothing, as an object and as a list, to be joined with others. */
const anything: Of<'whole'> = { kind: 'whole' }
const openObject: AnswerObject = { kind: 'object', properties: new Map(), others: () => anything }
const openList: AnswerList = { kind: 'list', places: [], items: anything }

type Fields = Readonly<Record<string, unknown>>

/** What `union` declares of a list or an object: the member that its tag names; without one all that those members declare whose
 *  required properties are there with the right kind, or all that any does where none is. Null = no member is of its kind. */
export function memberOf(union: AnswerUnion, value: object): AnswerType | null {
  const { lists, tagged, whole, isWholeAlone } = membersOf(union)
  if (whole !== null && isWholeAlone) return whole
  if (Array.isArray(value))
    return joinedLists([...lists, ...tagged.flatMap((inner) => membersOf(inner).lists)])
  const objects = objectsFor(union, value as Fields)
  if (objects.length < 2 || value instanceof Map) return joinedObjects(objects)
  const fitting = objects.filter((object) => hasRequired(object, value as Fields))
  return joinedObjects(fitting.length === 0 ? objects : fitting)
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
  join: () => AnswerType,
): AnswerType | null {
  const [first, second] = types
  if (first === undefined || second === undefined) return first ?? null
  const key = types.map(idOf).join()
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

const unionOf = (members: readonly AnswerType[]): AnswerType =>
  once(joined.unions, members, () => ({ kind: 'union', members, tag: null })) ?? nothing

/** Of what no member declares. */
const nothing: AnswerType = { kind: 'union', members: [], tag: null }

const joinedLists = (lists: readonly AnswerList[]): AnswerType | null =>
  once(joined.lists, lists, () => {
    const length = Math.max(...lists.map(({ places }) => places.length))
    const at = (index: number): readonly AnswerType[] =>
      lists.flatMap(({ places, items }) => places[index] ?? items ?? [])
    const places = Array.from({ length }, (_, index) => unionOf(at(index)))
    const items = at(length)
    return { kind: 'list', places, items: items.length === 0 ? null : unionOf(items) }
  })

/** All properties of all; of a name that one of them keeps secret nobody gets it, and what one does not trust is not trusted. */
const joinedObjects = (objects: readonly AnswerObject[]): AnswerType | null =>
  once(joined.objects, objects, () => {
    const names = new Set(objects.flatMap(({ properties }) => [...properties.keys()]))
    const isOpen = objects.some(({ others }) => others !== null)
    return {
      kind: 'object',
      properties: new Map([...names].map((name) => [name, joinedProperty(objects, name)])),
      others: isOpen ? (name): AnswerType | null => joinedOthers(objects, name) : null,
    }
  })

/** An index signature says nothing of the properties beside it. */
function joinedProperty(objects: readonly AnswerObject[], name: string): AnswerProperty {
  const own = objects.flatMap(({ properties }) => properties.get(name) ?? [])
  const types = objects.flatMap(
    ({ properties, others }) => properties.get(name)?.type ?? others?.(name) ?? [],
  )
  return {
    type: unionOf(types),
    isRequired: false,
    isSecret: own.some(({ isSecret }) => isSecret),
    isUntrusted: own.some(({ isUntrusted }) => isUntrusted),
  }
}

function joinedOthers(objects: readonly AnswerObject[], name: string): AnswerType | null {
  const types = objects.flatMap(({ others }) => others?.(name) ?? [])
  return types.length === 0 ? null : unionOf(types)
}
