import t from 'tap'
import { compile } from '../../../cli/compiler/compile.ts'
import { emitCodecs } from '../../../cli/compiler/emit/codecs/codecs.ts'
import type { Model } from '../../../cli/compiler/ir/model.ts'
import { zoo } from '../random/changes.ts'
import { memoryHost } from '../support/memory-host.ts'

/** Models of which the actions come and go; what stays is the same object, as between the builds of `--watch`. */
function walk(model: Model): readonly Model[] {
  const item = (index: number): Model => ({
    ...model,
    controllers: model.controllers.map((controller, place) =>
      (place + index) % 3 === 0
        ? { ...controller, actions: controller.actions.filter((_, turn) => (turn + index) % 3 !== 0) }
        : controller,
    ),
  })
  const models = Array.from({ length: 12 }, (_, index) => item(index))
  return models.flatMap((next) => [next, { ...next, controllers: next.controllers.slice(1) }, model])
}

/** One of its types holds itself now. */
function withCircle(model: Model): Model {
  const place = model.schemas.findIndex(({ schema }) => schema.kind === 'object')
  const schemas = model.schemas.map((schema, index) => {
    if (index !== place || schema.schema.kind !== 'object') return schema
    const self = { kind: 'ref', name: schema.name } as const
    const [first] = schema.schema.properties
    const more = first === undefined ? [] : [{ ...first, name: 'again', schema: self, required: false }]
    return { ...schema, schema: { ...schema.schema, properties: [...schema.schema.properties, ...more] } }
  })
  return { ...model, schemas }
}

t.test('codecs of which most is kept are the text that is printed afresh', async (t) => {
  const { model } = compile(memoryHost(zoo))
  const models = [...walk(model), ...walk(withCircle(model)), model]
  const texts = models.map((item) => emitCodecs(item))
  t.ok(new Set(texts).size > 5, 'they differ')
  t.strictSame(
    texts,
    models.map((item) => emitCodecs(structuredClone(item))),
  )
})
