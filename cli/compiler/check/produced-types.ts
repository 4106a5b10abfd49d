/** `@produces` of a type that nothing writes: every call would fail. */
import { typeWithoutResponder } from '../diagnostics/model-diagnostics.ts'
import type { Diagnostic } from '../diagnostics/source-diagnostics.ts'
import type { Controller, Model } from '../ir/model.ts'
import type { Schema } from '../ir/schema.ts'
import { isSentAsIs } from '../ir/sent-form.ts'
import type { DeclaredController } from '../ir/source-model.ts'
import { alternativesOf } from '../schema/references.ts'

interface Subject {
  readonly controller: Controller
  readonly declared: DeclaredController
  readonly app: Pick<Model, 'responders' | 'schemas'>
}

export const builtInTypes: readonly string[] = [
  'application/json',
  'application/yaml',
  'text/yaml',
  'text/plain',
]

/** Texts and bytes are sent as they are under any type, and so is what a stream holds. */
export function producedTypesAreWritten({ controller, declared, app }: Subject): readonly Diagnostic[] {
  return controller.actions.flatMap(({ method, results, produces, shortOf }) => {
    const { tags = [] } = declared.methods.find(({ name }) => name === method) ?? {}
    const at = tags.find(({ tag }) => tag === '@produces')?.at
    const type = produces?.split(';')[0]?.trim().toLowerCase()
    if (at === undefined || type === undefined || shortOf !== null || isWritten(type, app.responders))
      return []
    const isEachSent = results.every(({ schema }) => schema === null || isSent(schema, app.schemas))
    return isEachSent ? [] : [typeWithoutResponder(at, type)]
  })
}

const isWritten = (type: string, responders: readonly string[]): boolean =>
  builtInTypes.includes(type) || type.endsWith('+json') || responders.includes(type)

const isSent = (schema: Schema, named: Subject['app']['schemas']): boolean =>
  alternativesOf(schema, named).every((item) => isSentAsIs(item) || streamed.has(item.kind))

/** Kinds that say nothing of their content; items of streams are judged where the tag is read. */
const streamed: ReadonlySet<Schema['kind']> = new Set<Schema['kind']>(['binary', 'events', 'never'])
