/** Reads a text once and holds it against a regular expression in all ways at a time. */
import { type Pattern, parsePattern } from './text-pattern-syntax.ts'

/** Whether a text matches. */
export type TextMachine = (text: string) => boolean

/** Takes a character that `is` accepts and leads on; without `is` it leads to each of `to` at once. */
interface State {
  readonly is: ((character: string) => boolean) | null
  readonly to: number[]
}

/** Null: the pattern has what only the engine matches, or is too large. */
export function machineOf(source: string): TextMachine | null {
  const parsed = parsePattern(source)
  if (parsed === null) return null
  const states: State[] = [{ is: null, to: [] }]
  const start = built(parsed.pattern, end, states)
  return states.length > maxStates ? null : (text) => matches(text, { ...parsed, states, start })
}

/** The state that every match ends in. */
const end = 0

/** `x{1,9999}` is as many. */
const maxStates = 2_000

/** The state from which `pattern` leads to `next`. */
function built(pattern: Pattern, next: number, states: State[]): number {
  if (states.length > maxStates) return next
  const add = (state: State): number => states.push(state) - 1
  switch (pattern.kind) {
    case 'character':
      return add({ is: pattern.is, to: [next] })
    case 'sequence':
      return pattern.parts.reduceRight((after, part) => built(part, after, states), next)
    case 'choice':
      return add({ is: null, to: pattern.parts.map((part) => built(part, next, states)) })
    case 'repeat':
      return repeated(pattern, next, states)
  }
}

function repeated(
  { part, least, most }: Extract<Pattern, { kind: 'repeat' }>,
  next: number,
  states: State[],
): number {
  const once = (after: number): number => built(part, after, states)
  let start = next
  if (most === Infinity) {
    const loop: State = { is: null, to: [next] }
    start = states.push(loop) - 1
    loop.to.push(once(start))
  } else
    for (let time = least; time < most && states.length <= maxStates; time++)
      start = states.push({ is: null, to: [next, once(start)] }) - 1
  for (let time = 0; time < least && states.length <= maxStates; time++) start = once(start)
  return start
}

interface MatchedParts {
  readonly states: readonly State[]
  readonly start: number
  readonly isFromStart: boolean
  readonly isToEnd: boolean
}

function matches(text: string, { states, start, isFromStart, isToEnd }: MatchedParts): boolean {
  const reached = new Int32Array(states.length).fill(-1) // at which character
  let at = 0
  const reach = (first: number, into: State[]): void => {
    const open = [first]
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (reached[index] === at) continue
      reached[index] = at
      const state = states[index]
      if (state?.is === null) open.push(...state.to)
      else if (state !== undefined) into.push(state)
    }
  }
  let current: State[] = []
  reach(start, current)
  for (const character of text) {
    if (reached[end] === at && !isToEnd) return true
    if (isFromStart && current.length === 0) return false
    at += 1
    const following: State[] = []
    for (const { is, to } of current) if (is?.(character)) for (const index of to) reach(index, following)
    if (!isFromStart) reach(start, following)
    current = following
  }
  return reached[end] === at
}
