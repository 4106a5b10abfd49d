/** Many credentials that are to be checked anew at once, as after a gap of the bus. */
import t from 'tap'
import { OpenAnswers, RecheckQueue } from '../../../runtime/open-answers.ts'

t.test('ten thousand checks run a few at a time, all of them, and who is revoked comes first', async (t) => {
  let running = 0
  let most = 0
  const checked: number[] = []
  const queue = new RecheckQueue<number>(async (count) => {
    running += 1
    most = Math.max(most, running)
    await new Promise(setImmediate)
    checked.push(count)
    running -= 1
  })
  const all = Array.from({ length: 10_000 }, (_, count) => count)
  queue.add(all)
  queue.add([-1, -2])
  while (running > 0) await new Promise(setImmediate)
  t.equal(most, 32)
  t.strictSame(checked.slice(32, 34), [-1, -2], 'right behind those that had begun')
  t.strictSame(
    checked.filter((count) => count >= 0).sort((a, b) => a - b),
    all,
  )
})

t.test('more than a call can have arguments are checked too', async (t) => {
  let checked = 0
  const queue = new RecheckQueue<number>(async () => {
    checked += 1
  })
  queue.add(Array.from({ length: 200_000 }, (_, count) => count))
  await new Promise(setImmediate)
  t.equal(checked, 200_000)
})

t.test('what nobody could check is tried again one after the other, not all in the same second', (t) => {
  const queue = new RecheckQueue<number>(async () => {})
  const times = Array.from({ length: 10_000 }, () => queue.retryAt(1000))
  t.strictSame([times[0], times[1], times[9_999]], [1000, 1005, 50_995])
  t.equal(queue.retryAt(100_000), 100_000, 'later there is nobody before it')
  t.end()
})

t.test(
  'the guard of scopes: a check that nobody could make is made again, though an older one says that all is well',
  async (t) => {
    let now = 0
    let tick = async (): Promise<void> => {}
    const answers = new OpenAnswers({
      monotonic: () => now,
      every: (_milliseconds, work) => {
        tick = work
        return async () => {}
      },
    })
    const checks: {
      readonly good: (checkAt: number | null) => void
      readonly bad: (error: Error) => void
    }[] = []
    let ends = 0
    answers.add({
      users: ['ada'],
      check: () => new Promise((good, bad) => void checks.push({ good, bad })),
      end: () => {
        ends += 1
      },
    })
    answers.recheck('ada')
    answers.recheck('ada') // the session has ended now
    t.equal(checks.length, 2)
    checks[1]?.bad(new Error('the store is away'))
    await new Promise(setImmediate)
    checks[0]?.good(Number.POSITIVE_INFINITY)
    await new Promise(setImmediate)
    now += 1000
    await tick()
    t.equal(checks.length, 3, 'asked again')
    checks[2]?.good(null)
    await new Promise(setImmediate)
    t.equal(ends, 1)
  },
)
