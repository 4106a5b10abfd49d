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
import { type Comment, memberTags, readTypeOf, refuse, type Tag } from '../jsdoc/doc-comment.ts'
import { readIcon } from '../jsdoc/icon-tag.ts'
import { readLimits, refuseIdleTimeout } from '../jsdoc/limit-tags.ts'
import { readCompletions } from '../jsdoc/mcp/prompt-tags.ts'
import { readMethodScopes } from '../jsdoc/scope-tags.ts'
import { readExceptions, readFilter, readMcp, readRoutes } from '../jsdoc/tag-grammar.ts'
import { sharedTags } from '../language.ts'
import { type OverflowSite, readOrReport } from '../program/overflow.ts'
import { placeOfNode, type Source } from '../program/program.ts'
import type { ts } from '../program/typescript.ts'
import type { TypeLocation, TypeReader } from '../types/type-reader.ts'
import { resolveError } from './exception-classes.ts'
import { ownerOf } from './heritage.ts'
import { readDeclaredParams } from './parameters.ts'
import { isMcpOnly, reportOfferings } from './prompts.ts'
import { type Results, readFilterAnswers, readProduces, readResults, readThrows } from './responses.ts'

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
  readonly isOverloaded: boolean
}

/** The record of `member`. Its types are those that the concrete class sees. */
export function readMethod(reader: TypeReader, member: Member): DeclaredMethod {
  const { source } = reader
  const { tags } = member.comment
  const routes = readRoutes(source, tags)
  const filter = readFilter(source, tags)
  const isHandler = tags.some(({ name }) => name === 'exception')
  const [first] = member.signature.getParameters()
  const exceptions = readExceptions(source, tags, (type, tag) => {
    return readTypeOf(source, tag, () => resolveError(source, type, tag, first), null)
  })
  const offered = { mcp: readMcp(source, tags), completes: readCompletions(source, tags), routes }
  const isOffered = isMcpOnly(offered)
  reportRoles(source, member, [routes.length > 0 || isOffered, filter !== null, isHandler])
  const owner = ownerOf(source, member.node)
  const location: TypeLocation = {
    at: placeOfNode(source, member.node.name),
    path: `${owner.name}.${member.name}`,
  }
  const isAround = filter?.when === 'around'
  const isSocket = readsSocket(source, member, routes)
  const skipped = skippedParameters(source, member, { isAround, isHandler, isSocket })
  const resultAt = resultLocation(source, member, location)
  const isAnswered = filter === null && !isOffered
  const answers = isAnswered ? readAnswers(reader, member, resultAt) : noResults
  reportOfferings(source, {
    ...offered,
    name: location.path,
    tags,
    signature: member.signature,
    resultAt: resultAt.at,
  })
  refuseIdleTimeout(source, tags, { routes, ...answers })
  return {
    name: member.name,
    owner,
    calledOn: member.calledOn,
    isOverloaded: member.isOverloaded,
    depth: member.depth,
    routes,
    filter,
    exceptions,
    ...answers,
    throws: [
      ...readThrows(source, tags),
      ...(filter === null ? [] : readFilterAnswers(reader, tags, location)),
    ],
    produces: readProduces(source, tags),
    scopes: readMethodScopes(source, tags, member.depth),
    limits: readLimits(source, tags),
    mcp: offered.mcp,
    icon: readIcon(source, tags),
    completes: offered.completes,
    params: readDeclaredParams(reader, { signature: member.signature, tags, skipped }, location),
    doc: member.doc,
    docAt: placeOfNode(source, member.docNode),
    at: location.at,
  }
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
    return { ...results, result: result === null ? null : reader.names.aliased(result, node) }
  }
  const site = (): OverflowSite => ({
    at: location.at,
    path: `${location.path}()`,
    text: node?.getText() ?? location.path,
  })
  return readOrReport(reader.source, site, read, noResults)
}

function reportRoles(source: Source, member: Member, roles: readonly boolean[]): void {
  if (roles.filter(Boolean).length > 1) source.report(rolesMixed(secondRole(member), member.name))
  const [isRoute, , isHandler] = roles
  for (const tag of isRoute === true ? [] : member.comment.tags) {
    if (tag.name === 'produces' && isHandler === true) {
      refuse(source, tag, `${member.name} is a handler`, 'Write type= behind the status of @exception.')
    } else if (tag.name === 'mcp' || tag.name === 'produces') {
      refuse(source, tag, `${member.name} has no route`, 'Add a route, such as @get /path.')
    } else if (tag.name === 'scope' || sharedTags.includes(tag.name)) {
      refuse(
        source,
        tag,
        `${member.name} is no route`,
        'Move it to the routes that need it, or to the class for all of them.',
      )
    }
  }
}

/** Tags that say more of a route. */
const additions: ReadonlySet<string> = new Set(['mcp', 'complete', 'produces', 'scope', ...sharedTags])

/** The tag that makes the method more than its first one does. */
function secondRole({ comment: { tags } }: Member): At {
  const roleOf = ({ name }: Tag): string => (name === 'filter' || name === 'exception' ? name : 'route')
  const roles = tags.filter(({ name }) => memberTags.has(name) && !additions.has(name))
  const [first] = roles
  const second = roles.find((tag) => first !== undefined && roleOf(tag) !== roleOf(first))
  return (second ?? first)?.at ?? { file: '', line: 1, column: 1 } // there are two, or nobody asks
}

/** An around filter's first parameter is `next`, a handler's the error, a WebSocket route's the socket. */
function skippedParameters(
  source: Source,
  member: Member,
  { isAround, isHandler, isSocket }: Readonly<Record<'isAround' | 'isHandler' | 'isSocket', boolean>>,
): number {
  const [first] = member.signature.getParameters()
  const at = placeOfNode(source, member.node.name)
  if (isAround) {
    const type = first === undefined ? undefined : source.checker.getTypeOfSymbol(first)
    const node = first?.valueDeclaration
    const taken = node === undefined ? at : placeOfNode(source, node)
    if ((type?.getCallSignatures().length ?? 0) === 0) source.report(aroundWithoutNext(taken, member.name))
    return 1
  }
  if (isHandler && first === undefined) source.report(handlerWithoutError(at, member.name))
  if (isSocket && first === undefined) source.report(websocketWithoutSocket(at, member.name))
  return isHandler || isSocket ? 1 : 0
}

/** Whether the method serves WebSockets; then it serves nothing else, for its first parameter is the socket. */
function readsSocket(source: Source, member: Member, routes: DeclaredMethod['routes']): boolean {
  const sockets = routes.filter(({ websocket }) => websocket)
  const [plain] = routes.filter(({ websocket }) => !websocket)
  if (sockets.length > 0 && plain !== undefined) source.report(websocketMixed(plain.at, member.name))
  return sockets.length > 0
}
