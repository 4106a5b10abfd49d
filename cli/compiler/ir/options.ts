/** What declarations say, one inside of the other. */

/** `near`, and what `far` says where it says nothing. */
export function nearest<T extends object>(far: T, near: T): T {
  const said = Object.entries(near).filter(([, value]) => value !== null)
  return { ...far, ...Object.fromEntries(said) }
}
