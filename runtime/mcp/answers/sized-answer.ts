/** Answers that are no longer than their tool may say: what fits with the call for the next page, what does not cut or linked. Source:
 *  decisions/mcp.md, Budgets and paging. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { HttpResponse } from '../../contract/http.ts'
import type { AnsweredCall, AnswerLimits } from './answered-call.ts'
import { cutText, type FirstItems, firstItems } from './cut.ts'
import { linkedPage } from './next-link.ts'
import { type NextPage, nextPage, restOfPage } from './paging.ts'
import { untrustedMeta } from './untrusted.ts'
import { type LeftOut, wholeAnswer } from './whole-answer.ts'

/** A text of JSON or something else, as far as it was read. */
export interface ReadText {
  readonly text: string
  /** Undefined where it is no JSON. */
  readonly value: unknown
  /** In full. */
  readonly left: LeftOut
}

/** Text as it is, or its beginning; JSON that fits as structured content too. */
export function sizedText(answer: ReadText, call: AnsweredCall): CallToolResult {
  const { text, value, left } = answer
  if (left.bytes === null || text.length > call.settings.answerChars) return cutAnswer(answer, call)
  const note = pageNote(() => value, left.headers, call)
  const structured = value === undefined ? {} : { structuredContent: value }
  return { content: [answerBlock(text, call), ...(note === null ? [] : [textBlock(note)])], ...structured }
}

/** The sentence about the next page; null where there is none, or it is not known. */
export function pageNote(
  read: () => unknown,
  headers: HttpResponse['headers'],
  call: AnsweredCall,
): string | null {
  const next = nextOf(read, headers, call)
  if (next === null) return null
  const text = callText(next.args, call)
  return next.isSure ? `For the next page call ${text}.` : `There may be more: call ${text}.`
}

/** By the header, else by the answer; null of a tool that may change something. */
function nextOf(read: () => unknown, headers: HttpResponse['headers'], call: AnsweredCall): NextPage | null {
  const { tool, paging } = call.settings
  if (!tool.hints.readOnly) return null
  const linked = linkedPage(headers, { tool, args: call.args, url: call.url })
  if (linked !== null) return { args: linked, isSure: true }
  return paging && nextPage(paging, read(), call.args)
}

/** A link in place of what cannot be cut. */
export function linkInstead(left: LeftOut, call: AnsweredCall): CallToolResult {
  const whole = wholeAnswer(call, left)
  const said = left.headers['content-length'] === undefined ? '' : ` of ${left.headers['content-length']}`
  const size = left.bytes === null ? `more than ${call.settings.answerBytes}${said}` : `${left.bytes}`
  const lost = `the answer (${size} bytes of ${left.mimeType}) is too large and was left out`
  return tooLong([], `${lost}; ${howElse(whole?.words, call)}`, call, whole === null ? [] : [whole.block])
}

/** Its first items or lines, and a sentence about the rest. */
function cutAnswer({ text, value, left }: ReadText, call: AnsweredCall): CallToolResult {
  const { answerChars } = call.settings
  const items = firstItems(value, answerChars)
  const shown = items?.text ?? cutText(text, answerChars)
  const size = left.bytes === null ? `more than ${text.length}` : text.length
  const words =
    items === null
      ? `the first ${shown.length} of ${size} characters are shown`
      : `the first ${items.shown} of ${items.of} items are shown`
  return tooLong([answerBlock(shown, call)], `${words}; ${restWords({ value, left }, items, call)}`, call)
}

function restWords(
  { value, left }: Omit<ReadText, 'text'>,
  items: FirstItems | null,
  call: AnsweredCall,
): string {
  const { paging } = call.settings
  const rest = items && paging && restOfPage(paging, call.args, items.shown)
  if (rest !== null) return `for the rest call ${callText(rest.args, call)}`
  const next = nextOf(() => value, left.headers, call)
  const after = next === null ? '' : `; for what comes after all of it call ${callText(next.args, call)}`
  return howElse(wholeAnswer(call, left)?.words, call) + after
}

/** Clients want structured content of a tool with an output schema, unless its result is an error. Source: MCP 2025-11-25, Tools,
 *  output schema. */
function tooLong(
  shown: CallToolResult['content'],
  words: string,
  { settings: { tool } }: AnsweredCall,
  links: CallToolResult['content'] = [],
): CallToolResult {
  const isError = tool.outputSchema !== null
  const sentence = isError
    ? `The call was done, and only its answer is too long: ${words}.`
    : `${words.charAt(0).toUpperCase()}${words.slice(1)}.`
  return { content: [...shown, textBlock(sentence), ...links], ...(isError ? { isError } : {}) }
}

/** Where no argument asks for what was left out. */
function howElse(whole: string | undefined, { settings: { tool, paging } }: AnsweredCall): string {
  if (!tool.hints.readOnly) return 'do not call it again for the rest, for it may change something'
  const less = paging?.limit ? `ask for less by '${paging.limit.name}'` : 'ask for less'
  return whole === undefined ? less : `${less}, or ${whole}`
}

const textBlock = (text: string) => ({ type: 'text' as const, text })

/** What the route said, in contrast to what is said of it. */
const answerBlock = (text: string, { settings }: AnsweredCall) => ({
  ...textBlock(text),
  ...untrustedMeta(settings.tool),
})

/** Above that the arguments are not repeated. */
const maxChars = 1000

/** As the client calls it: by its name, or through the proxy that it came by. */
function callText(
  args: AnsweredCall['args'],
  { settings: { tool }, calledAs, args: before }: AnsweredCall,
): string {
  const isLong = JSON.stringify(args).length > maxChars
  const repeated = isLong ? changed(args, before) : args
  const passed = calledAs === tool.name ? repeated : { name: tool.name, arguments: repeated }
  return `${calledAs} with ${isLong ? 'the same arguments and ' : ''}${JSON.stringify(passed)}`
}

const changed = (args: AnsweredCall['args'], before: AnsweredCall['args']): AnsweredCall['args'] =>
  Object.fromEntries(Object.entries(args).filter(([name, value]) => before[name] !== value))

type Block = CallToolResult['content'][number]

/** All texts together are no longer than the tool may say, and no bytes larger than what is sent at once; what was left out is said
 *  in its place. */
export function sizedBlocks(blocks: readonly Block[], { answerChars, answerBytes }: AnswerLimits): Block[] {
  let chars = answerChars
  return blocks.flatMap((block): Block[] => {
    const base64 = bytesOf(block)
    if (base64 !== null) {
      const bytes = Buffer.byteLength(base64, 'base64')
      return bytes <= answerBytes ? [block] : inPlaceOf(block, bytes)
    }
    const text = textOf(block)
    if (text === null) return [block]
    const left = chars
    chars = Math.max(0, chars - text.length)
    if (text.length <= left) return [block]
    if (block.type !== 'text') return inPlaceOf(block, Buffer.byteLength(text))
    const shown = cutText(text, left)
    const note = textBlock(`The first ${shown.length} of ${text.length} characters are shown.`)
    return shown === '' ? [note] : [{ ...block, text: shown }, note]
  })
}

function bytesOf(block: Block): string | null {
  if (block.type === 'image' || block.type === 'audio') return block.data
  return block.type === 'resource' && 'blob' in block.resource ? block.resource.blob : null
}

function textOf(block: Block): string | null {
  if (block.type === 'text') return block.text
  return block.type === 'resource' && 'text' in block.resource ? block.resource.text : null
}

function inPlaceOf(block: Block, size: number): Block[] {
  const { mimeType = 'application/octet-stream' } = 'mimeType' in block ? block : {}
  if (block.type !== 'resource') {
    return [textBlock(`An answer of ${size} bytes of ${mimeType} is too large and was left out.`)]
  }
  const { uri, mimeType: type } = block.resource
  const note = textBlock(`The resource ${uri} of ${size} bytes is too large and was left out.`)
  return [
    note,
    { type: 'resource_link', uri, name: uri, size, ...(type === undefined ? {} : { mimeType: type }) },
  ]
}
