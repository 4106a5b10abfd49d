/** Standard output and standard error of `serve` and `dev`: their reader may stop, and neither fills the memory nor keeps the process. */
import { boundOutput, flushed, type Output } from '../../runtime/serve/bounded-output.ts'

interface Outputs {
  readonly stdout: Output
  readonly stderr: Output
  exit(code: number): never
}

/** `isLog`: what is lost is told as a line of the log. Returns how to end then. */
export function boundedOutputs(
  { stdout, stderr, exit }: Outputs,
  { isLog }: { readonly isLog: boolean },
): (code: number) => Promise<never> {
  const lineOf = isLog ? logLine : plainLine
  boundOutput(stdout, (lost) => lineOf(`${lost} lines are lost: nobody read standard output for a while`))
  boundOutput(stderr, (lost) => lineOf(`${lost} lines are lost: nobody read standard error for a while`))
  return async (code) => {
    await flushed([stdout, stderr])
    return exit(code)
  }
}

const plainLine = (msg: string): string => `acmcp: ${msg}`

const logLine = (msg: string): string =>
  JSON.stringify({ level: 40, time: Date.now(), pid: process.pid, msg })
