/** The types of answers without what is taken alone: a type that is also taken has a second form under a name of its own, and a name
 *  that one member of a union withholds is left out of the others. Where nothing is withheld all is as it was. */
// Source: decisions/compiler.md, Decorators of other libraries.
import { memoize, memoizeLast } from '../cache/memoize.ts'
import { freeName } from '../ir/safe-names.ts'
import type { NamedSchema, Schema } from '../ir/schema.ts'
import { partsOf, refsOf } from '../ir/schema-walk.ts'
import type { Declared, DeclaredController, DeclaredMethod } from '../ir/source-model.ts'
import { answerForm } from './answered.ts'
import { reachable } from './references.ts'

type Named = readonly NamedSchema[]

/** What was declared, with answers as they leave. */
export function withAnswerForms(declared: Declared): Declared {
  const { controllers, schemas } = declared
  if (!schemas.some(({ schema }) => withholds(schema)) && !controllers.some(withholdsInAnswers))
    return declared
  const methods = controllers.flatMap((controller) => controller.methods)
  const taken = reachable(
    methods.flatMap(({ params }) => params.map(({ schema }) => schema)),
    schemas,
  )
  const names = taken.map(({ name }) => name)
  const form = formOf(schemas, names.join(), new Set(names))
  return {
    ...declared,
    schemas: schemas.flatMap((item) => formsOf(item, taken.includes(item), form)),
    controllers: controllers.map((controller) => answering(controller, form)),
  }
}

const withholds = (schema: Schema): boolean => partsOf(schema).isWriteOnly || partsOf(schema).withholds

/** Asked once of a controller, however often a session builds. */
const withholdsInAnswers = memoize(({ methods }: DeclaredController) =>
  methods.flatMap(answersOf).some(withholds),
)

const answersOf = ({ result, returns, throws }: DeclaredMethod): readonly Schema[] =>
  [result, ...[...returns, ...throws].map(({ schema }) => schema)].flatMap((schema) => schema ?? [])

interface Form {
  /** The schema as it is answered. */
  readonly of: (schema: Schema) => Schema
  readonly nameOf: (name: string) => string
}

/** Of types that are taken too the form has another name. */
const formOf = memoizeLast((named: Named, _names: string, taken: ReadonlySet<string>): Form => {
  const formed = (schema: Schema, nameOf: Form['nameOf'], isConcerned: (item: Schema) => boolean): Schema =>
    answerForm(schema, { named, leavesOut: 'isWriteOnly', isConcerned, nameOf })
  const plain = (schema: Schema): Schema =>
    formed(
      schema,
      (name) => name,
      () => true,
    )
  const changed = new Set(named.filter(({ schema }) => differ(plain(schema), schema)).map(({ name }) => name))
  for (const name of changed)
    for (const other of named) if (refsOf(other.schema).includes(name)) changed.add(other.name) // grows as it is walked
  const names = new Set(named.map(({ name }) => name))
  const renamed = new Map<string, string>()
  for (const name of changed) {
    if (taken.has(name))
      renamed.set(
        name,
        freeName(`${name}Answer`, (other) => names.has(other)),
      )
  }
  const nameOf = (name: string): string => renamed.get(name) ?? name
  const isConcerned = (schema: Schema): boolean =>
    refsOf(schema).some((name) => changed.has(name)) || differ(plain(schema), schema)
  return { of: (schema) => formed(schema, nameOf, isConcerned), nameOf }
})

const differ = (a: Schema, b: Schema): boolean => JSON.stringify(a) !== JSON.stringify(b)

function formsOf(item: NamedSchema, isTaken: boolean, { of, nameOf }: Form): readonly NamedSchema[] {
  const schema = of(item.schema)
  if (schema === item.schema) return [item]
  const answer = { ...item, name: nameOf(item.name), schema }
  return isTaken ? [item, answer] : [answer]
}

/** A controller is formed once for a form: what is made of it later is kept by it. What another controller takes is another form. */
const answering = memoizeLast(
  (controller: DeclaredController, form: Form): DeclaredController => ({
    ...controller,
    methods: controller.methods.map((method) => ({
      ...method,
      result: method.result === null ? null : form.of(method.result),
      returns: method.returns.map((item) => withForm(item, form)),
      throws: method.throws.map((item) => withForm(item, form)),
    })),
  }),
)

const withForm = <T extends { readonly schema: Schema | null }>(item: T, { of }: Form): T => ({
  ...item,
  schema: item.schema === null ? null : of(item.schema),
})
