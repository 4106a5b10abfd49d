/** `prompts/list` and `prompts/get`. Source: MCP 2025-11-25, Prompts. */
import { isSpecType, type Prompt, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { PromptEntry } from '../../contract/mcp.ts'
import type { Logger } from '../../contract/store.ts'
import { unknownName } from '../../suggestions.ts'
import type { MethodAnswer } from '../method.ts'
import { failedRun, type PrepareText, returnedValue, type TextCall } from './text-calls.ts'

/** A prompt as clients list it. */
export const toPrompt = ({ name, title, description, arguments: all }: PromptEntry): Prompt => ({
  name,
  ...(title === null ? {} : { title }),
  description,
  ...(all.length === 0
    ? {}
    : {
        arguments: all.map(({ argument, description: text, required }) => ({
          name: argument,
          ...(text === '' ? {} : { description: text }),
          required,
        })),
      }),
})

/** What `prompts/get` comes to. Throws what the client is told instead. */
export type GetPrompt = (name: string, call: TextCall) => Promise<MethodAnswer>

export function createGetPrompt(
  prompts: readonly PromptEntry[],
  prepare: PrepareText,
  log: Logger,
): GetPrompt {
  const byName = new Map(prompts.map((entry) => [entry.name, { entry, run: prepare(entry, returnedValue) }]))
  return async (name, call) => {
    const found = byName.get(name)
    if (found === undefined) {
      const known = (call.client.permission.view.catalogue.prompts ?? []).map((prompt) => prompt.name)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownName('prompt', name, known))
    }
    const { entry, run } = found
    const { answer, status } = await run(call)
    if (answer.kind !== 'contents') return answer
    const { contents } = answer
    if (contents.kind === 'result') throw failedRun(firstText(contents.result), status)
    const value: unknown = JSON.parse(contents.text)
    const messages =
      typeof value === 'string' ? [{ role: 'user', content: { type: 'text', text: value } }] : value
    const result = { description: entry.description, messages }
    if (isSpecType.GetPromptResult(result)) return { kind: 'result', result }
    log.error({ prompt: name }, 'a prompt returned no messages')
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'Internal error')
  }
}

/** The text of the first block. */
export function firstText({ content }: { readonly content: readonly unknown[] }): string {
  const [first] = content
  return isSpecType.TextContent(first) ? first.text : ''
}
