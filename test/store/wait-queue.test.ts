/** Who waits for the one writer of a SQLite file, or for a connection to PostgreSQL. */
import t from 'tap'
import { StoreBusy } from '../../runtime/store/store.ts'
import { Mutex, WaitQueue } from '../../runtime/store/wait-queue.ts'
import { rejection } from './support.ts'

const late = (): Error => new Error('too late')

t.test('who waits longest goes first; who gave up, or was let in, is in nobody’s way', async (t) => {
  const queue = new WaitQueue()
  const order: string[] = []
  const waiting = ['first', 'second'].map((name) => queue.wait(60_000, late).then(() => order.push(name)))
  const impatient = rejection(queue.wait(0, late))
  waiting.push(queue.wait(60_000, late).then(() => order.push('last')))
  t.equal(queue.length, 4)
  t.match(await impatient, { message: 'too late' })
  t.equal(queue.length, 3)
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) next()
  await Promise.all(waiting)
  t.strictSame([order, queue.length], [['first', 'second', 'last'], 0])
})

t.test('whose turn has come does not give up before it goes on', async (t) => {
  const queue = new WaitQueue()
  const waiting = queue.wait(0, late)
  const enter = queue.shift()
  t.match(
    await rejection(queue.wait(0, late)),
    { message: 'too late' },
    'its time is over, and that of the other too',
  )
  enter?.()
  await t.resolves(waiting)
})

t.test('a mutex that is not released in time is busy, and free when it is released', async (t) => {
  const mutex = new Mutex()
  await mutex.acquire(0)
  t.ok((await rejection(mutex.acquire(0))) instanceof StoreBusy)
  const next = mutex.acquire(60_000)
  mutex.release()
  await next
  mutex.release()
  await t.resolves(mutex.acquire(0))
})
