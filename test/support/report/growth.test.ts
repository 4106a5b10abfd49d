/** The judge of growth curves, judged: what is linear passes, what is not does not. */
import t from 'tap'
import { costs, growth } from './growth.ts'

const judged = async (sizes: readonly number[], work: (list: readonly number[]) => unknown) => {
  const verdicts: boolean[] = []
  const reported = { comment: () => {}, ok: (value: unknown) => verdicts.push(value === true) }
  const input = (size: number): readonly number[] => Array.from({ length: size }, (_, at) => at)
  await growth(reported, { name: 'a list', sizes, input, work, control: (list) => JSON.stringify(list) })
  return verdicts
}

/** Twice the work for each further item. */
const branches = (depth: number): number => (depth === 0 ? 1 : branches(depth - 1) + branches(depth - 1))

t.test('what is linear passes at each size', async (t) => {
  const sizes = [1_000, 2_000, 4_000, 8_000, 16_000]
  t.strictSame(await judged(sizes, (list) => JSON.parse(JSON.stringify(list))), [
    true,
    true,
    true,
    true,
    true,
  ])
})

t.test('what is quadratic, or exponential, ends at the first step that is too steep', async (t) => {
  const quadratic = await judged([500, 1_000, 2_000, 4_000], (list) =>
    list.map((count) => list.lastIndexOf(-count)),
  )
  t.strictSame(
    quadratic.filter((isGood) => !isGood),
    [false],
  )
  t.strictSame(await judged([8, 16, 32, 64], ({ length }) => branches(length)), [true, false])
})

t.test('what costs as much as its control passes, what costs a hundred times as much does not', async (t) => {
  const list = Array.from({ length: 1_000 }, (_, at) => at)
  const control = () => JSON.stringify(list)
  const verdicts: boolean[] = []
  const reported = { comment: () => {}, ok: (value: unknown) => verdicts.push(value === true) }
  await costs(reported, { name: 'the same', work: control, control, times: 10 })
  const much = () => {
    for (let left = 100; left > 0; left -= 1) control()
  }
  await costs(reported, { name: 'a hundred times', work: much, control, times: 10 })
  t.strictSame(verdicts, [true, false])
})
