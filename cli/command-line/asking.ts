/** What `acmcp call`, `prompt` and `read` have in common: one request through the whole application, without a socket, with a
 *  credential that ends with it. Development only. */
import type { Content, McpQuery, McpResults, ResourceContent } from '../../runtime/serve/ask-endpoint.ts'
import type { LastBuild } from '../../runtime/serve/last-build.ts'
import { jsonDocument, printable } from '../terminal/table.ts'
import type { CallerOptions } from './caller.ts'
import { withEnvFile } from './env-file.ts'
import { tokenScope } from './scope-names.ts'

export interface SingleRequest<Method extends keyof McpResults> {
  /** Of the command. */
  readonly name: string
  /** What is asked, or a sentence that says what is written wrong. */
  ask(build: LastBuild, baseUrl: string): McpQuery<Method> | string
  /** Prints the answer, which is not wanted as JSON; false when it says that it failed. */
  show(result: McpResults[Method]): boolean
  /** What to say when there is no answer. */
  refused(why: string, build: LastBuild): string
}

/** The exit code: 1 when it failed or nothing ran, 2 when what is asked is written wrong, or there is no such scope. */
export function askOnce<Method extends keyof McpResults>(
  options: CallerOptions,
  question: SingleRequest<Method>,
): Promise<0 | 1 | 2> {
  return withEnvFile(options.cwd, options.warn, () => askAndShow(options, question))
}

async function askAndShow<Method extends keyof McpResults>(
  options: CallerOptions,
  question: SingleRequest<Method>,
): Promise<0 | 1 | 2> {
  const { as, scope, cwd, json, isPrintedToTerminal, print, warn } = options
  const granted = await tokenScope(cwd, scope)
  if ('refused' in granted) {
    warn(`acmcp: ${granted.refused}`)
    return 2
  }
  const { openDevelopmentApp } = await import('../../runtime/serve/development.ts')
  const { askEndpoint } = await import('../../runtime/serve/ask-endpoint.ts')
  const { readLastBuild } = await import('../../runtime/serve/last-build.ts')
  const app = await openDevelopmentApp(options)
  try {
    const build = await readLastBuild(cwd)
    const request = question.ask(build, app.baseUrl)
    if (typeof request === 'string') {
      warn(`acmcp: ${request}`)
      return 2
    }
    const { accessToken, grantId } = await app.tokenFor(as, granted.scope)
    const revoke = (): Promise<unknown> =>
      app.application.store.revokeGrant(grantId, `acmcp ${question.name} has ended`)
    const outcome = await askEndpoint(app, request, accessToken).finally(revoke)
    if (outcome.kind === 'refused') {
      warn(`acmcp: ${question.refused(outcome.why, build)}`)
      return 1
    }
    if (json) print(jsonDocument(outcome.result, isPrintedToTerminal))
    else return question.show(outcome.result) ? 0 : 1
    return 0
  } finally {
    await app.close()
  }
}

/** For people; what a program reads is left as it is. */
export const shownText = (text: string, { isPrintedToTerminal }: CallerOptions): string =>
  isPrintedToTerminal ? printable(text) : text

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
