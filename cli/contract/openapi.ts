/** What changed between two documents of OpenAPI, route by route. An operation whose text is as it was is not parsed, unless it
 *  uses a component that is another. */
import { type Blocks, below, blocksIn, changedBlocks, fieldUnder } from './blocks.ts'
import { findingOf } from './differences.ts'
import { type ChangedPart, type ContractChange, noticedBy, type Tell } from './findings.ts'
import { renamedTypes } from './renamed-types.ts'
import type { RuleName } from './rules.ts'
import { type Definitions, remembered } from './schemas/alternatives.ts'
import { type Direction, SchemaComparison } from './schemas/compare.ts'
import { isSame, isSchemaObject, itemsOf, ownIn, recordOf, textItems } from './schemas/json.ts'

/** The parts of a document by name, as text. */
interface Document {
  /** By verb and address, with the names of variables left out: `GET /orders/{}`. */
  readonly operations: ReadonlyMap<string, Operation>
  /** Components by reference. */
  readonly components: Blocks
  readonly definitions: Definitions
  readonly head: Blocks
}

interface Operation {
  readonly address: string
  readonly text: string
}

/** Everything that differs, each thing for HTTP. */
export function compareOpenapi(before: string, after: string): readonly ContractChange[] {
  const [from, to] = [documentOf(before), documentOf(after)]
  const run = new Run(from, to)
  return [...run.operations(), ...run.renamedTypes(), ...headFindings(from, to)]
}

function documentOf(text: string): Document {
  const top = blocksIn(text, 0)
  const operations = [...blocksIn(below(top.get('paths') ?? ''), 2)].flatMap(([path, block]) =>
    [...blocksIn(below(block), 4)].map(
      ([verb, operation]) =>
        [
          `${verb.toUpperCase()} ${withoutNames(path)}`,
          { address: `${verb.toUpperCase()} ${path}`, text: operation },
        ] as const,
    ),
  )
  const components = [...blocksIn(below(top.get('components') ?? ''), 2)].flatMap(([kind, block]) =>
    [...blocksIn(below(block), 4)].map(
      ([name, component]) => [`#/components/${kind}/${name}`, component] as const,
    ),
  )
  const head = new Map([...top].filter(([key]) => !['paths', 'components', 'info', 'tags'].includes(key)))
  const byReference = new Map(components)
  return {
    operations: new Map(operations),
    components: byReference,
    definitions: definitionsOf(byReference),
    head,
  }
}

/** Two addresses are one, whatever their variables are called. */
export const withoutNames = (path: string): string => path.replace(/\{[^}]*\}/g, '{}')

/** What stands at the top concerns everybody; names and versions are free. */
function headFindings(before: Document, after: Document): readonly ContractChange[] {
  const names = [...new Set([...before.head.keys(), ...after.head.keys()])]
  const subject: ChangedPart = { kind: 'document', name: 'openapi.yml', route: null }
  const schemes = [...new Set([...before.components.keys(), ...after.components.keys()])].filter((name) =>
    name.startsWith('#/components/securitySchemes/'),
  )
  return [
    ...names.flatMap((name) => textFinding(name, before.head.get(name), after.head.get(name))),
    ...schemes.flatMap((name) =>
      schemeFindings(name, before.components.get(name), after.components.get(name)),
    ),
  ]

  function schemeFindings(
    name: string,
    from: string | undefined,
    to: string | undefined,
  ): readonly ContractChange[] {
    if (from === to) return []
    if (from === undefined || to === undefined) return textFinding(name, from, to)
    const [old, current] = [withoutScopes(fieldUnder(from)), withoutScopes(fieldUnder(to))]
    return [
      ...scopeFindings(old.scopes, current.scopes),
      ...(isSame(old.rest, current.rest) ? [] : textFinding(name, from, to)),
    ]
  }

  function textFinding(
    path: string,
    from: string | undefined,
    to: string | undefined,
  ): readonly ContractChange[] {
    if (from === to || path === 'openapi') return []
    const values = [from, to].map((text) => (text === undefined ? undefined : fieldUnder(text)))
    if (isSame(values[0], values[1])) return []
    const isSaidOnly = isSame(...(values.map(withoutText) as [unknown, unknown]))
    const rule: RuleName = isSaidOnly ? 'documented' : from === undefined ? 'harmless' : 'unknown'
    return [finding(rule, subject, { path, before: values[0], after: values[1] })]
  }
}

const withoutText = (value: unknown): unknown => {
  const { description: _, ...rest } = recordOf(value)
  return isSchemaObject(value) ? rest : value
}

/** Of all flows of a scheme: the scopes with their texts, and what stands beside them. */
function withoutScopes(scheme: unknown): { readonly scopes: Fields; readonly rest: Fields } {
  const { flows, ...rest } = recordOf(scheme)
  const all = Object.entries(recordOf(flows)).map(([name, flow]) => {
    const { scopes, ...beside } = recordOf(flow)
    return { scopes: Object.entries(recordOf(scopes)), flow: [name, beside] as const }
  })
  return {
    scopes: Object.fromEntries(all.flatMap(({ scopes }) => scopes)),
    rest: { ...rest, flows: Object.fromEntries(all.map(({ flow }) => flow)) },
  }
}

function scopeFindings(from: Fields, to: Fields): readonly ContractChange[] {
  const subjectOf = (name: string): ChangedPart => ({ kind: 'scope', name, route: null })
  const gone = Object.keys(from).filter((name) => !Object.hasOwn(to, name))
  return [
    ...gone.map((name) => finding('scopeGone', subjectOf(name))),
    ...Object.entries(to).flatMap(([name, after]) => {
      if (!Object.hasOwn(from, name)) return [finding('offerNew', subjectOf(name))]
      const { [name]: before } = from
      return before === after ? [] : [finding('askedText', subjectOf(name), { path: 'text', before, after })]
    }),
  ]
}

const finding: Tell = noticedBy('HTTP')

/** Every reference in a text. */
const referencesIn = (text: string): readonly string[] => text.match(/#\/components\/\w+\/[\w.-]+/g) ?? []

class Run {
  readonly #before: Document
  readonly #after: Document
  readonly #schemas: SchemaComparison
  readonly #changed: ReadonlySet<string>

  constructor(before: Document, after: Document) {
    this.#before = before
    this.#after = after
    this.#changed = changedBlocks(before.components, after.components, referencesIn)
    this.#schemas = new SchemaComparison(before.definitions, after.definitions)
  }

  operations(): readonly ContractChange[] {
    const { operations: before } = this.#before
    const { operations: after } = this.#after
    const removed = [...before].filter(([key]) => !after.has(key))
    return [
      ...removed.map(([key, { address }]) => finding('routeGone', subjectOf(address), { before: key })),
      ...[...after].flatMap(([key, operation]) => {
        const other = before.get(key)
        if (other === undefined) return [finding('routeNew', subjectOf(operation.address))]
        return this.#isSame(other.text, operation.text) ? [] : this.#operation(other, operation)
      }),
    ]
  }

  /** What generated clients call another type than before. */
  renamedTypes(): readonly ContractChange[] {
    const { operations, components, definitions } = this.#before
    const pairs = [...this.#after.operations].flatMap(([key, { address, text }]) => {
      const before = operations.get(key)?.text
      return before === undefined || this.#isSame(before, text)
        ? []
        : [{ address, before: fieldUnder(before), after: fieldUnder(text) }]
    })
    const found = renamedTypes(pairs, {
      names: [schemaNames(components), schemaNames(this.#after.components)],
      definitions: [definitions, this.#after.definitions],
    })
    return found.map(({ before, after, usedBy }) => {
      const subject: ChangedPart = { kind: 'type', name: after ?? before, route: null }
      return { ...finding('typeRenamed', subject, { before, ...(after === null ? {} : { after }) }), usedBy }
    })
  }

  #isSame(before: string, after: string): boolean {
    return before === after && !referencesIn(after).some((name) => this.#changed.has(name))
  }

  #operation(before: Operation, after: Operation): readonly ContractChange[] {
    const subject = subjectOf(after.address)
    const [from, to] = [recordOf(fieldUnder(before.text)), recordOf(fieldUnder(after.text))]
    const variables = [before, after].map(({ address }) => address.match(/\{[^}]*\}/g) ?? [])
    const fields = [...new Set([...Object.keys(from), ...Object.keys(to)])]
    return [
      ...this.#parameters(from, to, { subject, variables }),
      ...this.#body(from.requestBody, to.requestBody, subject),
      ...this.#responses(recordOf(from.responses), recordOf(to.responses), subject),
      ...accessFindings(from.security, to.security, subject),
      ...fields.flatMap((name) => fieldFinding(name, ownIn(from, name), ownIn(to, name), subject)),
    ]
  }

  #parameters(from: Fields, to: Fields, { subject, variables }: Addressed): readonly ContractChange[] {
    const [old = [], current = []] = variables
    const keyed = (operation: Fields, names: readonly string[]): ReadonlyMap<string, Fields> =>
      new Map(
        itemsOf(operation.parameters).map((parameter) => {
          const fields = recordOf(parameter)
          const place = names.indexOf(`{${fields.name}}`)
          return [
            fields.in === 'path' ? `path ${place}` : `${fields.in} ${String(fields.name).toLowerCase()}`,
            fields,
          ]
        }),
      )
    const [before, after] = [keyed(from, old), keyed(to, current)]
    const gone = [...before].filter(([key]) => !after.has(key))
    return [
      ...gone.map(([, { name }]) => finding('inputGone', subject, { path: argumentName(name) })),
      ...[...after].flatMap(([key, parameter]) => {
        const other = before.get(key)
        const path = argumentName(parameter.name)
        if (other === undefined)
          return [finding(parameter.required === true ? 'inputRequired' : 'inputNew', subject, { path })]
        return [
          ...requiredFinding(other, parameter, subject, path),
          ...textFinding(other, parameter, subject, path),
          ...this.#schema(schemaOf(other), schemaOf(parameter), {
            subject,
            direction: 'input',
            path: [path],
          }),
        ]
      }),
    ]
  }

  #body(before: unknown, after: unknown, subject: ChangedPart): readonly ContractChange[] {
    const [from, to] = [recordOf(before), recordOf(after)]
    if (before === undefined && after === undefined) return []
    if (after === undefined) return [finding('inputGone', subject, { path: 'body' })]
    if (before === undefined) return this.#newBody(to, subject)
    return [
      ...(this.#saysItself(from, to) ? [] : requiredFinding(from, to, subject, 'body')),
      ...this.#contents(from.content, to.content, {
        subject,
        direction: 'input',
        gone: 'inputMediaTypeGone',
        added: 'inputWidened',
      }),
    ]
  }

  /** Whether the properties that must be sent tell that there must be a body. */
  #saysItself(from: Fields, to: Fields): boolean {
    const [body, { definitions }] = to.required === true ? [to, this.#after] : [from, this.#before]
    const { schema } = recordOf(Object.values(recordOf(body.content))[0])
    const { $ref } = recordOf(schema)
    const whole = typeof $ref === 'string' ? definitions($ref)?.schema : schema
    return textItems(recordOf(whole).required).length > 0
  }

  /** Each property that must be sent. */
  #newBody({ required, content }: Fields, subject: ChangedPart): readonly ContractChange[] {
    const rule = required === true ? 'inputRequired' : 'inputNew'
    const [media] = Object.values(recordOf(content))
    const names = Object.keys(recordOf(recordOf(recordOf(media).schema).properties))
    const needed = textItems(recordOf(recordOf(media).schema).required)
    if (names.length === 0) return [finding(rule, subject, { path: 'body' })]
    return names.map((path) =>
      finding(rule === 'inputRequired' && needed.includes(path) ? rule : 'inputNew', subject, { path }),
    )
  }

  #contents(
    before: unknown,
    after: unknown,
    { subject, direction, gone, added, prefix = [] }: Contents,
  ): readonly ContractChange[] {
    const [from, to] = [recordOf(before), recordOf(after)]
    const lost = Object.keys(from).filter((type) => !Object.hasOwn(to, type))
    const found = Object.keys(to).filter((type) => !Object.hasOwn(from, type))
    const path = prefix.join(' ')
    return [
      ...lost.map((type) => finding(gone, subject, { path, before: type })),
      ...found.map((type) => finding(added, subject, { path, after: type })),
      ...Object.keys(to).flatMap((type) =>
        Object.hasOwn(from, type)
          ? this.#schema(recordOf(from[type]).schema, recordOf(to[type]).schema, {
              subject,
              direction,
              path: prefix,
            })
          : [],
      ),
    ]
  }

  #schema(before: unknown, after: unknown, site: SchemaSite): readonly ContractChange[] {
    const found = this.#schemas.compare(before ?? {}, after ?? {}, site.direction)
    return found.map((difference) => findingOf(difference, { ...site, audience: 'HTTP' }))
  }

  #responses(before: Fields, after: Fields, subject: ChangedPart): readonly ContractChange[] {
    const [from, to] = [this.#resolved(before, this.#before), this.#resolved(after, this.#after)]
    const statuses = [...new Set([...from.keys(), ...to.keys()])]
    return statuses.flatMap((status) => {
      const [old, current] = [from.get(status), to.get(status)]
      if (old === undefined || current === undefined) return [statusFinding(status, { from, to }, subject)]
      return isSame(old, current) &&
        referencesIn(JSON.stringify(current)).every((name) => !this.#changed.has(name))
        ? []
        : this.#response(status, old, current, subject)
    })
  }

  #response(status: string, from: Fields, to: Fields, subject: ChangedPart): readonly ContractChange[] {
    const isSuccess = /^[123]/.test(status)
    const contents = this.#contents(from.content, to.content, {
      subject,
      direction: 'output',
      gone: isSuccess ? 'outputMediaTypeGone' : 'errorBody',
      added: 'harmless',
      prefix: isSuccess ? [] : [status],
    })
    return [
      ...(isSuccess ? contents : contents.map(ofError)),
      ...textFinding(from, to, subject, status),
      ...headerFindings(from.headers, to.headers, { subject, status }),
      ...linkFinding(from, to, { subject, status }),
    ]
  }

  #resolved(responses: Fields, { definitions }: Document): ReadonlyMap<string, Fields> {
    return new Map(
      Object.entries(responses).map(([status, response]) => {
        const { $ref } = recordOf(response)
        const shared = typeof $ref === 'string' ? definitions($ref) : null
        return [status, recordOf(shared === null ? response : shared.schema)]
      }),
    )
  }
}

type Fields = Readonly<Record<string, unknown>>

interface Addressed {
  readonly subject: ChangedPart
  /** The variables of the old address and of the new one, in order. */
  readonly variables: readonly (readonly string[])[]
}

interface SchemaSite {
  readonly subject: ChangedPart
  readonly direction: Direction
  readonly path: readonly string[]
}

interface Contents extends Pick<SchemaSite, 'subject' | 'direction'> {
  readonly gone: RuleName
  readonly added: RuleName
  readonly prefix?: readonly string[]
}

interface OfStatus {
  readonly subject: ChangedPart
  readonly status: string
}

/** As tools call it, where that is known. */
const argumentName = (name: unknown): string => (name === 'Idempotency-Key' ? 'idempotencyKey' : String(name))

const subjectOf = (address: string): ChangedPart => ({ kind: 'route', name: address, route: address })

const schemaNames = (components: Blocks): ReadonlySet<string> =>
  new Set([...components.keys()].flatMap((reference) => reference.split('#/components/schemas/')[1] ?? []))

const definitionsOf = (components: Blocks): Definitions =>
  remembered((reference) => {
    const block = components.get(reference)
    if (block === undefined) return innerDefinition(reference, components)
    return { name: reference.slice(reference.lastIndexOf('/') + 1), schema: fieldUnder(block) }
  })

/** One that stands in a component: `Order/$defs/Line`, in the words of 3.0 `Order_Line`. */
function innerDefinition(reference: string, components: Blocks): ReturnType<Definitions> {
  const [, outer, name] = /^(#\/components\/schemas\/[^/]+)\/\$defs\/([^/]+)$/.exec(reference) ?? []
  const pairs = outer === undefined || name === undefined ? splits(reference) : [[outer, name] as const]
  for (const [component, inner] of pairs) {
    const block = components.get(component)
    const definitions = block === undefined ? {} : recordOf(recordOf(fieldUnder(block)).$defs)
    if (Object.hasOwn(definitions, inner)) return { name: inner, schema: definitions[inner] }
  }
  return null
}

const splits = (reference: string): readonly (readonly [component: string, inner: string])[] =>
  [...reference.matchAll(/_/g)].map(({ index }) => [reference.slice(0, index), reference.slice(index + 1)])

const schemaOf = ({ schema, content }: Fields): unknown =>
  schema ?? recordOf(Object.values(recordOf(content))[0]).schema

function requiredFinding(
  from: Fields,
  to: Fields,
  subject: ChangedPart,
  path: string,
): readonly ContractChange[] {
  const [old, current] = [from.required === true, to.required === true]
  if (old === current) return []
  return [finding(current ? 'inputRequired' : 'inputWidened', subject, { path, before: old, after: current })]
}

const textFinding = (
  from: Fields,
  to: Fields,
  subject: ChangedPart,
  path: string,
): readonly ContractChange[] =>
  isSame([from.description, from.deprecated], [to.description, to.deprecated])
    ? []
    : [finding('documented', subject, { path, before: from.description, after: to.description })]

/** What an answer can be when something went wrong is no promise to succeed. */
const ofError = (one: ContractChange): ContractChange =>
  ['outputWidened', 'outputGone', 'outputOptional', 'outputValueNew'].includes(one.rule) &&
  one.subject.kind === 'route'
    ? { ...one, rule: 'errorBody' }
    : one

interface Statuses {
  readonly from: ReadonlyMap<string, unknown>
  readonly to: ReadonlyMap<string, unknown>
}

function statusFinding(status: string, { from, to }: Statuses, subject: ChangedPart): ContractChange {
  const isGone = !to.has(status)
  const isSuccess = /^[123]/.test(status)
  const told = isGone ? { path: status, before: status } : { path: status, after: status }
  if (!isSuccess) return finding('harmless', subject, told)
  const isOfClass = (other: string): boolean => other[0] === status[0]
  if (isGone)
    return finding([...to.keys()].some(isOfClass) ? 'statusChanged' : 'statusClassGone', subject, told)
  return finding('statusChanged', subject, { ...told, before: [...from.keys()].filter(isOfClass) })
}

function headerFindings(
  before: unknown,
  after: unknown,
  { subject, status }: OfStatus,
): readonly ContractChange[] {
  const [from, to] = [recordOf(before), recordOf(after)]
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])]
  return names.flatMap((name) => {
    const [before, after] = [ownIn(from, name), ownIn(to, name)]
    if (isSame(before, after)) return []
    const isNew = before === undefined
    const isSaid = !isNew && isSame(withoutText(before), withoutText(after))
    const rule = isNew ? 'harmless' : isSaid ? 'documented' : 'headerGone'
    return [finding(rule, subject, { path: `${status} ${name}`, before, after })]
  })
}

/** What a response has beside its content. */
function linkFinding(from: Fields, to: Fields, { subject, status }: OfStatus): readonly ContractChange[] {
  const rest = ({ content: _c, headers: _h, description: _d, ...more }: Fields): Fields => more
  return isSame(rest(from), rest(to))
    ? []
    : [finding('unknown', subject, { path: status, before: rest(from), after: rest(to) })]
}

/** Whoever was let in must be let in still, and nobody else: each old way is one of the new ones, with no more scopes. */
function accessFindings(before: unknown, after: unknown, subject: ChangedPart): readonly ContractChange[] {
  if (isSame(before, after)) return []
  const [from, to] = [waysOf(before), waysOf(after)]
  const isServed = (ways: readonly Way[], wanted: Way): boolean =>
    ways.some((way) =>
      Object.keys(way).every(
        (scheme) => Object.hasOwn(wanted, scheme) && isWithin(way[scheme], wanted[scheme]),
      ),
    )
  const told = { path: '', tag: 'scope', before, after }
  const isHarder = from.some((way) => !isServed(to, way))
  const isEasier = to.some((way) => !isServed(from, way))
  return [
    ...(isHarder ? [finding('scopeAdded', subject, told)] : []),
    ...(isEasier ? [finding('accessEased', subject, told)] : []),
    ...(isHarder || isEasier ? [] : [finding('harmless', subject, told)]),
  ]
}

type Way = Readonly<Record<string, readonly string[]>>

/** No way at all is a way without credentials. */
function waysOf(security: unknown): readonly Way[] {
  const ways = itemsOf(security).map((way) =>
    Object.fromEntries(Object.entries(recordOf(way)).map(([scheme, scopes]) => [scheme, textItems(scopes)])),
  )
  return ways.length === 0 ? [{}] : ways
}

const isWithin = (needed: readonly string[] = [], had: readonly string[] = []): boolean =>
  needed.every((scope) => had.includes(scope))

const handled = new Set(['parameters', 'requestBody', 'responses', 'security'])
const saidOnly = new Set(['summary', 'description', 'tags', 'deprecated', 'externalDocs'])

/** A field of an operation. */
function fieldFinding(
  name: string,
  before: unknown,
  after: unknown,
  subject: ChangedPart,
): readonly ContractChange[] {
  if (handled.has(name) || isSame(before, after)) return []
  if (name === 'operationId') return [finding('routeRenamed', subject, { before, after })]
  if (saidOnly.has(name)) return [finding('documented', subject, { path: name, before, after })]
  return tagFinding(name.replace('x-acmcp-', ''), before, after).map((told) =>
    finding(told.rule, subject, { tag: told.tag, path: told.path, before, after }),
  )
}

interface TagTold {
  readonly rule: RuleName
  readonly tag: string
  readonly path: string
}

/** What a tag says of a route and of its tool, in either document. */
export function tagFinding(name: string, before: unknown, after: unknown): readonly TagTold[] {
  const told = (rule: RuleName, tag = name): readonly TagTold[] => [{ rule, tag, path: tag }]
  if (name === 'approval') return approvalFinding(recordOf(before), recordOf(after), { before, after })
  if (name === 'limit' || name === 'timeout' || name.endsWith('limit')) return told('limitChanged')
  if (name === 'idempotency-key' || name === 'idempotencyKey')
    return told(after === undefined ? 'keyGone' : 'harmless', 'idempotencyKey')
  return told('unknown')
}

function approvalFinding(
  from: Fields,
  to: Fields,
  { before, after }: { readonly before: unknown; readonly after: unknown },
): readonly TagTold[] {
  const told = (rule: RuleName): readonly TagTold[] => [{ rule, tag: 'approval', path: 'approval' }]
  if (after === undefined) return told('approvalGone')
  if (before === undefined) return told('approvalAdded')
  const rest = ({ sentence: _, ...more }: Fields): Fields => more
  if (isSame(rest(from), rest(to))) return told('askedText')
  // who is let past without being asked
  return [...told(from.unless === undefined && to.unless !== undefined ? 'approvalGone' : 'unknown')]
}
