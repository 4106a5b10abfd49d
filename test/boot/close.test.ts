/** The end of an application, when parts of it fail. */
import t from 'tap'
import { createApplication, type Dependencies } from '../../runtime/boot/application.ts'
import { buildStudio } from '../http/limits/studio.ts'
import { surroundings } from '../support/surroundings.ts'

const bundle = await buildStudio()

/** An application whose plugin ends as told, and what has ended. */
async function opened({ plugin }: { readonly plugin?: Error }) {
  const ended: string[] = []
  const regular = new Set<unknown>()
  const every: Dependencies['every'] = (_ms, work) => {
    regular.add(work)
    return async () => void regular.delete(work)
  }
  const application = await createApplication(
    { ...bundle },
    { ...surroundings('http://localhost:4000'), every },
  )
  application.server.addHook('onClose', async () => {
    ended.push('plugin')
    if (plugin !== undefined) throw plugin
  })
  await application.server.ready()
  return { application, ended, regular }
}

const storeWork = new Error('old rows could not be deleted')
const plugin = new Error('a plugin fails')

for (const [name, fails, work] of [
  ['nothing', {}, null],
  ['the work on the store', {}, storeWork],
  ['a hook of a plugin', { plugin }, null],
  ['both', { plugin }, storeWork],
] as const) {
  t.test(`whatever fails at the end, all is closed, and who closes hears of it: ${name}`, async (t) => {
    const { application, ended, regular } = await opened(fails)
    t.ok(regular.size > 0, 'there is regular work')
    await application.store.saveUser({ id: 'ada', name: 'Ada', email: null })
    const wrong = [...Object.values(fails), work].filter((error) => error !== null)
    const closing = application.close(work === null ? Promise.resolve() : Promise.reject(work), 0)
    const heard = await closing.then(
      () => null,
      (error: unknown) => error,
    )
    t.equal(heard === null, wrong.length === 0)
    if (heard !== null)
      t.ok(
        wrong.some((error) => error === heard),
        String(heard),
      )
    t.strictSame(ended, ['plugin'])
    t.equal(regular.size, 0, 'no regular work is left')
    await t.rejects(application.store.saveUser({ id: 'bob', name: 'Bob', email: null }), {
      message: 'driver has already been destroyed',
    })
  })
}
