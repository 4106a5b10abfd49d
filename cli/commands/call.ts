/** `acmcp call`: one tool call through the whole application, without a socket; prints what the client gets. Development only. */
import type { CallToolResult, Content } from '../../runtime/serve/call-tool.ts'
import type { DevelopmentOptions } from '../../runtime/serve/development.ts'
import { jsonDocument, printable } from '../terminal/table.ts'
import { toArguments } from './call-arguments.ts'
import { withEnvFile } from './refusal.ts'
import { tokenScope } from './scope-names.ts'

export interface CallOptions extends DevelopmentOptions {
  readonly tool: string
  /** `name=value` or `name:=json`. */
  readonly given: readonly string[]
  /** Who calls; null = whom the development login signs in. */
  readonly as: string | null
  /** What the caller's token may do; null = `api`. */
  readonly scope: string | null
  readonly json: boolean
  readonly print: (line: string) => void
  /** Whether people read what `print` writes. */
  readonly isPrintedToTerminal: boolean
}

/** The exit code: 1 when the tool failed or none ran, 2 when an argument is not written as one, or there is no such scope. */
export function call(options: CallOptions): Promise<0 | 1 | 2> {
  return withEnvFile(options.cwd, options.warn, () => callAndPrint(options))
}

async function callAndPrint(options: CallOptions): Promise<0 | 1 | 2> {
  const { tool, given, as, scope, cwd, warn } = options
  const asked = await tokenScope(cwd, scope)
  if ('refused' in asked) {
    warn(`acmcp: ${asked.refused}`)
    return 2
  }
  const { openDevelopmentApp } = await import('../../runtime/serve/development.ts')
  const { callTool } = await import('../../runtime/serve/call-tool.ts')
  const { readLastBuild } = await import('../../runtime/serve/last-build.ts')
  const app = await openDevelopmentApp(options)
  try {
    const { lists } = await readLastBuild(cwd)
    const schema = [...lists.all, ...lists.root].find(({ name }) => name === tool)?.inputSchema
    const args = toArguments(given, schema ?? {})
    if (typeof args === 'string') {
      warn(`acmcp: ${args}`)
      return 2
    }
    const { accessToken, grantId } = await app.tokenFor(as, asked.scope)
    const revoke = (): Promise<unknown> => app.application.store.revokeGrant(grantId, 'acmcp call has ended')
    const outcome = await callTool(app, { tool, args, bearer: accessToken }).finally(revoke)
    if (outcome.kind === 'result') return printResult(options, outcome.result)
    warn(`acmcp: ${tool} was not called: ${outcome.why}`)
    return 1
  } finally {
    await app.close()
  }
}

function printResult(options: CallOptions, result: CallToolResult): 0 | 1 {
  const { json, isPrintedToTerminal, tool, print, warn } = options
  if (json) print(jsonDocument(result, isPrintedToTerminal))
  else for (const text of result.content.map(textOf)) print(isPrintedToTerminal ? printable(text) : text)
  if (result.isError !== true) return 0
  warn(`acmcp: ${tool} failed (isError)`)
  return 1
}

/** What is no text is named. */
function textOf({ type, text, data, mimeType, uri }: Content): string {
  if (type === 'text' && text !== undefined) return text
  const size = data === undefined ? [] : [`${Buffer.byteLength(data, 'base64')} bytes`]
  return `[${[type, mimeType, uri, ...size].filter((part) => part !== undefined).join(', ')}]`
}
