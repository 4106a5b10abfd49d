/** `acmcp token`: an access token for curl: of a user, at the `acmcp serve` of the same folder and store, in development only; or of a
 *  client of the configuration, at any server, by its private key. */
import { addCommand, CommandFailure, printResult } from '../command-line/add-command.ts'
import {
  type CallerFlags,
  type CallerOptions,
  withCaller,
  withCallerApp,
} from '../command-line/add-request.ts'
import { toUrl } from '../command-line/argument-types.ts'
import type { Add, CommandContext } from '../command-line/command.ts'

export const place = 540

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
  addCommand<TokenFlags>(command, start, {
    examples: [
      'acmcp token',
      'acmcp token --as ada --json',
      'acmcp token --scope notes:read',
      'acmcp token --client ci-bot --key ci-bot.pem --url https://notes.example.com',
    ],
    isBesideApplication: true,
    run: (options) => (isForClient(options) ? runForClient(options) : runAsCaller(options)),
  })
}

interface TokenFlags extends CallerFlags {
  readonly client?: string
  readonly key?: string
  readonly url?: URL
}

const isForClient = ({ client, key, url }: TokenFlags): boolean =>
  client !== undefined || key !== undefined || url !== undefined

/** Prints the token alone. */
async function runForClient(options: CommandContext & TokenFlags): Promise<0> {
  const { client, key, url = null, as, scope = '' } = options
  if (client === undefined || key === undefined || as !== undefined)
    throw new CommandFailure('--client and --key go together, --url with both, and --as with none of them', 2)
  const { clientToken, ClientTokenRefused } = await import('../../runtime/serve/client-token.ts')
  try {
    const document = await clientToken({ ...options, client, key, url, scope })
    printResult(options, document, [document.access_token])
    return 0
  } catch (error) {
    throw error instanceof ClientTokenRefused ? new CommandFailure(error.message) : error
  }
}

/** Prints the token alone, everything else is for `warn`. */
const runAsCaller = (options: CallerOptions): Promise<number> =>
  withCallerApp(options, async (app, requested) => {
    const { user, accessToken, expiresInSeconds, scope } = await app.tokenFor(options.as ?? null, requested)
    const until = new Date(options.clock() + expiresInSeconds * 1000).toISOString()
    options.warn(`access token of ${user.id} for ${app.baseUrl}, until ${until}`)
    const document = {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: expiresInSeconds,
      scope,
      user: user.id,
    }
    printResult(options, document, [accessToken])
    return 0
  })
