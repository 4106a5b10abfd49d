/** What of a route's answers leaves, what is left out for models, and what passes whole, with the reason: for people, and for
 *  `--strict answers`. */

import type { AnswerFacts, WholePart } from '../../../runtime/contract/answer-facts.ts'
import { type Memos, memo } from '../cache/memoize.ts'
import type { Action, Controller } from '../ir/model.ts'
import type { NamedSchema, Schema } from '../ir/schema.ts'
import { insideOf, maxPaths, pathsIn, stepOf } from './marks.ts'
import { schemaNamed } from './references.ts'
import { shapeText } from './shape-text.ts'

type Named = readonly NamedSchema[]

const keepFacts = memo<readonly AnswerFacts[]>()

/** The answers of a controller's routes, in source order. */
export function answerFactsOf(memos: Memos, controller: Controller, named: Named): readonly AnswerFacts[] {
  const make = (): readonly AnswerFacts[] =>
    [...controller.actions, ...controller.mcpOnly].map((action) => factsOf(action, named))
  return keepFacts(memos, controller, named, { context: '', make })
}

const factsOf = (action: Action, named: Named): AnswerFacts => ({
  route: action.id,
  type: typeText(action),
  isInferred: action.isInferred,
  leavesOut: pathsIn('isSecret', action, named),
  whole: wholeParts(action, named),
})

function typeText({ results, rendersUntyped, websocket }: Action): string {
  if (websocket) return 'messages'
  const [first] = results
  const texts = results.map(({ status, schema }) => {
    const text = schema === null ? (rendersUntyped ? 'rendered' : 'nothing') : shapeText(schema)
    return status === 200 || status === first?.status ? text : `${text} ${status}`
  })
  return [...new Set(texts)].join(', ')
}

/** What of the answers no type cuts. */
export function wholeParts(action: Action, named: Named): readonly WholePart[] {
  if (action.websocket) return [{ path: '', why: 'messages of a WebSocket' }]
  const found = new Map<string, WholePart>()
  if (action.rendersUntyped) add(found, '', 'rendered without a declared type')
  for (const { schema } of action.results)
    if (schema !== null) addWhole(schema, { named, found }, { path: '', open: [] })
  return [...found.values()]
}

interface Search {
  readonly named: Named
  readonly found: Map<string, WholePart>
}

interface Place {
  readonly path: string
  /** The named types around. */
  readonly open: readonly string[]
}

const add = (found: Search['found'], path: string, why: string): void =>
  void found.set(JSON.stringify([path, why]), { path, why })

function addWhole(schema: Schema, search: Search, { path, open }: Place): void {
  const { named, found } = search
  if (found.size >= maxPaths) return
  const why = reasonOf(schema)
  if (why !== null) add(found, path, why)
  for (const property of schema.kind === 'object' ? schema.properties : []) {
    if (property.isSecret) continue
    addWhole(property.schema, search, {
      path: path === '' ? stepOf(property) : `${path}.${stepOf(property)}`,
      open,
    })
  }
  for (const [step, inner] of insideOf(schema)) addWhole(inner, search, { path: `${path}${step}`, open })
  const target = schema.kind === 'ref' && !open.includes(schema.name) ? schemaNamed(schema.name, named) : null
  if (target !== null) addWhole(target.schema, search, { path, open: [...open, target.name] })
}

/** An index signature beside properties lets out what the type does not name; by itself it is a dictionary, of which all names
 *  are meant. */
function reasonOf(schema: Schema): string | null {
  switch (schema.kind) {
    case 'unknown':
      return 'unknown'
    case 'verbatim':
      return 'a file of @schema'
    case 'binary':
      return 'bytes'
    case 'object': {
      const hasIndex = schema.rest !== null || schema.named.length > 0
      return hasIndex && schema.properties.length > 0 ? 'an index signature' : null
    }
    default:
      return null
  }
}
