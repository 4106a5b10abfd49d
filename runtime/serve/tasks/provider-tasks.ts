/** What `acmcp doctor --sign-in` asks the identity providers of the last build, with the secrets of this environment. */
import { randomBytes } from 'node:crypto'
import { loadBundle } from '../../boot/bundle.ts'
import { readPublicUrl, type Variables } from '../../boot/environment.ts'
import { startableConfig } from '../../boot/resolve-config.ts'
import type { Clock } from '../../contract/store.ts'
import type { ExaminedProvider } from '../../oauth/providers/examine-provider.ts'

/** Those that can be examined, at once. */
export async function examineProviders(
  cwd: string,
  variables: Variables,
  { timeoutMs, clock }: { readonly timeoutMs: number; readonly clock: Clock },
): Promise<readonly ExaminedProvider[]> {
  const { examineProvider } = await import('../../oauth/providers/examine-provider.ts')
  const { providers } = startableConfig((await loadBundle(cwd)).config)
  const { origin: baseUrl } = new URL(readPublicUrl(variables))
  const options = { baseUrl, timeoutMs, clock, randomBytes }
  const found = await Promise.all(
    Object.entries(providers).map(([name, config]) => examineProvider(name, config, options)),
  )
  return found.filter((one) => one !== null)
}
