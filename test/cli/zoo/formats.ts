/** The formats that are checked, as `templates/docs/types.md` has them; others are documented only. */
type Is = (value: unknown) => boolean

const onText =
  (is: (text: string) => boolean): Is =>
  (value) =>
    typeof value !== 'string' || is(value)

const onNumber =
  (is: (number: number) => boolean): Is =>
  (value) =>
    typeof value !== 'number' || is(value)

const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n]
const moment = /^(\d{4})-(\d\d)-(\d\d)(?:t(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(?:z|[+-](\d\d):(\d\d))?)?$/i
const days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** A date, alone or with a time. */
function isMoment(text: string): boolean {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, ...zone] = (moment.exec(text) ?? [])
    .slice(1)
    .map((part) => Number(part ?? 0))
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const length = month === 2 && isLeap ? 29 : (days[month - 1] ?? 0)
  const isMidnight = hour === 24 && minute === 0 && second === 0 && !/\.\d*[1-9]/.test(text)
  return (
    day >= 1 &&
    day <= length &&
    (hour < 24 || isMidnight) &&
    minute < 60 &&
    second < 60 &&
    (zone[0] ?? 0) < 24 &&
    (zone[1] ?? 0) < 60
  )
}

export const formats: Readonly<Record<string, Is>> = {
  'date-time': onText((text) => moment.test(text) && isMoment(text)),
  email: onText((text) => /^[^\s@]+@[^\s@]+$/.test(text)),
  uri: onText((text) => URL.canParse(text)),
  uuid: onText((text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)),
  int32: onNumber((number) => number >= -(2 ** 31) && number < 2 ** 31),
  int64: onText((text) => !/^-?\d+$/.test(text) || (BigInt(text) >= least && BigInt(text) <= most)),
}
