/** What processes on one SQLite file tell each other: no message, but that something may have changed. */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Bus } from '../../../runtime/contract/bus.ts'
import { SqliteBus } from '../../../runtime/store/sqlite/sqlite-bus.ts'
import type { Prepare } from '../../../runtime/store/verbs/prepare.ts'
import { openStore } from '../../support/whole-store.ts'
import { start } from '../support.ts'

const busSecret = 'the secret of the instances is long enough'

interface Member {
  readonly bus: Bus
  readonly gaps: () => number
  /** As the timer would. */
  look(): Promise<void>
}

/** An instance, as another process would be one. */
async function member(t: Test, url: string): Promise<Member> {
  const store = await openStore({ url, clock: () => start, migrations: {}, migrate: 'apply' })
  t.teardown(() => store.close())
  const looks: (() => Promise<void>)[] = []
  const bus = await store.joinBus(
    (_everyMs, work) => {
      looks.push(work)
      return async () => {}
    },
    [busSecret],
  )
  let gaps = 0
  bus.onGap(() => {
    gaps += 1
  })
  bus.subscribe('news', () => t.fail('no message is carried'))
  return {
    bus,
    gaps: () => gaps,
    look: async () => {
      for (const look of looks) await look()
    },
  }
}

t.test('what is published is a gap for the other processes, once a look', async (t) => {
  const url = `sqlite:${join(t.testdir(), 'a.db')}`
  const [item, two] = [await member(t, url), await member(t, url)]
  await two.look()
  t.equal(two.gaps(), 0, 'nothing was said')
  item.bus.publish('news', 1)
  item.bus.publish('news', 2)
  t.equal(await item.bus.close(), true, 'it was said')
  await two.look()
  t.equal(two.gaps(), 1)
  await two.look()
  t.equal(two.gaps(), 1, 'once')
  t.equal(item.gaps(), 0, 'nobody hears itself')
})

t.test('one that says something itself does not miss what others say', async (t) => {
  const url = `sqlite:${join(t.testdir(), 'a.db')}`
  const [item, two] = [await member(t, url), await member(t, url)]
  item.bus.publish('news', 1)
  await item.bus.close()
  two.bus.publish('news', 2)
  t.equal(await two.bus.close(), true)
  t.equal(two.gaps(), 1, 'its own number was not the next one')
  await two.look()
  t.equal(two.gaps(), 1)
  await item.look()
  t.equal(item.gaps(), 1)
})

t.test('who joins later has missed nothing', async (t) => {
  const url = `sqlite:${join(t.testdir(), 'a.db')}`
  const item = await member(t, url)
  item.bus.publish('news', 1)
  await item.bus.close()
  const two = await member(t, url)
  await two.look()
  t.equal(two.gaps(), 0)
})

t.test('what cannot be written now is said at the next look', async (t) => {
  const url = `sqlite:${join(t.testdir(), 'a.db')}`
  const two = await member(t, url)
  const closed = await openStore({ url, clock: () => start, migrations: {}, migrate: 'apply' })
  const looks: (() => Promise<void>)[] = []
  const bus = await closed.joinBus(
    (_everyMs, work) => {
      looks.push(work)
      return async () => {}
    },
    [busSecret],
  )
  await closed.close()
  bus.publish('news', 1)
  t.equal(await bus.close(), false, 'its file is closed')
  for (const look of looks) await look()
  await two.look()
  t.equal(two.gaps(), 0)
})

t.test('who could not look when it joined cannot know what it missed', async (t) => {
  let version: number | null = null
  const looks: (() => Promise<void>)[] = []
  const bus = new SqliteBus({
    prepare: (() => async () => {
      if (version === null) throw new Error('the disk is away')
      return [{ version }]
    }) as unknown as Prepare, // answers the one question that is asked
    commits: { enqueue: () => Promise.reject(new Error('nothing is written')) },
    every: (_everyMs, work) => {
      looks.push(work)
      return async () => {}
    },
  })
  let gaps = 0
  bus.onGap(() => {
    gaps += 1
  })
  await bus.join()
  for (const look of looks) await look()
  t.equal(gaps, 0, 'it is still away')
  version = 7
  for (const look of looks) await look()
  t.equal(gaps, 1)
  for (const look of looks) await look()
  t.equal(gaps, 1, 'once')
})
