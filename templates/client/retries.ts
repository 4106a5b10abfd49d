/** Sends a call again whose answer did not come, or that the server could not take yet. */
import { type ClientOptions, UnexpectedAnswer } from './public.ts'
import { authorized, type CallRequest } from './request.ts'

interface Retrying<Answer> {
  readonly client: ClientOptions
  readonly retries: number
  readonly read: (response: Response) => Promise<Answer>
}

/** No pause is longer; a server that asks for a longer one is not asked again. */
const longestSeconds = 30

/** What `read` makes of the first answer that stands. The token is asked for each time. */
export async function sendWithRetries<Answer>(
  request: CallRequest,
  { client, retries, read }: Retrying<Answer>,
): Promise<Answer> {
  const run = client.fetch ?? fetch
  for (let count = 0; ; count++) {
    const init = await authorized(request, client)
    const mayRepeat = count < retries
    let seconds = Math.min(2 ** count / 2, longestSeconds)
    try {
      const response = await run(request.address, init)
      const pause = mayRepeat ? await pauseOf(response, seconds) : null
      if (pause === null) return await read(response)
      void response.body?.cancel().catch(() => {})
      seconds = pause
    } catch (error) {
      if (!mayRepeat || error instanceof UnexpectedAnswer) throw error
    }
    await passed(seconds, request.init.signal)
  }
}

/** Null = the answer stands. Source: RFC 9110, 10.2.3. */
async function pauseOf(response: Response, backoffSeconds: number): Promise<number | null> {
  const { status, headers } = response
  const after = headers.get('retry-after')
  const isRunning = status === 409 && (await problemIn(response)).type === 'urn:acmcp:idempotency-running'
  if (!isRunning && (status !== 503 || after === null)) return null
  if (after === null) return backoffSeconds
  const seconds = /^\d+$/.test(after) ? Number(after) : (Date.parse(after) - Date.now()) / 1000
  return seconds <= longestSeconds ? seconds : null
}

/** What problem details say (RFC 9457); what is none says nothing. */
export async function problemIn(
  response: Response,
): Promise<{ readonly type?: unknown; readonly approval?: unknown }> {
  return Object(
    await response
      .clone()
      .json()
      .catch((): null => null),
  )
}

/** Rejects where `signal` has aborted, or does before. */
export function passed(seconds: number, signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const left = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', left)
      resolve()
    }, seconds * 1000)
    if (signal?.aborted === true) left()
    else signal?.addEventListener('abort', left, { once: true })
  })
}
