/** What the making of an answer knows of its call. */
import type { ResourceEntry, ToolEntry } from '../../contract/mcp.ts'
import type { Route } from '../../contract/route.ts'
import { type AnswerBrief, briefOfTool } from './brief.ts'
import { type AnswerPaging, pagingOfTool } from './paging.ts'

/** How much of an answer a client gets. */
export interface AnswerLimits {
  /** UTF-16 units of text. */
  readonly answerChars: number
  /** Bytes of an image, of audio or of a file. */
  readonly answerBytes: number
}

type AnsweringTool = Pick<
  ToolEntry,
  'name' | 'route' | 'inputSchema' | 'outputSchema' | 'arguments' | 'hints' | 'paging' | 'brief' | 'untrusted'
>

/** What is the same for each call of a tool. */
export interface AnswerSettings extends AnswerLimits {
  readonly tool: AnsweringTool
  readonly verb: Route['verb']
  readonly baseUrl: string
  readonly production: boolean
  /** Null where no argument asks for what comes next, or where the model must not call again. */
  readonly paging: AnswerPaging | null
  /** Null = it answers all of it. */
  readonly brief: AnswerBrief | null
  /** What reads the same as the tool; null = none does. */
  readonly resource: ResourceEntry | null
}

/** The call that an outcome answers. */
export interface AnsweredCall {
  readonly settings: AnswerSettings
  readonly args: Readonly<Record<string, unknown>>
  /** The tool that the client named: a proxy, or the tool itself. */
  readonly calledAs: string
  /** Path and query that the route was asked for. */
  readonly url: string
  /** A sentence about a refusal that its body does not hold, or empty. */
  readonly why: string
}

interface AnswerOptions
  extends Pick<AnswerSettings, 'baseUrl' | 'production' | 'answerChars' | 'answerBytes'> {
  readonly resources: readonly ResourceEntry[]
}

/** A tool that may change something is not called again for the rest of its answer. */
export function answerSettings(
  tool: AnsweringTool,
  verb: Route['verb'],
  { baseUrl, production, answerChars, answerBytes, resources }: AnswerOptions,
): AnswerSettings {
  const paging = tool.hints.readOnly ? pagingOfTool(tool) : null
  return {
    ...{ tool, verb, baseUrl, production, answerChars, answerBytes, paging },
    brief: briefOfTool(tool),
    resource: resources.find(({ route }) => route === tool.route) ?? null,
  }
}
