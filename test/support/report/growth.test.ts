/** The judge of growth curves, judged: what is linear passes, what is not does not. */
import t from 'tap'
import { growth } from './growth.ts'

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
