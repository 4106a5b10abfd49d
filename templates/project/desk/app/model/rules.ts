/** Rules between several values, which types cannot say: zod checks them, and a broken one is answered with 422. */
import { z } from 'zod'
import { RulesBroken } from '../errors.ts'

/** `value` as `schema` returns it. Throws `RulesBroken`. */
export function checked<Value>(schema: z.ZodType<Value>, value: unknown): Value {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new RulesBroken(result.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })))
}

const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 08:30')
const day = z.enum(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'])

/** When a team works: each day once, in a time zone that exists. */
export const schedule = z.object({
  timeZone: z.string().refine(isTimeZone, 'must be a time zone such as Europe/Berlin'),
  hours: z
    .array(
      z
        .object({ day, opens: time, closes: time })
        .refine(({ opens, closes }) => opens < closes, { path: ['closes'], message: 'must be after opens' }),
    )
    .refine((all) => new Set(all.map(({ day }) => day)).size === all.length, 'must name each day once'),
})

const dayMs = 86_400_000

/** The time that a report is about: its end after its beginning, a year at most. */
export const period = z
  .object({ from: z.date(), to: z.date() })
  .refine(({ from, to }) => from < to, { path: ['to'], message: 'must be after from' })
  .refine(({ from, to }) => to.getTime() - from.getTime() <= 366 * dayMs, {
    path: ['to'],
    message: 'must be at most a year after from',
  })

/** A line of a list of customers. */
export const customerLine = z.object({
  name: z.string().trim().min(1, 'the name is empty').max(200, 'the name is too long'),
  email: z.email('the address is no e-mail address'),
  organisation: z
    .string()
    .trim()
    .max(200, 'the organisation is too long')
    .transform((text) => (text === '' ? null : text)),
})

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false // a RangeError
  }
}
