import t from 'tap'
import { createMemos } from '../../../cli/compiler/cache/memoize.ts'
import { compile } from '../../../cli/compiler/compile.ts'
import { emitCodecs } from '../../../cli/compiler/emit/codecs/codecs.ts'
import type { Model } from '../../../cli/compiler/ir/model.ts'
import { zoo } from '../random/changes.ts'
import { memoryHost } from '../support/memory-host.ts'

/** Models of which the actions come and go; what stays is the same object, as between the builds of `--watch`. */
function walk(model: Model): readonly Model[] {
  const one = (index: number): Model => ({
    ...model,
    controllers: model.controllers.map((controller, place) =>
      (place + index) % 3 === 0
        ? { ...controller, actions: controller.actions.filter((_, turn) => (turn + index) % 3 !== 0) }
        : controller,
    ),
  })
  const models = Array.from({ length: 12 }, (_, index) => one(index))
  return models.flatMap((next) => [next, { ...next, controllers: next.controllers.slice(1) }, model])
}

/** One of its types holds itself now. */
function withCircle(model: Model): Model {
  const place = model.schemas.findIndex(({ schema }) => schema.kind === 'object')
  const schemas = model.schemas.map((one, index) => {
    if (index !== place || one.schema.kind !== 'object') return one
    const self = { kind: 'ref', name: one.name } as const
    const [first] = one.schema.properties
    const more = first === undefined ? [] : [{ ...first, name: 'again', schema: self, required: false }]
    return { ...one, schema: { ...one.schema, properties: [...one.schema.properties, ...more] } }
  })
  return { ...model, schemas }
}

t.test('codecs of which most is kept are the text that is printed afresh', async (t) => {
  const { model } = compile(memoryHost(zoo))
  const models = [...walk(model), ...walk(withCircle(model)), model]
  const memos = createMemos()
  const texts = models.map((one) => emitCodecs(one, memos))
  t.ok(new Set(texts).size > 5, 'they differ')
  t.strictSame(
    texts,
    models.map((one) => emitCodecs(one)),
  )
})
