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
      { type: 'text', text: `${left} ${howToGetTheRest(limits, kept.length)}` },
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
        text: `The answer (${size} of ${mimeType}) is too large and was left out. ${howToGetTheRest(limits, 0)}`,
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

/** Arguments that say how many items a page has, how many or which one comes before the first, and which page it is. */
const sizes = /^(limit|size|count|take|top|first|(per|max)_?(page|items|results)|(page|batch)_?size|max)$/i
const skips = /^(offset|skip|start)$/i
const marks = /^(after|before)$/i
const pages = /^(page|cursor|(next_?|page_?)(page|cursor|token))$/i

/** Another page is no help by itself: what was cut off of this one is on none. `shown`: how many items fit. */
function howToGetTheRest({ tool, address }: TooLarge, shown: number): string {
  const names = tool.arguments.map(({ argument }) => argument)
  const again = `Call ${tool.name} again with`
  const [size] = names.filter((name) => sizes.test(name))
  const [skip] = names.filter((name) => skips.test(name))
  const [mark] = names.filter((name) => marks.test(name))
  const [page] = names.filter((name) => pages.test(name))
  const next = skip ?? mark ?? page
  if (size !== undefined) {
    const most = `${again} '${size}' at most ${Math.max(shown, 1)}`
    return next === undefined ? `${most}.` : `${most}, and with '${next}' for the rest.`
  }
  if (skip !== undefined) return `${again} '${skip}' greater by ${shown} for the rest.`
  if (mark !== undefined) return `${again} '${mark}' for the rest.`
  const others = names.filter((name) => name !== page)
  if (others.length > 0) return `${again} narrower ${others.map((name) => `'${name}'`).join(', ')}.`
  return tool.hints.readOnly ? `The whole answer is at ${address}.` : 'The rest cannot be asked for.'
}
