/** Standard output and standard error of a server whose reader has stopped: so much waits in memory and no more, and the server goes on. */
import { setTimeout as after } from 'node:timers/promises'

/** Some twenty thousand lines of the log. */
const maxBytes = 4 * 1024 * 1024

/** The part of a `WriteStream` that is bounded. */
export interface Output {
  readonly writableLength: number
  readonly isTTY?: boolean | undefined
  write: NodeJS.WriteStream['write']
  on(event: 'drain', listener: () => void): unknown
}

/** From now on whatever is written while 4 MiB wait is dropped, until all of them are read; then `lineOf` is written, which says how many lines
 *  are lost. A pipe alone ever waits: files and terminals take everything at once. */
export function boundOutput(output: Output, lineOf: (lost: number) => string): void {
  const write = output.write.bind(output)
  let lost = 0
  const drop = (chunk: Uint8Array | string, rest: readonly unknown[]): false => {
    lost += linesIn(chunk)
    const written = rest.find((value) => typeof value === 'function')
    if (written !== undefined) process.nextTick(written)
    return false
  }
  output.write = (chunk: Uint8Array | string, ...rest: unknown[]) => {
    if (output.isTTY !== true) unblock(output)
    if (lost > 0 || output.writableLength > maxBytes) return drop(chunk, rest)
    return write(chunk, ...(rest as [])) // as they came
  }
  output.on('drain', () => {
    if (lost === 0) return
    const line = lineOf(lost)
    lost = 0
    write(`${line}\n`)
  })
}

/** What is no whole line counts as one. */
function linesIn(chunk: Uint8Array | string): number {
  const end = typeof chunk === 'string' ? '\n' : 10
  let lines = 0
  let at = -1
  do {
    at = (chunk as string).indexOf(end as string, at + 1) // text and bytes alike
    if (at !== -1) lines += 1
  } while (at !== -1)
  return Math.max(1, lines)
}

const lookMs = 10

/** How long a reader slower than the writer may take at the end, in milliseconds. */
const maxEndingMs = 500

/** Resolves when everything has been taken, or no reader takes it. */
export async function flushed(outputs: readonly Pick<Output, 'writableLength'>[]): Promise<void> {
  const deadline = performance.now() + maxEndingMs
  while (performance.now() < deadline && outputs.some(({ writableLength }) => writableLength > 0))
    await after(lookMs)
}

/** libuv makes what a child inherits as its outputs block, in every process that has it: a full pipe would then hold the event loop. */
const unblock = (output: object): void => void handleOf(output)?.setBlocking?.(false)

interface StreamHandle {
  setBlocking?(isBlocking: boolean): unknown
}

/** Node has no other way; a file has none. */
const handleOf = (output: object): StreamHandle | undefined =>
  (output as { readonly _handle?: StreamHandle })._handle // of net.Socket
