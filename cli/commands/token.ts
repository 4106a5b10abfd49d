/** `acmcp token`: an access token for curl: of a user, at the `acmcp serve` of the same folder and store, in development only; or of a
 *  client of the configuration, at any server, by its private key. */
import { toUrl } from '../command-line/argument-types.ts'
import { type CallerFlags, type CallerOptions, callerOf, withCaller } from '../command-line/caller.ts'
import { type Add, addExamples, type CommandContext } from '../command-line/command.ts'
import { withEnvFile } from '../command-line/env-file.ts'
import { tokenScope } from '../command-line/scope-names.ts'
import { jsonDocument } from '../terminal/table.ts'

export const add: Add = (program, start) => {
  const command = withCaller(
    program
      .command('token')
      .description(
        'print an access token for the acmcp serve of this folder and store, refused in production; or for a client, by its key',
      ),
  )
    .option('--client <id>', 'a client of the configuration, at the server that --url names')
    .option('--key <file>', 'its private key: PEM (PKCS #8) or a JWK')
    .option('--url <url>', 'the server; BASE_URL, or the acmcp serve of this machine, without it', toUrl)
    .option('--json', 'print one JSON document')
    .allowExcessArguments(false)
    .action((flags: TokenFlags) =>
      start((context) =>
        isForClient(flags)
          ? runForClient(flags, context)
          : context.besideApplication(() => run(callerOf(flags, context))),
      ),
    )
  addExamples(command, [
    'acmcp token',
    'acmcp token --as ada --json',
    'acmcp token --scope notes:read',
    'acmcp token --client ci-bot --key ci-bot.pem --url https://notes.example.com',
  ])
}

interface TokenFlags extends CallerFlags {
  readonly client?: string
  readonly key?: string
  readonly url?: URL
}

const isForClient = ({ client, key, url }: TokenFlags): boolean =>
  client !== undefined || key !== undefined || url !== undefined

/** Prints the token alone; the exit code: 1 when it is refused, 2 when what is asked for makes no sense. */
export function runForClient(
  { client, key, url, as, scope, json = false }: TokenFlags,
  { cwd, env, clock, print, warn, isTerminal }: CommandContext,
): Promise<0 | 1 | 2> {
  return withEnvFile(cwd, warn, async () => {
    if (client === undefined || key === undefined || as !== undefined) {
      warn('acmcp: --client and --key go together, --url with both, and --as with none of them')
      return 2
    }
    const { clientToken, ClientTokenRefused } = await import('../../runtime/serve/client-token.ts')
    try {
      const document = await clientToken({
        cwd,
        env,
        clock,
        warn,
        client,
        key,
        url: url ?? null,
        scope: scope ?? '',
      })
      print(json ? jsonDocument(document, isTerminal) : document.access_token)
      return 0
    } catch (error) {
      if (!(error instanceof ClientTokenRefused)) throw error
      warn(`acmcp: ${error.message}`)
      return 1
    }
  })
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
