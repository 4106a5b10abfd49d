/** Values that one of two schemas takes and the other refuses, as typebox judges: of each something must be told. */
import checker from 'typebox/schema'
import { isWorse } from './judged.ts'
import { numbersFrom, type Schema, schemaPairs } from './random-schemas.ts'
import { randomValue } from './random-values.ts'

const valuesOfEach = 30

export interface Refused {
  /** Pairs and directions in which a value was refused. */
  readonly refused: number
  /** Those of which nothing was told. */
  readonly wrong: readonly string[]
}

export function refusedUntold(count: number, seed: number): Refused {
  const random = numbersFrom(seed)
  const wrong: string[] = []
  let refused = 0
  for (const pair of schemaPairs(count, seed, 'all')) {
    for (const direction of ['input', 'output'] as const) {
      const [from, to] = direction === 'input' ? [pair.before, pair.after] : [pair.after, pair.before]
      const value = refusedValue(from, to, random)
      if (value === null) continue
      refused += 1
      if (!isWorse(pair, direction)) wrong.push(`${direction}: ${JSON.stringify([value, pair])}`)
    }
  }
  return { refused, wrong }
}

/** In a list; null = none was found. */
function refusedValue(from: Schema, to: Schema, random: () => number): readonly unknown[] | null {
  const { definitions = {}, ...whole } = from
  for (let number = 0; number < valuesOfEach; number += 1) {
    const value = randomValue(whole, Object(definitions), random)
    if (checker.Check(from, value) && !checker.Check(to, value)) return [value]
  }
  return null
}
