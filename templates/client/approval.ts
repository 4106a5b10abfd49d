/** Sends a call again until a person has decided about it. */
import { ApprovalRequired, type CallOptions } from './public.ts'
import { passed, problemIn } from './retries.ts'

/** The answer to what was approved, or to what was denied. Throws `ApprovalRequired` where the caller does not wait, or time is up. */
export async function whenApproved<Answer>(
  send: () => Promise<Answer | ApprovalRequired>,
  { onApprovalAsked, signal }: CallOptions,
): Promise<Answer> {
  for (let isTold = false; ; isTold = true) {
    const answer = await send()
    if (!(answer instanceof ApprovalRequired)) return answer
    if (onApprovalAsked === undefined || answer.expiresAt.getTime() <= Date.now()) throw answer
    if (!isTold) onApprovalAsked(answer)
    await passed(Number(answer.response.headers.get('retry-after') ?? 3), signal)
  }
}

/** Null for a 428 that says something else. */
export async function approvalIn(response: Response): Promise<ApprovalRequired | null> {
  if (response.status !== 428) return null
  const { type, approval } = await problemIn(response)
  return type === 'urn:acmcp:approval-required' ? new ApprovalRequired(response, Object(approval)) : null
}
