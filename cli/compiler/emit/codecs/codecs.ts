/** Prints `.acmcp/codecs.mjs`: what reads the arguments of every route and says what its answers are declared to be, put together
 *  from the decoders of `acmcp/codec`. Each named type is a constant; where it is used it is looked up, for types may hold themselves. */

import type { Action, Controller, Model } from '../../ir/model.ts'
import type { NamedSchema, Schema } from '../../ir/schema.ts'
import { bare } from '../../ir/schema-walk.ts'
import type { Param } from '../../ir/steps.ts'
import { constantName, decoderText } from '../../schema/decoders.ts'
import { propertyName, quote } from '../../schema/javascript.ts'
import { memo } from '../../schema/memo.ts'
import { reachable } from '../../schema/references.ts'
import { answerSchemas, answersText, none } from './answers.ts'

/** A module that exports `codecs`, by route id. What is kept of controllers and schemas is not looked into. */
export function emitCodecs({ controllers, schemas }: Model): string {
  const actions = controllers.flatMap((controller) => [...controller.actions, ...controller.mcpOnly])
  const used = reachable([...actions.flatMap(schemasRead), ...actions.flatMap(answerSchemas)], schemas)
  return [
    "import * as c from 'acmcp/codec'\n",
    ...used.map((schema) => printConstant(schema, schemas)),
    'export const codecs = {\n',
    ...controllers.map((controller) => printController(controller, schemas)),
    '}\n',
  ].join('')
}

/** What is read of a request to `action`, one list a method. */
const paramLists = ({ params, filters, handlers }: Action): readonly (readonly Param[])[] =>
  [{ params }, ...filters, ...handlers].map((filter) => filter.params)

const schemasRead = (action: Action): readonly Schema[] =>
  paramLists(action)
    .flat()
    .map(({ schema }) => schema)

/** Objects alone are told by their names: of texts and numbers their values say more. */
const printConstant = memo(({ name, schema }: NamedSchema, named): string => {
  const text = decoderText(schema, named)
  const isObject = bare(schema).kind === 'object'
  return `const ${constantName(name)}=${isObject ? `c.named(${quote(name)},${text})` : text}\n`
})

const printController = memo(({ actions, mcpOnly }: Controller, named): string =>
  [...actions, ...mcpOnly]
    .map((action) => `${propertyName(action.id)}:${printRoute(action, named)},\n`)
    .join(''),
)

/** A call; what stands at its end and is as usual is left out. */
function printRoute(action: Action, named: readonly NamedSchema[]): string {
  const { params, filters, handlers } = action
  const parts = [
    printParams(params, named),
    `[${filters.map((filter) => printParams(filter.params, named)).join()}]`,
    `[${handlers.map((handler) => printParams(handler.params, named)).join()}]`,
    ...answersText(action, named),
  ]
  const length = parts.findLastIndex((part) => part !== '[]' && part !== none) + 1
  return `c.route(${parts.slice(0, Math.max(length, 1)).join()})`
}

function printParams(params: readonly Param[], named: readonly NamedSchema[]): string {
  const items = params.map(({ wireName, from, required, absent, schema, isSecret }) => {
    const text = decoderText(schema, named)
    const kind = required ? 1 : absent === 'null' ? 2 : 0
    return `c.param(${quote(wireName)},${quote(from)},${kind},${isSecret ? `c.concealed(${text})` : text})`
  })
  return `[${items.join()}]`
}
