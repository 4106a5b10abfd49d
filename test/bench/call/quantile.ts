/** What that part of them (0 to 1) stay below; 0 where there is none. */
export const quantile = (numbers: readonly number[], part: number): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length * part)] ?? 0

/** The middle of them; 0 where there is none. */
export const median = (numbers: readonly number[]): number => quantile(numbers, 1 / 2)
