/** `acmcp token`: an access token for curl, at the `acmcp serve` of the same folder and store. Development only. */
import type { DevelopmentOptions } from '../../runtime/serve/development.ts'
import { jsonDocument } from '../terminal/table.ts'
import { withEnvFile } from './refusal.ts'
import { tokenScope } from './scope-names.ts'

export interface TokenOptions extends DevelopmentOptions {
  /** Whose; null = whom the development login signs in. */
  readonly as: string | null
  /** What it may do, with blanks between the scopes; null = `api`. */
  readonly scope: string | null
  readonly json: boolean
  readonly print: (line: string) => void
  /** Whether people read what `print` writes. */
  readonly isPrintedToTerminal: boolean
}

/** Prints the token alone, everything else is for `warn`; the exit code: 1 when it is refused, 2 when there is no such
 *  scope. */
export function token(options: TokenOptions): Promise<0 | 1 | 2> {
  const { cwd, as, json, clock, print, warn, isPrintedToTerminal } = options
  return withEnvFile(cwd, warn, async () => {
    const asked = await tokenScope(cwd, options.scope)
    if ('refused' in asked) {
      warn(`acmcp: ${asked.refused}`)
      return 2
    }
    const { openDevelopmentApp } = await import('../../runtime/serve/development.ts')
    const app = await openDevelopmentApp(options)
    try {
      const { user, accessToken, expiresInSeconds, scope } = await app.tokenFor(as, asked.scope)
      const until = new Date(clock() + expiresInSeconds * 1000).toISOString()
      warn(`access token of ${user.id} for ${app.baseUrl}, until ${until}`)
      const document = {
        access_token: accessToken,
        token_type: 'Bearer',
        expires_in: expiresInSeconds,
        scope,
        user: user.id,
      }
      print(json ? jsonDocument(document, isPrintedToTerminal) : accessToken)
      return 0
    } finally {
      await app.close()
    }
  })
}
