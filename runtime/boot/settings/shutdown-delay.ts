/** `SHUTDOWN_DELAY_SECONDS`, which a supervisor reads that loads no other setting. */
import { BootError } from '../boot-error.ts'
import { variableDefaults } from '../variables.ts'

/** In seconds; the whole of it is added to how long an end may take. Throws `BootError`. */
export function readShutdownDelay(variables: Readonly<Record<string, string | undefined>>): number {
  const text = variables.SHUTDOWN_DELAY_SECONDS || variableDefaults.SHUTDOWN_DELAY_SECONDS
  const seconds = Number(text)
  if (/^\d+$/.test(text) && seconds <= maxShutdownDelaySeconds) return seconds
  throw new BootError(
    `SHUTDOWN_DELAY_SECONDS must be a whole number of seconds, at most ${maxShutdownDelaySeconds}, not ${text}`,
  )
}

const maxShutdownDelaySeconds = 600
