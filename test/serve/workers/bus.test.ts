/** The bus between workers on one SQLite file, and what one of them does for all. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import t from 'tap'
import { start } from '../../../runtime/serve/serve.ts'
import { type BusLine, IpcLine } from '../../../runtime/serve/workers/ipc-line.ts'
import { maxWaiting } from '../../../runtime/store/bus/bus-topics.ts'
import { freePort } from '../../support/free-port.ts'

t.test('a worker says what is short enough, a gap for what is not, and nothing to itself', async (t) => {
  const child = fork(join(import.meta.dirname, 'support/bus-child.js'))
  const heard: unknown[] = []
  child.on('message', (message) => heard.push(message))
  await once(child, 'message')
  child.send({ kind: 'bus', topic: 'greeting', message: 'hello' })
  child.send({ kind: 'bus', topic: 'of nobody', message: 'hello' })
  child.send({ kind: 'bus', topic: ' gap', message: null })
  await once(child, 'exit')
  t.strictSame(heard, [
    { kind: 'bus', topic: 'notes', message: { short: true } },
    { kind: 'bus', topic: ' gap', message: null },
    { kind: 'bus', topic: 'heard', message: 'hello' },
    { kind: 'bus', topic: 'heard', message: 'a gap' },
    { isAllSaid: true },
  ])
})

t.test(
  'a channel that nobody reads is not filled without end; the gap is told when it is read again',
  async (t) => {
    const written: (() => void)[] = []
    const lines: BusLine[] = []
    const line = new IpcLine((busLine, sent) => {
      lines.push(busLine)
      written.push(sent)
    })
    for (let n = 0; n < maxWaiting + 5; n += 1) line.send('notes', n)
    t.equal(lines.length, maxWaiting)
    const flushed = line.flushed()
    for (const sent of written.splice(0)) sent()
    t.strictSame(lines.slice(maxWaiting), [{ kind: 'bus', topic: ' gap', message: null }])
    line.send('notes', 'again')
    for (const sent of written.splice(0)) sent()
    t.strictSame(lines.at(-1), { kind: 'bus', topic: 'notes', message: 'again' })
    t.equal(await flushed, false, 'not all of it was said')
    t.equal(await line.flushed(), true)
  },
)

t.test('of several workers one removes what has expired', async (t) => {
  const regular = async (cleans: boolean): Promise<number> => {
    const intervals: number[] = []
    const { close } = await start({
      cwd: process.cwd(),
      env: { PORT: String(await freePort()), DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'silent' },
      print: () => {},
      listen: ({ server }, at) => server.listen(at),
      every: (everyMs) => {
        intervals.push(everyMs)
        return async () => {}
      },
      place: { count: 1, cleans },
    })
    await close()
    return intervals.filter((everyMs) => everyMs > 60_000).length
  }
  t.strictSame([await regular(true), await regular(false)], [1, 0])
})
