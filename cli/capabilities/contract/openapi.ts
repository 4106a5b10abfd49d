/** What changed between two documents of OpenAPI, route by route, and for the tools that run the routes. An operation whose text
 *  is as it was is not parsed, unless it uses a component that is another, or its tool is. */
import { changedBlocks, fieldUnder } from './blocks.ts'
import { Call, type Documents, everybody, overHttp } from './call.ts'
import { type Document, headFindings, type Operation } from './document.ts'
import { bodyFindings, responseFindings } from './exchange.ts'
import { accessFindings, all, type FieldRules, fieldFindings, tagRules } from './fields.ts'
import { type ChangedPart, type ContractChange, noticedBy } from './findings.ts'
import { inputFindings, type SentInputs } from './parameters.ts'
import { SchemaComparison } from './schemas/compare.ts'
import { type FieldValues, isSame, itemsOf, pairsIn, recordOf, textItems } from './schemas/json.ts'
import { type ToolPair, toolSubject, withoutNames } from './tools.ts'

/** Everything that differs, each thing for HTTP, and for tools where a route has one. */
export function compareOpenapi(
  before: Document,
  after: Document,
  tools: readonly ToolPair[],
): readonly ContractChange[] {
  const documents = { before, after, schemas: new SchemaComparison(before.definitions, after.definitions) }
  const isMoved = ({ before, after }: ToolPair): boolean =>
    withoutNames(before.route) !== withoutNames(after.route)
  const staying = tools.filter((pair) => !isMoved(pair))
  return [
    ...routeFindings(documents, new Map(staying.map((pair) => [withoutNames(pair.after.route), pair]))),
    ...tools.filter(isMoved).flatMap((pair) => movedTool(documents, pair)),
    ...headFindings(before, after),
  ]
}

const tell = noticedBy('HTTP')

/** Every reference in a text. */
const referencesIn = (text: string): readonly string[] => text.match(/#\/components\/\w+\/[\w.-]+/g) ?? []

function routeFindings(
  documents: Documents,
  tools: ReadonlyMap<string, ToolPair>,
): readonly ContractChange[] {
  const { before, after } = documents
  const changed = changedBlocks(before.components, after.components, referencesIn)
  const isUnchanged = (from: string, to: string): boolean =>
    from === to && !referencesIn(to).some((name) => changed.has(name))
  return pairsIn(before.operations, after.operations).flatMap(([key, from, to]) => {
    if (to === undefined) return [tell('routeGone', subjectOf(from?.address ?? key), { before: key })]
    const subject = subjectOf(to.address)
    if (from === undefined) return [tell('routeNew', subject)]
    const tool = tools.get(key) ?? null
    if (isUnchanged(from.text, to.text) && tool?.before.text === tool?.after.text) return []
    const [old, current] = [fieldsOf(from), fieldsOf(to)]
    const audience = tool === null ? overHttp : everybody
    const [before, after] = [old.operationId, current.operationId]
    return [
      ...(before === after ? [] : [tell('routeRenamed', subject, { before, after })]),
      ...exchanged(new Call(documents, { subject, audience, tool }), [from, old], [to, current]),
      ...securityFindings(old.security, current.security, subject),
      ...fieldFindings(tagged(old), tagged(current), { subject, tell, rules: operationRules }),
    ]
  })
}

const subjectOf = (address: string): ChangedPart => ({ kind: 'route', name: address, route: address })
const fieldsOf = ({ text }: Operation): FieldValues => recordOf(fieldUnder(text))

/** A tool that runs another route than before takes and answers what that does. */
function movedTool(documents: Documents, tool: ToolPair): readonly ContractChange[] {
  const from = documents.before.operations.get(withoutNames(tool.before.route))
  const to = documents.after.operations.get(withoutNames(tool.after.route))
  if (from === undefined || to === undefined) return []
  const call = new Call(documents, { subject: toolSubject(tool.after), audience: ['tools'], tool })
  return exchanged(call, [from, fieldsOf(from)], [to, fieldsOf(to)])
}

type Side = readonly [Operation, FieldValues]

/** What is sent, and what is answered. */
function exchanged(call: Call, [before, from]: Side, [after, to]: Side): readonly ContractChange[] {
  const { documents, tool } = call
  const sent = (
    side: 'before' | 'after',
    { address }: Operation,
    { parameters }: FieldValues,
  ): SentInputs => ({
    ...{ address, parameters },
    document: documents[side],
    tool: tool?.[side] ?? null,
  })
  return [
    ...inputFindings(call, sent('before', before, from), sent('after', after, to)),
    ...bodyFindings(call, from.requestBody, to.requestBody),
    ...responseFindings(call, from.responses, to.responses),
  ]
}

/** Tags have the same names in both documents. */
const tagged = (operation: FieldValues): FieldValues =>
  Object.fromEntries(
    Object.entries(operation).map(([name, value]) => [
      name === 'x-acmcp-idempotency-key' ? 'idempotencyKey' : name.replace('x-acmcp-', ''),
      value,
    ]),
  )

const operationRules: FieldRules = new Map([
  ...all(null, 'operationId parameters requestBody responses security'),
  ...all('documented', 'summary description tags deprecated externalDocs'),
  ...tagRules,
])

type Way = Readonly<Record<string, readonly string[]>>

/** The same callers must be let in as before, and no others: each old way is one of the new ones, with no more scopes. */
function securityFindings(before: unknown, after: unknown, subject: ChangedPart): readonly ContractChange[] {
  if (isSame(before, after)) return []
  const [from, to] = [waysOf(before), waysOf(after)]
  const isServed = (ways: readonly Way[], wanted: Way): boolean =>
    ways.some((way) =>
      Object.entries(way).every(
        ([scheme, scopes]) =>
          Object.hasOwn(wanted, scheme) && scopes.every((scope) => wanted[scheme]?.includes(scope)),
      ),
    )
  const isHarder = from.some((way) => !isServed(to, way))
  const isEasier = to.some((way) => !isServed(from, way))
  return accessFindings({ isHarder, isEasier }, { before, after }, { subject, tell })
}

/** No way at all is a way without credentials. */
function waysOf(security: unknown): readonly Way[] {
  const ways = itemsOf(security).map((way) =>
    Object.fromEntries(Object.entries(recordOf(way)).map(([scheme, scopes]) => [scheme, textItems(scopes)])),
  )
  return ways.length === 0 ? [{}] : ways
}
