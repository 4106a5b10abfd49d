/** What tags of prompts, resources and completions ask of their method: its routes, and what it returns. */

import { noMessages, noTexts } from '../../diagnostics/prompt-diagnostics.ts'
import type { At } from '../../ir/schema.ts'
import type { DeclaredMethod } from '../../ir/source-model.ts'
import { refuse, type Tag } from '../jsdoc/tag.ts'
import { tagsSaying } from '../jsdoc/tag-places.ts'
import type { Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'

/** Whether MCP clients reach the method without a route. */
export const isMcpOnly = ({
  mcp,
  completes,
  routes,
}: Pick<DeclaredMethod, 'mcp' | 'completes' | 'routes'>): boolean =>
  routes.length === 0 && (mcp.prompt !== null || completes.length > 0)

/** Reports a resource of a method whose routes cannot be read. */
export function reportNoResource(
  source: Source,
  { name, comment: { tags } }: { readonly name: string; readonly comment: { readonly tags: readonly Tag[] } },
  { routes }: Pick<DeclaredMethod, 'routes'>,
): void {
  if (!routes.some(({ websocket }) => !websocket) || routes.some(({ verb }) => verb === 'GET')) return
  const hint = 'A resource is what a GET route answers: add @get /path.'
  for (const tag of tagsSaying(tags, 'resource')) refuse(source, tag, `${name} has no GET route`, hint)
}

interface Offering extends Pick<DeclaredMethod, 'name' | 'mcp' | 'completes'> {
  readonly signature: ts.Signature
  /** Of the return type, where it is written. */
  readonly resultAt: At
}

/** Reports prompts that are no messages, and completions that are no texts. */
export function reportOfferings(
  source: Source,
  { name, mcp, completes, signature, resultAt }: Offering,
): void {
  if (mcp.prompt === null && completes.length === 0) return
  const type = awaited(source, signature)
  if (mcp.prompt !== null && !isMessages(source, type)) source.report(noMessages(resultAt, name))
  if (completes.length > 0 && !isTexts(source, type)) source.report(noTexts(resultAt, name))
}

const awaited = ({ checker }: Source, signature: ts.Signature): ts.Type => {
  const type = signature.getReturnType()
  return checker.getAwaitedType(type) ?? type
}

const isUnknown = (type: ts.Type): boolean => (type.flags & ts.TypeFlags.Any) !== 0

const membersOf = (type: ts.Type): readonly ts.Type[] => (type.isUnion() ? type.types : [type])

/** An unknown type is a mistake of its own. */
const isText = (type: ts.Type): boolean => (type.flags & (ts.TypeFlags.StringLike | ts.TypeFlags.Any)) !== 0

const itemsOf = ({ checker }: Source, type: ts.Type): ts.Type | null =>
  checker.isArrayType(type) || checker.isTupleType(type)
    ? (checker.getIndexTypeOfType(type, ts.IndexKind.Number) ?? null)
    : null

function isTexts(source: Source, type: ts.Type): boolean {
  return membersOf(type).every((member) => {
    const items = itemsOf(source, member)
    return isUnknown(member) || (items !== null && membersOf(items).every(isText))
  })
}

/** A text, or a list of `{ role, content }` in the words of MCP. */
function isMessages(source: Source, type: ts.Type): boolean {
  return membersOf(type).every((member) => {
    const items = itemsOf(source, member)
    return isText(member) || (items !== null && membersOf(items).every((item) => isMessage(source, item)))
  })
}

const roles: readonly string[] = ['user', 'assistant']

function isMessage({ checker }: Source, type: ts.Type): boolean {
  const role = type.getProperty('role')
  const content = type.getProperty('content')
  if (role === undefined || content === undefined) return false
  const isRole = membersOf(checker.getTypeOfSymbol(role)).every(
    (member) => member.isStringLiteral() && roles.includes(member.value),
  )
  return isRole && membersOf(checker.getTypeOfSymbol(content)).every((member) => isBlock(checker, member))
}

const blocks: readonly string[] = ['text', 'image', 'audio', 'resource', 'resource_link']

function isBlock(checker: ts.TypeChecker, content: ts.Type): boolean {
  const type = content.getProperty('type')
  if (type === undefined) return false
  return membersOf(checker.getTypeOfSymbol(type)).every(
    (member) => member.isStringLiteral() && blocks.includes(member.value),
  )
}
