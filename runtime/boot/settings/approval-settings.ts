/** The settings under `approval`, and who can approve with them. */
import { resolveProvider } from '../../oauth/providers/presets.ts'
import { BootError } from '../boot-error.ts'
import type { Environment } from '../environment.ts'
import type { ResolvedConfig } from '../resolve-config.ts'

interface SignInParts {
  readonly config: Pick<ResolvedConfig, 'approval' | 'providers'>
  readonly environment: Pick<Environment, 'devLogin'>
}

/** The ways to sign in that never say when somebody did, where approving needs that. Throws `BootError` where there is no other. */
export function unableToApprove({ config, environment }: SignInParts): readonly string[] {
  if (config.approval.reauthenticate === null) return []
  const kinds = Object.entries(config.providers).map(
    ([name, provider]) => [name, resolveProvider(name, provider).kind] as const,
  )
  const unable = kinds.filter(([, kind]) => kind !== 'oidc').map(([name]) => name)
  if (unable.length === kinds.length)
    throw new BootError(
      'approval.reauthenticate needs an OpenID provider that says when somebody signed in (auth_time): GitHub and the development login do not',
    )
  return environment.devLogin ? [...unable, 'dev'] : unable
}
