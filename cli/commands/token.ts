/** `acmcp token`: an access token for curl, at the `acmcp serve` of the same folder and store. Development only. */
import { type CallerFlags, type CallerOptions, callerOf, withCaller } from '../command-line/caller.ts'
import { type Add, addExamples } from '../command-line/command.ts'
import { withEnvFile } from '../command-line/env-file.ts'
import { tokenScope } from '../command-line/scope-names.ts'
import { jsonDocument } from '../terminal/table.ts'

export const add: Add = (program, start) => {
  const command = withCaller(
    program
      .command('token')
      .description(
        'print an access token for the acmcp serve of this folder and store; refused in production',
      ),
  )
    .option('--json', 'print one JSON document')
    .allowExcessArguments(false)
    .action((flags: CallerFlags) =>
      start((context) => context.besideApplication(() => run(callerOf(flags, context)))),
    )
  addExamples(command, ['acmcp token', 'acmcp token --as ada --json', 'acmcp token --scope notes:read'])
}

/** Prints the token alone, everything else is for `warn`; the exit code: 1 when it is refused, 2 when there is no such
 *  scope. */
export function run(options: CallerOptions): Promise<0 | 1 | 2> {
  const { cwd, as, json, clock, print, warn, isPrintedToTerminal } = options
  return withEnvFile(cwd, warn, async () => {
    const requested = await tokenScope(cwd, options.scope)
    if ('refused' in requested) {
      warn(`acmcp: ${requested.refused}`)
      return 2
    }
    const { openDevelopmentApp } = await import('../../runtime/serve/development.ts')
    const app = await openDevelopmentApp(options)
    try {
      const { user, accessToken, expiresInSeconds, scope } = await app.tokenFor(as, requested.scope)
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
