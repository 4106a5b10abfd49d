/** `acmcp prompt`: the messages of one prompt, as a client gets them. */
import { type AskOptions, askOnce, shownText, textOfContent } from './asking.ts'
import { toArguments } from './call-arguments.ts'

export interface PromptOptions extends AskOptions {
  readonly prompt: string
  /** `name=value` */
  readonly given: readonly string[]
}

/** The exit code: 1 when there are no messages, 2 when an argument is not written as one, or there is no such scope. */
export function prompt(options: PromptOptions): Promise<0 | 1 | 2> {
  const { prompt: name, given, env, print } = options
  return askOnce(options, {
    name: 'prompt',
    ask: () => {
      const json = given.find((one) => /^[^=]*:=/.test(one))
      if (json !== undefined) return `${json}: arguments of prompts are texts, write name=value`
      const args = toArguments(given, {})
      return typeof args === 'string' ? args : { method: 'prompts/get', params: { name, arguments: args } }
    },
    show: ({ messages }) => {
      const isOne = messages.length === 1 && messages[0]?.role === 'user'
      for (const { role, content } of messages) {
        const text = shownText(textOfContent(content), options)
        print(isOne ? text : `${role}: ${text}`)
      }
      return true
    },
    refused: (why, { offersFor }) =>
      offersFor(null, env).prompts.length === 0
        ? 'there are no prompts: @mcp prompt makes one'
        : `${name} was not asked: ${why}`,
  })
}
