/** A logger before there is one to write to. */
import type { Logger } from '../../contract/store.ts'

export interface LateLogger extends Logger {
  connect(target: Logger): void
}

/** Keeps its lines until it is connected: the endpoints are made before the server whose log they write to. */
export function lateLogger(): LateLogger {
  const early: [keyof Logger, Readonly<Record<string, unknown>>, string][] = []
  let target: Logger | null = null
  const write =
    (level: keyof Logger) =>
    (fields: Readonly<Record<string, unknown>>, message: string): void => {
      if (target === null) early.push([level, fields, message])
      else target[level](fields, message)
    }
  return {
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    connect: (to) => {
      target = to
      for (const [level, fields, message] of early.splice(0)) to[level](fields, message)
    },
  }
}
