/** Counting in windows and bounded memory. Source: rules.md, rate limits. */
import t from 'tap'
import {
  addressKey,
  createRateCounter,
  type RateCounter,
  type ShareCounts,
} from '../../../runtime/rate-limit.ts'

const start = 1_800_000_000_000

function counterAt(clock: { now: number }, capacity = 100): RateCounter {
  return createRateCounter({ windowSeconds: 60, capacity, clock: () => clock.now })
}

/** What the store does for several instances, and how often it was asked. */
function sharedStore(): { share: ShareCounts; batches: number[] } {
  const totals = new Map<string, number>()
  const batches: number[] = []
  const share: ShareCounts = async (window, counts) => {
    batches.push(counts.length)
    for (const { key, count } of counts)
      totals.set(`${window} ${key}`, (totals.get(`${window} ${key}`) ?? 0) + count)
    return new Map(counts.map(({ key }) => [key, totals.get(`${window} ${key}`) ?? 0]))
  }
  return { share, batches }
}

t.test('rate counter: the limit itself passes, the next one waits for the end of the window', async (t) => {
  const clock = { now: start + 10_500 }
  const counter = counterAt(clock)
  t.strictSame(
    [1, 2, 3, 4, 5].map(() => counter.take('a', 3)),
    [0, 0, 0, 50, 50],
  )
  t.equal(counter.take('b', 3), 0, 'keys are counted apart')
  clock.now = start + 59_999
  t.equal(counter.take('a', 3), 1)
  clock.now = start + 60_000
  t.equal(counter.take('a', 3), 0, 'a new window')
  clock.now = start
  t.strictSame(
    [1, 2, 3].map(() => counter.take('a', 3)),
    [0, 0, 60],
    'a clock that goes back forgets nobody',
  )
})

for (const setBy of [-3_600_000, 3_600_000, -20_000, 20_000, 86_400_000])
  t.test(
    `rate counter: a window ends when its time has passed, though the clock is set by ${setBy} ms`,
    async (t) => {
      const clock = { now: start, passed: 7 }
      const counter = createRateCounter({
        ...{ windowSeconds: 60, capacity: 10 },
        ...{ clock: () => clock.now, monotonic: () => clock.passed },
      })
      const pass = (ms: number): void => {
        clock.now += ms
        clock.passed += ms
      }
      const took = [counter.take('a', 1)]
      clock.now += setBy
      took.push(counter.take('a', 1), counter.wait('a', 1))
      pass(59_999)
      took.push(counter.take('a', 1))
      pass(1)
      took.push(counter.take('a', 1))
      const next = counter.take('a', 1)
      t.strictSame(took, [0, 60, 60, 1, 0])
      t.equal(next, 60 - ((clock.now / 1000) % 60), 'the next one goes by the clock')
      pass(next * 1000)
      t.equal(counter.take('a', 1), 0)
    },
  )

t.test('rate counter: memory is bounded, the key not seen for longest goes first', async (t) => {
  const counter = counterAt({ now: start }, 3)
  for (const key of ['a', 'b', 'c', 'a', 'd']) counter.take(key, 1)
  t.equal(counter.size, 3)
  t.equal(counter.take('a', 1), 60, 'a was seen again and stayed')
  t.equal(counter.take('b', 1), 0, 'b was forgotten')
  const flooded = counterAt({ now: start }, 1000)
  for (let address = 0; address < 100_000; address += 1) flooded.take(String(address), 1)
  t.equal(flooded.size, 1000)
})

t.test('rate counter: instances add up, one batch an exchange, and no take waits', async (t) => {
  const { share, batches } = sharedStore()
  const clock = { now: start }
  const counter = counterAt(clock)
  const two = counterAt(clock)
  for (let call = 0; call < 6; call += 1) t.equal(counter.take('a', 10), 0)
  for (let call = 0; call < 4; call += 1) t.equal(two.take('a', 10), 0)
  two.take('b', 10)
  await counter.exchange(share)
  await two.exchange(share)
  t.strictSame(batches, [1, 2])
  t.equal(two.take('a', 10), 60, '6 there and 4 here: the eleventh')
  t.equal(counter.take('a', 10), 0, 'not yet told')
  await counter.exchange(share)
  t.equal(counter.take('a', 10), 60)
  await counter.exchange(share)
  await counter.exchange(share)
  t.strictSame(batches, [1, 2, 1, 1], 'nothing new, nothing sent')
  clock.now = start + 60_000
  t.equal(two.take('a', 10), 0, 'the next window begins at nought everywhere')
})

t.test(
  'rate counter: a failed exchange loses nothing, one under way keeps what comes meanwhile',
  async (t) => {
    const { share } = sharedStore()
    const counter = counterAt({ now: start })
    const two = counterAt({ now: start })
    counter.take('a', 10)
    await t.rejects(
      counter.exchange(async () => Promise.reject(new Error('the store is away'))),
      {
        message: 'the store is away',
      },
    )
    await counter.exchange((window, counts) => {
      counter.take('a', 10)
      return share(window, counts)
    })
    await counter.exchange(share)
    two.take('a', 10)
    await two.exchange(share)
    t.equal(two.take('a', 3), 60, 'two there, one here, and this')
  },
)

t.test(
  'rate counter: however many keys there are, so many are shared in a window; the others are counted here',
  async (t) => {
    const clock = { now: start }
    const counter = counterAt(clock, 3)
    const sent: (readonly string[])[] = []
    const exchange = async (...keys: readonly string[]): Promise<readonly number[]> => {
      const waits = keys.map((key) => counter.take(key, 1))
      await counter.exchange(async (_window, counts) => {
        sent.push(counts.map(({ key, count }) => `${count} ${key}`))
        return new Map(counts.map(({ key, count }) => [key, count + 1]))
      })
      return waits
    }
    await exchange('a', 'b')
    await exchange('c', 'd')
    for (let flood = 0; flood < 20; flood += 1) await exchange(`x${flood}`, `y${flood}`)
    t.strictSame(sent, [['1 a', '1 b'], ['1 c']], 'the store has no row of the others')
    t.strictSame(
      [await exchange('y19'), await exchange('y19')],
      [[60], [60]],
      'which have their limit all the same',
    )
    clock.now += 60_000
    await exchange('z', 'y19')
    t.strictSame(sent.slice(2), [['1 z', '1 y19']], 'another window')
  },
)

t.test('rate counter: IPv4 by address, mapped or not; IPv6 by /64', async (t) => {
  const groups: readonly (readonly string[])[] = [
    ['192.0.2.1', '::ffff:192.0.2.1', '::ffff:c000:201'],
    ['192.0.2.2'],
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:0DB8:0001:0002::'],
    ['2001:db8:1:3::1'],
    ['fe80::1%eth0', 'fe80::2'],
    ['not an address'],
    [''],
  ]
  t.strictSame(
    groups.map((group) => new Set(group.map(addressKey)).size),
    groups.map(() => 1),
  )
  t.equal(new Set(groups.flat().map(addressKey)).size, groups.length)
})

t.test(
  'rate counter: an exchange carries what was counted since the last one, and nothing else',
  async (t) => {
    const counter = counterAt({ now: start }, 20_000)
    const sent: (readonly { readonly key: string; readonly count: number }[])[] = []
    let isAway = false
    const share: ShareCounts = async (_window, counts) => {
      sent.push(counts)
      if (isAway) throw new Error('away')
      if (sent.length === 2) counter.take('b', 100) // while the answer is on its way
      return new Map(counts.map(({ key, count }) => [key, count]))
    }
    for (let key = 0; key < 10_000; key += 1) counter.take(String(key), 100)
    await counter.exchange(share)
    t.equal(sent[0]?.length, 10_000)
    counter.take('a', 100)
    counter.take('b', 100)
    await counter.exchange(share)
    await counter.exchange(share)
    await counter.exchange(share)
    isAway = true
    counter.take('c', 100)
    await t.rejects(counter.exchange(share), { message: 'away' })
    isAway = false
    await counter.exchange(share)
    t.strictSame(sent.slice(1), [
      [
        { key: 'a', count: 1 },
        { key: 'b', count: 1 },
      ],
      [{ key: 'b', count: 1 }],
      [{ key: 'c', count: 1 }],
      [{ key: 'c', count: 1 }],
    ])
  },
)
