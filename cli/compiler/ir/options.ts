/** What declarations say of calls (`@limit` and its like), one inside of the other. */

/** `near`, and what `far` says where it says nothing. */
export function nearest<T extends object>(far: T, near: T): T {
  const said = Object.entries(near).filter(([, value]) => value !== null)
  return { ...far, ...Object.fromEntries(said) }
}

/** In what windows calls are counted: as a tag writes them, and in words. */
export const timeUnits = [
  { unit: 's', seconds: 1, word: 'second' },
  { unit: 'min', seconds: 60, word: 'minute' },
  { unit: 'h', seconds: 3600, word: 'hour' },
  { unit: 'day', seconds: 86_400, word: 'day' },
] as const

/** The unit of a window. */
export const unitOf = (windowSeconds: number): (typeof timeUnits)[number] | undefined =>
  timeUnits.find(({ seconds }) => seconds === windowSeconds)
