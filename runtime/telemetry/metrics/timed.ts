/** How long the verbs of the store take. */
import { errorName } from '../../errors.ts'
import { attribute, metric } from '../names.ts'
import type { Instruments } from './instruments.ts'

/** The same object, each of whose functions in `verbs` is measured from call to answer, by its name, and whether it failed. */
export function timed<Verbs extends object>(
  verbs: Verbs,
  names: readonly (keyof Verbs & string)[],
  instruments: Instruments,
): Verbs {
  const measured = names.map((name) => [name, timedVerb(name, verbs[name], instruments)])
  return { ...verbs, ...Object.fromEntries(measured) }
}

function timedVerb(name: string, verb: unknown, instruments: Instruments): unknown {
  if (typeof verb !== 'function') return verb
  const note = (startedAt: number, error: unknown): void => {
    const errorType = error === null ? null : errorName(error)
    const attributes = { [attribute.storeVerb]: name, [attribute.errorType]: errorType }
    instruments.record(metric.storeDuration, attributes, (performance.now() - startedAt) / 1000)
  }
  return async (...args: unknown[]) => {
    const startedAt = performance.now()
    try {
      const answer: unknown = await verb(...args)
      note(startedAt, null)
      return answer
    } catch (error) {
      note(startedAt, error)
      throw error
    }
  }
}
