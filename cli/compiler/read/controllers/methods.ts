/** A tagged method → its record: routes, filter, handlers, parameters and result. */

import {
  aroundWithoutNext,
  handlerWithoutError,
  rolesMixed,
  websocketMixed,
  websocketWithoutSocket,
} from '../../diagnostics/source-diagnostics.ts'
import type { At, Doc } from '../../ir/schema.ts'
import type { DeclaredMethod } from '../../ir/source-model.ts'
import { type Comment, readTypeOf } from '../jsdoc/doc-comment.ts'
import { readFeatures } from '../jsdoc/feature-tags.ts'
import { readMcp } from '../jsdoc/mcp/mcp-tag.ts'
import { readCompletions } from '../jsdoc/mcp/prompt-tags.ts'
import { refuseTypedEvents } from '../jsdoc/produced-events.ts'
import { readMethodScopes } from '../jsdoc/scope-tags.ts'
import type { Tag } from '../jsdoc/tag.ts'
import { readExceptions, readFilter, readRoutes } from '../jsdoc/tag-grammar.ts'
import { judgeMethod, saidOfTools, tagsSaying } from '../jsdoc/tag-places.ts'
import { type MethodKind, methodTags } from '../language.ts'
import { writingCall } from '../lint/writing-calls.ts'
import { type OverflowSite, readOrReport } from '../program/overflow.ts'
import { placeOfNode, type Source } from '../program/program.ts'
import type { ts } from '../program/typescript.ts'
import type { TypeLocation, TypeReader } from '../types/type-reader.ts'
import { resolveError } from './exception-classes.ts'
import { ownerOf } from './heritage.ts'
import { readDeclaredParams } from './parameters.ts'
import { reportNoResource, reportOfferings } from './prompts.ts'
import {
  type Results,
  readFilterAnswers,
  readProduces,
  readResults,
  readThrows,
  reportSecretAnswer,
} from './responses.ts'

const noResults: Results = {
  returns: [],
  result: null,
  returnsMore: false,
  rendersItself: false,
  answersNothing: false,
}

export interface Member {
  readonly name: string
  readonly depth: number
  /** The declaration that carries the tags. */
  readonly node: ts.MethodDeclaration
  readonly comment: Comment
  /** The nearest doc comment's text, from the concrete class upwards. */
  readonly doc: Doc
  readonly docNode: ts.Node
  /** As the concrete class sees it. */
  readonly signature: ts.Signature
  readonly calledOn: DeclaredMethod['calledOn']
}

/** The record of `member`. Its types are those that the concrete class sees. */
export function readMethod(reader: TypeReader, member: Member): DeclaredMethod {
  const { source } = reader
  const { tags } = member.comment
  const [first] = member.signature.getParameters()
  const said = readMethodTags(source, member, first)
  const { filter, mcp, completes } = said
  const owner = ownerOf(source, member.node)
  const location: TypeLocation = {
    at: placeOfNode(source, member.node.name),
    path: `${owner.name}.${member.name}`,
  }
  const skipped = skippedParameters(source, member, said)
  const resultAt = resultLocation(source, member, location)
  const answers = filter === null ? readAnswers(reader, member, resultAt) : noResults
  const { signature } = member
  if (filter === null) reportSecretAnswer(source, signature, resultAt)
  reportOfferings(source, { mcp, completes, name: location.path, signature, resultAt: resultAt.at })
  refuseTypedEvents(source, tags, answers)
  return {
    name: member.name,
    owner,
    calledOn: member.calledOn,
    depth: member.depth,
    ...said,
    ...answers,
    throws: [...said.throws, ...(filter === null ? [] : readFilterAnswers(reader, tags, location))],
    params: readDeclaredParams(reader, { signature, tags, skipped }, location),
    writes: said.routes.some(({ verb }) => verb === 'GET') ? writingCall(source, member.node) : null,
    doc: member.doc,
    docAt: placeOfNode(source, member.docNode),
    at: location.at,
  }
}

type MethodTags = Omit<
  DeclaredMethod,
  | Exclude<keyof Member, 'comment' | 'node' | 'docNode' | 'signature'>
  | keyof Results
  | 'owner'
  | 'params'
  | 'writes'
  | 'docAt'
  | 'at'
>

/** What the tags of a method say by themselves, whatever its types are. `first`: its first parameter. */
export function readMethodTags(
  source: Source,
  member: Pick<Member, 'name' | 'node' | 'comment' | 'depth'>,
  first?: ts.Symbol,
): MethodTags {
  const { tags } = member.comment
  const exceptions = readExceptions(source, tags, (type, tag) =>
    readTypeOf(source, tag, () => resolveError(source, type, tag, first), null),
  )
  const said = {
    routes: readRoutes(source, tags),
    filter: readFilter(source, tags),
    exceptions,
    throws: readThrows(source, tags),
    produces: readProduces(source, tags),
    scopes: readMethodScopes(source, tags, member.depth),
    said: readFeatures(source, tags, { isClass: false, depth: member.depth }),
    mcp: readMcp(source, tags),
    completes: readCompletions(source, tags),
  }
  const kinds = kindsOf(said, tags)
  reportRoles(source, member, kinds)
  reportNoResource(source, member, said)
  judgeMethod(source, tags, kinds)
  return {
    ...said,
    toolTags: saidOfTools(source.language, tags, kinds),
    tags: tags.map(({ name, at }) => ({ tag: `@${name}`, at })),
  }
}

/** What the method is; whether a request is a tool shows only when all is known. */
function kindsOf(
  { routes, filter, mcp, completes }: Pick<DeclaredMethod, 'routes' | 'filter' | 'mcp' | 'completes'>,
  tags: readonly Tag[],
): readonly MethodKind[] {
  const requests: readonly (readonly [MethodKind, boolean])[] = [
    ['route', routes.some(({ websocket }) => !websocket)],
    ['socket', routes.some(({ websocket }) => websocket)],
    ['prompt', mcp.prompt !== null],
    ['completion', completes.length > 0],
  ]
  const is: readonly (readonly [MethodKind, boolean])[] = [
    ...requests,
    ['filter', filter !== null],
    ['handler', tags.some(({ name }) => name === 'exception')],
    ['tool', requests.some(([, isIt]) => isIt)],
    ['resource', mcp.resource !== null],
  ]
  return is.flatMap(([kind, isIt]) => (isIt ? [kind] : []))
}

/** A return type that is written is what must change. */
function resultLocation(source: Source, { signature }: Member, location: TypeLocation): TypeLocation {
  const node = signature.getDeclaration()?.type
  const isWritten = node !== undefined && source.isOwn(node.getSourceFile())
  return isWritten ? { ...location, at: placeOfNode(source, node) } : location
}

/** What the method answers; its result has the tags and names of the aliases that the return type is written with. */
function readAnswers(reader: TypeReader, { signature, comment }: Member, location: TypeLocation): Results {
  const node = signature.getDeclaration()?.type
  const read = (): Results => {
    const results = readResults(reader, signature.getReturnType(), comment.tags, location)
    const { result } = results
    return result === null ? results : { ...results, result: reader.names.aliased(result, node) }
  }
  const site = (): OverflowSite => ({
    at: location.at,
    path: `${location.path}()`,
    text: node?.getText() ?? location.path,
  })
  return readOrReport(reader.source, site, read, noResults)
}

type Tagged = Pick<Member, 'name' | 'node' | 'comment'>

function reportRoles(source: Source, member: Tagged, kinds: readonly MethodKind[]): void {
  const has = (kind: MethodKind): boolean => kinds.includes(kind)
  const roles = [has('tool'), has('filter'), has('handler')]
  if (roles.filter(Boolean).length > 1) source.report(rolesMixed(secondRole(member), member.name))
  if (!has('socket')) return
  const [first, ...others] = member.comment.tags.filter((tag) => roleOf(tag) === 'request')
  const second = others.find(({ name }) => (name === 'websocket') !== (first?.name === 'websocket'))
  if (second !== undefined) source.report(websocketMixed(second.at, member.name))
}

/** What a tag makes of its method; null = it only says more of it. */
function roleOf(tag: Tag): 'filter' | 'exception' | 'request' | null {
  if (tag.name === 'filter' || tag.name === 'exception') return tag.name
  if (tag.name === 'mcp') return tagsSaying([tag], 'prompt').length > 0 ? 'request' : null
  return methodTags.has(tag.name) ? 'request' : null
}

/** The tag that makes the method more than its first one does. */
function secondRole({ comment: { tags } }: Tagged): At {
  const [first, ...others] = tags.filter((tag) => roleOf(tag) !== null)
  const second = others.find((tag) => first !== undefined && roleOf(tag) !== roleOf(first))
  return (second ?? first)?.at ?? { file: '', line: 1, column: 1 } // there are two, or it is not asked for
}

/** An around filter's first parameter is `next`, a handler's the error, a WebSocket route's the socket. */
function skippedParameters(
  source: Source,
  member: Member,
  { filter, routes }: Pick<DeclaredMethod, 'filter' | 'routes'>,
): number {
  const [first] = member.signature.getParameters()
  const at = placeOfNode(source, member.node.name)
  if (filter?.when === 'around') {
    const type = first === undefined ? undefined : source.checker.getTypeOfSymbol(first)
    const node = first?.valueDeclaration
    const taken = node === undefined ? at : placeOfNode(source, node)
    if ((type?.getCallSignatures().length ?? 0) === 0) source.report(aroundWithoutNext(taken, member.name))
    return 1
  }
  const isHandler = member.comment.tags.some(({ name }) => name === 'exception')
  const isSocket = routes.some(({ websocket }) => websocket)
  if (isHandler && first === undefined) source.report(handlerWithoutError(at, member.name))
  if (isSocket && first === undefined) source.report(websocketWithoutSocket(at, member.name))
  return isHandler || isSocket ? 1 : 0
}
