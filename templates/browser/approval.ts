/** The page of an approval: shows a decision that was made elsewhere. Without it the server says so to a user who answers too late. */

const approvalPollMs = 3000

export function startApprovalPage(): void {
  const timer = setInterval(async () => {
    if (document.hidden || (await isStillWaiting())) return
    clearInterval(timer)
    location.replace(location.pathname) // not reload: the page may be the answer to a form
  }, approvalPollMs)
}

/** What is not known is asked again. */
async function isStillWaiting(): Promise<boolean> {
  const answer = await fetch(location.pathname, {
    headers: { accept: 'application/json' },
    cache: 'no-store',
    redirect: 'error',
  }).catch(() => null)
  if (answer === null || answer.status === 429 || answer.status >= 500) return true
  if (!answer.ok) return false
  const state: unknown = await answer.json().catch(() => null)
  const isDecided =
    typeof state === 'object' && state !== null && 'decision' in state && state.decision !== null
  return !isDecided
}
