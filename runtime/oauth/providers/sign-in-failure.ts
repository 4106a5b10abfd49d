/** What the sign-in page, opened next in that session, says of a sign-in that failed. The answer itself is the specification's plain text.
 *  Source: rules.md, Sign-in; decisions/oauth.md, Sign-in. */
import { isSignInProblem, type SignInProblem } from '../../../templates/pages/sign-in.ts'
import type { Session } from '../../contract/http.ts'
import { SignInRefused } from '../../errors.ts'
import { errorBroughtBack, isPassing, providerTroubleOf } from './provider-trouble.ts'

export interface SignInFailure {
  readonly problem: SignInProblem
  /** The provider's name. */
  readonly provider: string
}

const broughtBack: ReadonlyMap<string, SignInProblem> = new Map([
  ['access_denied', 'denied'],
  ['consent_required', 'denied'],
  ['login_required', 'denied'],
  ['interaction_required', 'denied'],
  ['temporarily_unavailable', 'away'],
  ['server_error', 'away'],
])

/** The reason of a refusal stays in the log. */
export function problemOf(error: unknown): SignInProblem {
  if (error instanceof SignInRefused) return 'refused'
  const brought = errorBroughtBack(error)
  if (brought !== null) return broughtBack.get(brought) ?? 'misconfigured'
  const trouble = providerTroubleOf(error)
  if (trouble === null) return 'failed'
  return isPassing(trouble) ? 'away' : 'misconfigured'
}

export function keepFailure(session: Session, { problem, provider }: SignInFailure): void {
  session.set('sign_in_failure', { problem, provider })
}

/** It is shown once. */
export function takeFailure(session: Session): SignInFailure | null {
  const kept = session.get('sign_in_failure')
  if (kept === undefined) return null
  session.remove('sign_in_failure')
  const { problem, provider } = Object(kept)
  return isSignInProblem(problem) && typeof provider === 'string' ? { problem, provider } : null
}
