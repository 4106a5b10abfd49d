/** Patterns that run on what strangers send, in time that grows with the text and no faster. The engine tries one way after the other:
 *  where several repeats may share a text, as in `^.*@.*\.$`, that grows with a power of it. Short texts are the engine's all the same; a
 *  longer one is read once, in all ways at a time (Thompson, Regular expression search algorithm, 1968). */
import { machineOf, type TextMachine } from './text-machine.ts'

/** What of a regular expression its users need. */
export interface TextPattern {
  test(text: string): boolean
}

/** The pattern of JSON Schema: a regular expression with the flag `u`. What it has beyond characters, groups, alternatives and repeats is
 *  the engine's to match. */
export function textPattern(source: string): TextPattern {
  const exp = new RegExp(source, 'u')
  const power = powerOf(source)
  if (power <= 1) return exp
  let machine: TextMachine | null | undefined // none is made for texts that are all short
  return {
    test: (text) => {
      if (text.length ** power <= maxTried) return exp.test(text)
      if (machine === undefined) machine = machineOf(source)
      return machine === null ? exp.test(text) : machine(text)
    },
  }
}

/** Steps of the engine that no caller feels. */
const maxTried = 10_000

/** With which power of the text the engine's time may grow: the repeats without an end, and the place where it begins. */
function powerOf(source: string): number {
  const bare = source.replace(/\\.|\[(?:\\.|[^\]\\])*\]/gsu, 'x')
  const repeats = bare.match(/[*+]|\{\d+,\}/g)?.length ?? 0
  return isNested.test(bare) ? Infinity : repeats + (source.startsWith('^') ? 0 : 1)
}

/** A group with a repeat behind it. */
const isNested = /\)(?:[*+]|\{\d)/
