/** A task belongs to the tenant whose header its call had, on both engines. */
import t from 'tap'
import { temporaryFolder } from '../../flow/support.ts'
import { postgresOrNotice } from '../../store/postgres-server.ts'
import { clientOf, heldWork, type Instances, openInstances, until } from '../tasks/jobs.ts'
import { buildClinics } from './clinics.ts'

t.setTimeout(240_000) // a busy machine

const { bundle } = await buildClinics()
const postgres = await postgresOrNotice((text) => t.comment(text))
t.teardown(() => postgres?.stop())

const engines: Readonly<Record<string, () => string | Promise<string>>> = {
  SQLite: () => `sqlite:${temporaryFolder()}/clinics.db`,
  ...(postgres === null ? {} : { PostgreSQL: () => postgres.freshDatabase() }),
}

function both({ all: [first, second] }: Instances) {
  if (first === undefined || second === undefined) throw new Error('there are two')
  return [first, second] as const
}

for (const [engine, address] of Object.entries(engines)) {
  t.test(
    `${engine}: a task that runs again has the header of its call, whoever asks with which`,
    async (t) => {
      const opened = await openInstances(t, bundle, { databaseUrl: await address(), count: 2 })
      const [here, there] = both(opened)
      const ada = await opened.tokenOf('dev:ada', 'api')
      const eve = await opened.tokenOf('dev:eve', 'api')
      const held = heldWork()
      const made = async (headers: object): Promise<string> => {
        const { said } = await clientOf(here, ada).ask(
          'tools/call',
          { name: 'appointments_plan', arguments: {} },
          headers,
        )
        return said.taskId
      }
      const taskId = await made({ 'x-clinic': 'north', 'x-other': 'o' })
      const plain = await made({})
      t.strictSame([(await held.begun(0)).name, (await held.begun(1)).name], ['north', 'main'])
      await here.application.close(undefined, 0)
      const get = (token: string, id: string, clinic: string) =>
        clientOf(there, token).ask('tasks/get', { taskId: id }, { 'x-clinic': clinic })
      t.equal((await get(eve, taskId, 'north')).said.message, 'Task not found', "another's")
      t.equal((await get(ada, taskId, 'south')).said.status, 'working')
      t.equal((await held.begun(2)).name, 'north')
      t.equal((await get(ada, plain, 'south')).said.status, 'working')
      t.equal((await held.begun(3)).name, 'main', 'none stays none')
      held.finish(2, 'planned')
      const ended = await until(clientOf(there, ada), taskId, 'completed')
      t.equal(ended.result.content[0].text, '"planned"')
    },
  )
}
