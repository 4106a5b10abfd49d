/** What the program itself says on standard output: a line for people on a terminal, else JSON as every line of the log. */

export type Level = 'info' | 'warn' | 'error'

/** Says one line, whatever `LOG_LEVEL` is. */
export type Say = (level: Level, message: string) => void

/** pino's numbers. */
const numbers: Readonly<Record<Level, number>> = { info: 30, warn: 40, error: 50 }

/** Says things by `print`, which ends the line. */
export function sayBy(print: (line: string) => void, isReadable: boolean): Say {
  if (isReadable) return (_level, message) => print(message)
  return (level, message) =>
    print(JSON.stringify({ level: numbers[level], time: Date.now(), msg: message.trim() }))
}
