/** What is sent to a route as its body, and what it answers. */
import { type Call, everybody, overHttp } from './call.ts'
import { type Document, dereferenced, withoutText } from './document.ts'
import type { ContractChange } from './findings.ts'
import type { RuleName } from './rules.ts'
import { type FieldValues, fieldPairs, isSame, recordOf, textItems } from './schemas/json.ts'

export function bodyFindings(call: Call, before: unknown, after: unknown): readonly ContractChange[] {
  const { before: old, after: current } = call.documents
  const [from, to] = [dereferenced(before, old), dereferenced(after, current)]
  if (before === undefined) return after === undefined ? [] : wholeBody(call, to, 'inputRequired')
  if (after === undefined) return wholeBody(call, from, 'inputGone')
  const [wasRequired, isRequired] = [from.required === true, to.required === true]
  const isTold = wasRequired ? needsProperty(from, old) : needsProperty(to, current)
  const facts = { path: 'body', before: wasRequired, after: isRequired }
  return [
    ...(wasRequired === isRequired || isTold
      ? []
      : call.tell(isRequired ? 'inputRequired' : 'inputWidened', facts, everybody)),
    ...call.contents(from.content, to.content, {
      ...{ direction: 'input', path: [], hits: everybody },
      ...{ gone: 'inputMediaTypeGone', added: 'inputWidened' },
    }),
  ]
}

const schemaOf = ({ content }: FieldValues): unknown => recordOf(Object.values(recordOf(content))[0]).schema

/** A property that must be sent tells that there must be a body. */
const needsProperty = (body: FieldValues, document: Document): boolean =>
  textItems(dereferenced(schemaOf(body), document).required).length > 0

/** Each of its properties, or the body itself where it has none of its own. */
function wholeBody(
  call: Call,
  body: FieldValues,
  rule: 'inputRequired' | 'inputGone',
): readonly ContractChange[] {
  const { properties, required } = recordOf(schemaOf(body))
  const needed = body.required === true ? textItems(required) : []
  const names = Object.keys(recordOf(properties))
  const ruleOf = (isNeeded: boolean): RuleName => (rule === 'inputGone' || isNeeded ? rule : 'inputNew')
  if (names.length === 0) return call.tell(ruleOf(body.required === true), { path: 'body' }, everybody)
  return names.flatMap((path) => call.tell(ruleOf(needed.includes(path)), { path }, everybody))
}

export function responseFindings(call: Call, before: unknown, after: unknown): readonly ContractChange[] {
  const all = fieldPairs(before, after)
  return all.flatMap(([status, old, current]) => {
    if (current === undefined) return goneStatus(call, status, Object.keys(recordOf(after)))
    if (old === undefined) return newStatus(call, status, Object.keys(recordOf(before)))
    const from = dereferenced(old, call.documents.before)
    const to = dereferenced(current, call.documents.after)
    return [
      ...answerFindings(call, status, from, to),
      ...call.words(from, to, status),
      ...headerFindings(call, status, fieldPairs(from.headers, to.headers)),
      ...restFindings(call, status, from, to),
    ]
  })
}

const isSuccess = (status: string): boolean => /^[123]/.test(status)

const ofClass = (status: string, others: readonly string[]): readonly string[] =>
  others.filter((other) => other[0] === status[0])

function goneStatus(call: Call, status: string, left: readonly string[]): readonly ContractChange[] {
  const rule = ofClass(status, left).length > 0 ? 'statusChanged' : 'statusClassGone'
  return call.tell(isSuccess(status) ? rule : 'harmless', { path: status, before: status })
}

function newStatus(call: Call, status: string, known: readonly string[]): readonly ContractChange[] {
  const facts = { path: status, after: status }
  if (!isSuccess(status)) return call.tell('harmless', facts)
  return call.tell('statusChanged', { ...facts, before: ofClass(status, known) })
}

/** What an answer can be when something went wrong is no promise to succeed. */
const ofError: ReadonlySet<RuleName> = new Set<RuleName>([
  'outputWidened',
  'outputGone',
  'outputOptional',
  'outputValueNew',
])

function answerFindings(
  call: Call,
  status: string,
  from: FieldValues,
  to: FieldValues,
): readonly ContractChange[] {
  if (isSuccess(status))
    return call.contents(from.content, to.content, {
      ...{ direction: 'output', path: [], hits: everybody },
      ...{ gone: 'outputMediaTypeGone', added: 'harmless' },
    })
  const found = call.contents(from.content, to.content, {
    ...{ direction: 'output', path: [status], hits: overHttp },
    ...{ gone: 'errorBody', added: 'harmless' },
  })
  return found.map((change) =>
    ofError.has(change.rule) && change.subject.kind === 'route' ? { ...change, rule: 'errorBody' } : change,
  )
}

function headerFindings(
  call: Call,
  status: string,
  headers: ReturnType<typeof fieldPairs>,
): readonly ContractChange[] {
  return headers.flatMap(([name, before, after]) => {
    if (isSame(before, after)) return []
    const isSaid = isSame(withoutText(before), withoutText(after))
    const rule = before === undefined ? 'harmless' : isSaid ? 'documented' : 'headerGone'
    return call.tell(rule, { path: `${status} ${name}`, before, after })
  })
}

/** What a response has beside its content. */
function restFindings(
  call: Call,
  status: string,
  from: FieldValues,
  to: FieldValues,
): readonly ContractChange[] {
  const rest = ({ content: _c, headers: _h, description: _d, ...more }: FieldValues): FieldValues => more
  const [before, after] = [rest(from), rest(to)]
  return isSame(before, after) ? [] : call.tell('unknown', { path: status, before, after })
}
