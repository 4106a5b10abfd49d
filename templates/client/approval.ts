/** Sends a call again until a person has decided about it. */
import { ApprovalRequired, type CallOptions } from './public.ts'

/** The answer to what was approved, or to what was denied. Throws `ApprovalRequired` where nobody waits, or the time is over. */
export async function whenApproved(
  send: () => Promise<Response>,
  { onApprovalAsked, signal }: CallOptions,
): Promise<Response> {
  for (let isTold = false; ; isTold = true) {
    const response = await send()
    const asked = response.status === 428 ? await askedIn(response.clone()) : null
    if (asked === null) return response
    if (onApprovalAsked === undefined || asked.expiresAt.getTime() <= Date.now()) throw asked
    if (!isTold) onApprovalAsked(asked)
    await passed(Number(response.headers.get('retry-after') ?? 3), signal ?? null)
  }
}

/** Null for a 428 that says something else. */
async function askedIn(response: Response): Promise<ApprovalRequired | null> {
  const said: unknown = await response.json().catch(() => null)
  const { type, approval } = Object(said) // what it is not is undefined
  return type === 'urn:acmcp:approval-required' ? new ApprovalRequired(response, approval) : null
}

function passed(seconds: number, signal: AbortSignal | null): Promise<void> {
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
