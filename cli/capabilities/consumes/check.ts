/** `@consumes` names types in which this very body can be read. */
import type { Subject } from '../../compiler/check/controller-rules.ts'
import {
  badTag,
  type Diagnostic,
  type MessageAndHint,
} from '../../compiler/diagnostics/source-diagnostics.ts'
import { meantBy } from '../../compiler/feature.ts'
import type { Action } from '../../compiler/ir/model.ts'
import { isFile } from '../../compiler/ir/schema-walk.ts'
import { readableTypes } from '../../compiler/schema/body-types.ts'

export function bodiesAreReadable({ controller, declared, app }: Subject): readonly Diagnostic[] {
  const longest = controller.actions.filter(({ shortOf }) => shortOf === null)
  return longest.flatMap((action) => {
    const types = meantBy<readonly string[]>({ tag: 'consumes' }, action)
    const tags = declared.methods.find(({ name }) => name === action.method)?.tags ?? []
    const tag = tags.find((tagPlace) => tagPlace.tag === '@consumes')
    if (types === null || tag === undefined) return []
    const why = whyUnreadable(action, types, app)
    return why === null ? [] : [badTag(tag.at, 'consumes', ...why)]
  })
}

function whyUnreadable(
  action: Action,
  consumes: readonly string[],
  app: Subject['app'],
): MessageAndHint | null {
  const readable = readableTypes(action, app)
  if (readable.length === 0) return ['the route reads no body', 'Remove it.']
  const lost = consumes.find((type) => !readable.includes(type))
  const parsers = 'further types need a parser: `parsers` in app/config.ts.'
  if (lost !== undefined)
    return [`the body cannot be read as ${lost}`, `Write of ${readable.join(', ')}; ${parsers}`]
  const file = action.inputs.find(({ schema }) => isFile(schema))
  if (file === undefined || consumes.includes('multipart/form-data')) return null
  return [`${file.name} is a file, and no type of these carries it`, 'Add multipart/form-data.']
}
