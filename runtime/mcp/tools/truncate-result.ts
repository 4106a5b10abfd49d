/** Keeps a tool's answer within what a model can read: whole items of a list, never a part of one, and how to get the
 *  rest. Source: reference/tool-texts.md, section 6; reference/mcp.md, section 7. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { ToolEntry } from '../../contract/mcp.ts'
import { isObject } from '../protocol/constants.ts'

/** What the note about the rest can name: `address` is where the route answers over HTTP. */
export interface TooLarge {
  readonly tool: Pick<ToolEntry, 'name' | 'arguments' | 'hints'>
  readonly address: string
  readonly answerChars: number
}

/** The JSON answer cut at whole items of its list (itself, or its longest property that is one); null when it holds no
 *  list. */
export function cutAtItems(json: string, limits: TooLarge): CallToolResult | null {
  const value: unknown = JSON.parse(json)
  const name = isObject(value) ? longestList(value) : null
  const list: unknown = isObject(value) && name !== null ? value[name] : value
  if (!Array.isArray(list)) return null
  const around = isObject(value) && name !== null ? { ...value, [name]: [] } : []
  const kept = fitting(list, limits.answerChars - JSON.stringify(around).length)
  const cut = isObject(value) && name !== null ? { ...value, [name]: kept } : kept
  const left = `${kept.length} of ${list.length} items${name === null ? '' : ` of '${name}'`} are shown.`
  return {
    content: [
      { type: 'text', text: JSON.stringify(cut) },
      { type: 'text', text: `${left} ${howToGetTheRest(limits)}` },
    ],
    structuredContent: cut,
  }
}

/** The answer that cannot be cut: a link to it in its place. */
export function linkInstead(size: string, mimeType: string, limits: TooLarge): CallToolResult {
  const { tool, address } = limits
  return {
    content: [
      {
        type: 'text',
        text: `The answer (${size} of ${mimeType}) is too large and was left out. ${howToGetTheRest(limits)}`,
      },
      ...(tool.hints.readOnly
        ? [{ type: 'resource_link' as const, uri: address, name: tool.name, mimeType }]
        : []),
    ],
  }
}

function longestList(value: Readonly<Record<string, unknown>>): string | null {
  const lists = Object.entries(value).filter(([, item]) => Array.isArray(item))
  const sized = lists.map(([name, list]) => ({ name, size: JSON.stringify(list).length }))
  return sized.sort((a, b) => b.size - a.size)[0]?.name ?? null
}

function fitting(list: readonly unknown[], chars: number): readonly unknown[] {
  let left = chars
  const end = list.findIndex((item) => {
    left -= JSON.stringify(item).length + 1
    return left < 0
  })
  return end === -1 ? list : list.slice(0, end)
}

const paging = /^(page|offset|cursor|after|before|skip|start|limit|per_?page|page_?size)$/i

function howToGetTheRest({ tool, address }: TooLarge): string {
  const names = tool.arguments.map(({ argument }) => argument)
  const pages = names.filter((name) => paging.test(name))
  const quoted = (list: readonly string[]): string => list.map((name) => `'${name}'`).join(', ')
  if (pages.length > 0) return `Call ${tool.name} again with ${quoted(pages)} for the rest.`
  if (names.length > 0) return `Call ${tool.name} again with narrower ${quoted(names)}.`
  return tool.hints.readOnly ? `The whole answer is at ${address}.` : 'The rest cannot be asked for.'
}
