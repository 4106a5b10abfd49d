/** What a build looks into after one controller changed: every pass goes on from what it kept of the others. */
import t from 'tap'
import { compile } from '../../../cli/compiler/compile.ts'
import { acmcpSources } from '../../bench/build/sources.ts'
import { memoryHost } from '../support/memory-host.ts'

/** Notes `name` whenever somebody looks at the field of `owner`. */
function watchField<T extends object, K extends keyof T>(owner: T, field: K, note: () => void): void {
  const value = owner[field]
  const get = (): T[K] => {
    note()
    return value
  }
  Object.defineProperty(owner, field, { get, enumerable: true })
}

t.test(
  'issue 3: after one change the methods and types of other controllers are not looked into',
  async (t) => {
    const files = Object.fromEntries(acmcpSources(20))
    const changed = 'app/controllers/item000s.ts'
    const before = compile(memoryHost(files), { lint: true })
    const looked = new Set<string>()
    for (const controller of before.reading.units.flatMap((unit) => unit.controllers)) {
      watchField(controller, 'methods', () => looked.add(controller.symbol.name))
    }
    for (const schema of before.model.schemas) watchField(schema, 'schema', () => looked.add(schema.name))
    const after = { ...files, [changed]: (files[changed] ?? '').replace('Shows one', 'Shows any') }
    const change = { before: before.reading, files: [changed] }
    const built = compile(memoryHost(after), { lint: true, change })
    t.ok(looked.has('Item000'), 'what the changed controller reaches is looked at')
    t.strictSame(
      [...looked].filter((name) => /item0(?!00)/i.test(name)),
      [],
    )
    const full = compile(memoryHost(after), { lint: true })
    t.strictSame([built.files, built.codecs, built.catalogue], [full.files, full.codecs, full.catalogue])
  },
)
