/** What a test (`acmcp/testing`) is told when a request goes wrong: exceptions that no handler took, and answers that are not what was asked for. */
import type { LightMyRequestResponse } from 'fastify'
import type { LogStream } from './log.ts'

/** Remembers the last error of the log. */
export class ErrorLog {
  /** The exception that no handler took, or that ended a stream, with the places of the sources; null = there was none. */
  last: Error | null = null
  readonly #next: LogStream | null

  /** `next` receives the lines too. */
  constructor(next: LogStream | null) {
    this.#next = next
  }

  write(line: string): void {
    this.#next?.write(line)
    const { level, err }: LoggedLine = JSON.parse(line) // pino's
    if (level < errorLevel || err === undefined) return
    const error = new Error(err.message)
    error.name = err.type
    error.stack = err.stack
    this.last = error
  }
}

interface LoggedLine {
  readonly level: number
  readonly err?: { readonly type: string; readonly message: string; readonly stack: string }
}

const errorLevel = 50

/** What `request` resolves with; its `json()` tells which answer is no JSON. Rejects, when the answer broke off, with the error
 *  that ended it. */
export async function explainFailures(
  request: () => Promise<LightMyRequestResponse>,
  log: ErrorLog,
): Promise<LightMyRequestResponse> {
  const before = log.last
  const raised = (): Error | null => (log.last === before ? null : log.last)
  try {
    const response = await request()
    const cause = raised()
    response.json = () => parsedJson(response, cause)
    return response
  } catch (error) {
    const cause = raised()
    if (cause === null || !(error instanceof Error)) throw error
    throw new Error(`${error.message}: ${described(cause)}`, { cause })
  }
}

const longestStart = 200

function parsedJson({ statusCode, headers, body }: LightMyRequestResponse, cause: Error | null): never {
  try {
    return JSON.parse(body) as never // the caller says of which type it is
  } catch {
    const type = headers['content-type'] ?? 'no content type'
    const start = cause === null ? JSON.stringify(body.slice(0, longestStart)) : described(cause)
    throw new Error(
      `the answer is no JSON: ${statusCode}, ${type}: ${start}`,
      cause === null ? {} : { cause },
    )
  }
}

const described = ({ name, message }: Error): string => `${name}: ${message}`
