/** Decoders of values that may be of several types. */
import { unionAnswer } from './answer-types.ts'
import {
  bestMatch,
  type DecodeError,
  Decoder,
  firstMatch,
  mismatch,
  type Read,
  readJsonText,
  sizeOf,
  step,
} from './decoder.ts'
import { isListType, isObjectType, memberNames, nearestError } from './nearest-member.ts'
import { parsed } from './received.ts'
import { isRecord } from './structures.ts'

/** `anyOf`: the first member that takes the value decides; of objects the first that keeps most of it. Where a list may stand, texts that are
 *  repeated are one; a text that holds a list as JSON is one first, any other text something else first. */
export function union(members: readonly Decoder[]): Decoder {
  const restriction = (): string => [...new Set(members.map((member) => member.restriction))].join(' | ')
  const refused = mismatch(restriction, () => memberNames(members))
  const nearest = (of: readonly Decoder[], value: object, errors: readonly DecodeError[]): DecodeError =>
    nearestError(of, value, errors) ?? refused()
  const json = members.map((member) => member.json)
  const fields = members.map((member) => member.fields)
  let orders: Orders | null = null // made late: a member may be a type that holds this one
  const inOrder = (isSeveral: boolean): Order => {
    orders ??= ordersOf(members)
    return isSeveral ? orders.listsFirst : orders.listsLast
  }
  return new Decoder(
    restriction,
    unionAnswer(members.map(({ answer }) => answer)),
    (value) => {
      if (isRecord(value)) return bestMatch(json, value, (errors) => nearest(members, value, errors))
      if (!Array.isArray(value)) return firstMatch(json, value, refused)
      const ordered = inOrder(value.length > 1) // of one name a form has several files, or one
      return firstMatch(ordered.json, value, (errors) => nearest(ordered.members, value, errors))
    },
    (values) => {
      const { members: ordered, text, lists } = inOrder(holdsList(values))
      const refusedText = (errors: readonly DecodeError[]): DecodeError => {
        const value = values.length === 1 ? parsed(values[0] ?? '') : undefined
        return typeof value === 'object' && value !== null ? nearest(ordered, value, errors) : refused()
      }
      if (values.length === 1 || lists.length === 0)
        return keepingMost(firstMatch(text, values, refusedText), values, () => objectsOf(members))
      return firstMatch(lists, values, ([error, another]) => (another === undefined && error) || refused())
    },
    (form) => firstMatch(fields, form, refused),
  )
}

const objectsOf = (members: readonly Decoder[]): readonly Read<unknown>[] =>
  members.filter(({ answer }) => isObjectType(answer)).map(({ json }) => json)

/** `first`, or where an object in a text has lost properties that another member keeps, what that makes of it: as in JSON. */
function keepingMost(
  first: unknown,
  [text = '']: readonly string[],
  objects: () => readonly Read<unknown>[],
): unknown {
  if (!isRecord(first) || !text.trimStart().startsWith('{')) return first
  const whole = parsed(text)
  if (!isRecord(whole) || sizeOf(first) >= Object.keys(whole).length) return first
  const others = objects()
  return others.length < 2 ? first : bestMatch(others, whole, ([error]) => error ?? noMember())
}

const noMember = mismatch(
  () => 'object',
  () => '',
)

interface Order {
  readonly members: readonly Decoder[]
  readonly json: readonly Read<unknown>[]
  readonly text: readonly Read<readonly string[]>[]
  /** Of those that are lists. */
  readonly lists: readonly Read<readonly string[]>[]
}

interface Orders {
  readonly listsFirst: Order
  readonly listsLast: Order
}

function ordersOf(members: readonly Decoder[]): Orders {
  const lists = members.filter(({ answer }) => isListType(answer))
  const others = members.filter((member) => !lists.includes(member))
  const ofLists = lists.map(({ text }) => text)
  const orderOf = (all: readonly Decoder[]): Order => ({
    members: all,
    json: all.map(({ json }) => json),
    text: all.map(({ text }) => text),
    lists: ofLists,
  })
  return { listsFirst: orderOf([...lists, ...others]), listsLast: orderOf([...others, ...lists]) }
}

/** Whether they can only be a list where one may stand. */
const holdsList = (texts: readonly string[]): boolean =>
  texts.length > 1 || (texts[0]?.startsWith('[') === true && Array.isArray(parsed(texts[0])))

/** More would make a long message of one mistake. */
const maxTags = 20

/** A union whose member the property `name` tells, so that what is wrong inside is told by its own path. A member may have several tags. */
export function discriminated(
  name: string,
  members: readonly (readonly [tags: unknown, member: Decoder])[],
): Decoder {
  const whole = union(members.map(([, member]) => member))
  const tagged = members.flatMap(([tags, member]) =>
    (Array.isArray(tags) ? tags : [tags]).map((tag: unknown) => [tag, member] as const),
  )
  const byTag = new Map(tagged)
  const byText = new Map(tagged.map(([tag, member]) => [String(tag), member])) // as texts of literals are read
  const answers = members.map(([, { answer }]) => answer)
  const tags = tagged.slice(0, maxTags).map(([tag]) => JSON.stringify(tag))
  const refused = mismatch(() => whole.restriction, `${step(name)} must be one of ${tags.join(', ')}`)
  const json = (value: unknown): unknown => {
    const member = isRecord(value) ? byTag.get(value[name]) : undefined
    return member === undefined ? refused() : member.json(value)
  }
  return new Decoder(
    () => whole.restriction,
    unionAnswer(answers, { name, members: new Map(tagged.map(([tag, { answer }]) => [tag, answer])) }),
    json,
    (values) => readJsonText(values, json, refused),
    (form) => {
      const member = byText.get(form.getAll(name)[0] ?? '')
      return member === undefined ? refused() : member.fields(form)
    },
  )
}
