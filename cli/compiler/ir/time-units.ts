/** Units of time: as tags write them, and in words. */
const timeUnits = [
  { unit: 's', seconds: 1, word: 'second', others: 'sec secs second seconds' },
  { unit: 'min', seconds: 60, word: 'minute', others: 'm mins minute minutes' },
  { unit: 'h', seconds: 3600, word: 'hour', others: 'hr hrs hour hours' },
  { unit: 'day', seconds: 86_400, word: 'day', others: 'd days' },
] as const

type TimeUnit = (typeof timeUnits)[number]

/** The unit that is so long. */
export const unitOf = (wanted: number): TimeUnit | undefined =>
  timeUnits.find(({ seconds }) => seconds === wanted)

/** How long the unit is; undefined = it is none. */
export const secondsOf = (written: string): number | undefined =>
  timeUnits.find(({ unit }) => unit === written)?.seconds

/** The unit that people elsewhere write so. */
export function unitNamed(written: string): string | undefined {
  const plain = written.toLowerCase()
  return timeUnits.find(({ unit, others }) => unit === plain || others.split(' ').includes(plain))?.unit
}
