/** Commands that act as a user, in development alone: one request through the whole application, without a socket, with a credential
 *  that ends with it. */
import type { Command } from 'commander'
import type { Content, McpQuery, McpResults, ResourceContent } from '../../runtime/serve/ask-endpoint.ts'
import type { DevelopmentApp } from '../../runtime/serve/development.ts'
import type { LastBuild } from '../../runtime/serve/last-build.ts'
import { printable } from '../terminal/table.ts'
import { addCommand, CommandFailure, type JsonFlag, printResult } from './add-command.ts'
import type { CommandContext, Start } from './command.ts'
import { namedScopes } from './known-names.ts'

export interface CallerFlags extends JsonFlag {
  readonly as?: string
  readonly scope?: string
}

export const withCaller = (command: Command): Command =>
  command
    .option('--as <user>', 'a user of the store by id, or a name for a development user')
    .option('--scope <scopes>', 'what the token may do: names with blanks between them; api without it')

export type CallerOptions = CommandContext & CallerFlags

export interface RequestWork<Method extends keyof McpResults, Words extends readonly unknown[]> {
  readonly examples: readonly string[]
  readonly method: Method
  /** What is asked. Throws where it is written wrong. */
  params(
    server: { readonly build: LastBuild; readonly baseUrl: string },
    ...words: Words
  ): McpQuery<Method>['params']
  /** Prints the answer, which is not wanted as JSON; false when it says that it failed. */
  show(result: McpResults[Method], options: CallerOptions, ...words: Words): boolean
  /** What to say when there is no answer. */
  refused(why: string, request: { readonly build: LastBuild } & CallerOptions, ...words: Words): string
}

/** The exit code: 1 when it failed or nothing ran, 2 when what is asked is written wrong, or there is no such scope. */
export function addRequest<Method extends keyof McpResults, Words extends readonly unknown[]>(
  command: Command,
  start: Start,
  { examples, method, params, show, refused }: RequestWork<Method, Words>,
): void {
  addCommand<CallerFlags, Words>(command, start, {
    examples,
    isBesideApplication: true,
    run: (options, ...words) =>
      withCallerApp(options, async (app, scope) => {
        const { readLastBuild } = await import('../../runtime/serve/last-build.ts')
        const { askEndpoint } = await import('../../runtime/serve/ask-endpoint.ts')
        const build = await readLastBuild(options.cwd)
        const query: McpQuery<Method> = { method, params: params({ build, baseUrl: app.baseUrl }, ...words) }
        const { accessToken, grantId } = await app.tokenFor(options.as ?? null, scope)
        const revoke = (): Promise<unknown> =>
          app.application.store.revokeGrant(grantId, `acmcp ${command.name()} has ended`)
        const outcome = await askEndpoint(app, query, accessToken).finally(revoke)
        if (outcome.kind === 'refused')
          throw new CommandFailure(refused(outcome.why, { ...options, build }, ...words))
        if (options.json !== true) return show(outcome.result, options, ...words) ? 0 : 1
        printResult(options, outcome.result, [])
        return 0
      }),
  })
}

/** Runs `work` with the application, and with the scopes of `--scope` where they are given. */
export async function withCallerApp(
  options: CallerOptions,
  work: (app: DevelopmentApp, scope: string | null) => Promise<number>,
): Promise<number> {
  const { readLastBuild } = await import('../../runtime/serve/last-build.ts')
  const { openDevelopmentApp } = await import('../../runtime/serve/development.ts')
  const { cwd, scope } = options
  const scopes = scope === undefined ? null : namedScopes(scope, (await readLastBuild(cwd)).scopes).join(' ')
  const app = await openDevelopmentApp({ ...options, isTerminal: options.errors.isTerminal })
  try {
    return await work(app, scopes)
  } finally {
    await app.close()
  }
}

/** For people; what a program reads is left as it is. */
export const shownText = (text: string, { isTerminal }: CallerOptions): string =>
  isTerminal ? printable(text) : text

/** What is no text is named. */
export function textOfContent({ type, text, data, mimeType, uri, resource }: Content): string {
  if (type === 'text' && text !== undefined) return text
  if (resource !== undefined) return textOfResource(resource)
  return named([type, mimeType, uri, sizeOf(data)])
}

export const textOfResource = ({ uri, mimeType, text, blob }: ResourceContent): string =>
  text ?? named(['resource', mimeType, uri, sizeOf(blob)])

const named = (parts: readonly (string | undefined)[]): string =>
  `[${parts.filter((part) => part !== undefined).join(', ')}]`

const sizeOf = (base64: string | undefined): string | undefined =>
  base64 === undefined ? undefined : `${Buffer.byteLength(base64, 'base64')} bytes`
