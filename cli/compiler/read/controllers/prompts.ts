/** What tags of prompts, resources and completions ask of their method: its routes, and what it returns. */

import { noMessages, noTexts } from '../../diagnostics/prompt-diagnostics.ts'
import type { At } from '../../ir/schema.ts'
import type { DeclaredMethod } from '../../ir/source-model.ts'
import { refuse, type Tag } from '../jsdoc/doc-comment.ts'
import type { Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'

/** A method whose tags are read. */
export interface Offering extends Pick<DeclaredMethod, 'name' | 'mcp' | 'completes' | 'routes'> {
  readonly tags: readonly Tag[]
  readonly signature: ts.Signature
  /** Of the return type, where it is written. */
  readonly resultAt: At
}

/** Whether MCP clients reach the method without a route. */
export const isMcpOnly = ({
  mcp,
  completes,
  routes,
}: Omit<Offering, 'tags' | 'signature' | 'resultAt' | 'name'>): boolean =>
  routes.length === 0 && (mcp.prompt !== null || completes.length > 0)

/** Reports what does not go together. */
export function reportOfferings(source: Source, offering: Offering): void {
  const { name, mcp, completes, routes, signature, resultAt } = offering
  if (mcp.resource !== null && !routes.some(({ verb, websocket }) => verb === 'GET' && !websocket)) {
    refuseWhere(source, offering, /^resource\b/, [
      `${name} has no GET route`,
      'A resource is what a GET route answers: add @get /path.',
    ])
  }
  if (isMcpOnly(offering)) refuseWordsOfTools(source, offering)
  if (isMcpOnly(offering) && mcp.prompt === null) {
    refuseWhere(source, offering, /(?:^|\s)name=/, [
      `${name} is no tool, prompt or resource: nobody calls it by a name`,
      'Remove it.',
    ])
  }
  if (mcp.prompt === null && completes.length === 0) return
  const type = awaited(source, signature)
  if (mcp.prompt !== null && !isMessages(source, type)) source.report(noMessages(resultAt, name))
  if (completes.length > 0 && !isTexts(source, type)) source.report(noTexts(resultAt, name))
}

type WhyAndHint = readonly [why: string, hint: string]

function refuseWhere(source: Source, { tags }: Offering, text: RegExp, [why, hint]: WhyAndHint): void {
  for (const tag of tags.filter((one) => one.name === 'mcp' && text.test(one.text))) {
    refuse(source, tag, why, hint)
  }
}

/** What says something of a tool, where there is none. */
const wordsOfTools =
  /(?:^|\s)(?:root|noroot|hide|show|header|example|task|readOnly|destructive|idempotent|openWorld)\b/

function refuseWordsOfTools(source: Source, { name, tags }: Offering): void {
  for (const tag of tags.filter(({ name: tagName }) => tagName === 'mcp' || tagName === 'produces')) {
    const isOfPrompt =
      tag.name === 'mcp' && (/^(?:title|describe)\b/.test(tag.text) || !wordsOfTools.test(tag.text))
    if (isOfPrompt) continue
    refuse(
      source,
      tag,
      `${name} has no route, and is no tool`,
      'Remove it, or add a route, such as @get /path.',
    )
  }
}

const awaited = ({ checker }: Source, signature: ts.Signature): ts.Type => {
  const type = signature.getReturnType()
  return checker.getAwaitedType(type) ?? type
}

const isUnknown = (type: ts.Type): boolean => (type.flags & ts.TypeFlags.Any) !== 0

const membersOf = (type: ts.Type): readonly ts.Type[] => (type.isUnion() ? type.types : [type])

/** What nobody knows is a mistake of its own. */
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
    (one) => one.isStringLiteral() && roles.includes(one.value),
  )
  return isRole && membersOf(checker.getTypeOfSymbol(content)).every((one) => isBlock(checker, one))
}

const blocks: readonly string[] = ['text', 'image', 'audio', 'resource', 'resource_link']

function isBlock(checker: ts.TypeChecker, content: ts.Type): boolean {
  const type = content.getProperty('type')
  if (type === undefined) return false
  return membersOf(checker.getTypeOfSymbol(type)).every(
    (one) => one.isStringLiteral() && blocks.includes(one.value),
  )
}
