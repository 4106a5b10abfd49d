/** Answers that are no longer than their tool may say: what fits with a hint at the next page, what does not cut or linked. Source:
 *  decisions/mcp.md, Budgets and paging. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { HttpResponse } from '../../contract/http.ts'
import type { AnsweredCall } from './answered-call.ts'
import { cutsFit } from './cut-fits.ts'
import { cutJson } from './cut-json.ts'
import { cutText } from './cut-text.ts'
import { cutNote, howElse, nextPageWords } from './rest-words.ts'
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

/** Text as it is, or its beginning; JSON as structured content too. */
export function sizedText(answer: ReadText, call: AnsweredCall): CallToolResult {
  const { text, value, left } = answer
  if (left.bytes !== null && text.length <= call.settings.answerChars) {
    const next = nextPageWords(value, left.headers, call)
    const structured = value === undefined ? {} : { structuredContent: value }
    return { content: [answerBlock(text, call), ...(next === null ? [] : [textBlock(next)])], ...structured }
  }
  if (value !== undefined) return cutStructure(answer, call) ?? linkInstead(left, call)
  return cutPlain(answer, call)
}

/** The answer that cannot be cut: a link in its place. */
export function linkInstead(left: LeftOut, call: AnsweredCall): CallToolResult {
  const whole = wholeAnswer(call, left)
  const said = left.headers['content-length'] === undefined ? '' : ` of ${left.headers['content-length']}`
  const size = left.bytes === null ? `more than ${call.settings.answerBytes}${said}` : `${left.bytes}`
  const text = `The answer (${size} bytes of ${left.mimeType}) is too large and was left out. ${howElse(whole, call)}`
  return { content: [textBlock(text), ...(whole === null ? [] : [whole.block])] }
}

const textBlock = (text: string) => ({ type: 'text' as const, text })

/** What the route said, in contrast to what is said of it. */
const answerBlock = (text: string, { settings }: AnsweredCall) => ({
  ...textBlock(text),
  ...untrustedMeta(settings.tool),
})

/** Null where nothing of it would be left. */
function cutStructure({ text, value, left }: ReadText, call: AnsweredCall): CallToolResult | null {
  const { answerChars, tool } = call.settings
  const cut = cutJson(value, answerChars)
  if (cut === null || (Array.isArray(cut.value) && cut.value.length === 0)) return null
  const whole = wholeAnswer(call, left)
  const note = cutNote({ value, cuts: cut.cuts, chars: text.length }, whole, call)
  const fits = tool.outputSchema === null || cutsFit(tool.outputSchema, value, cut.cuts)
  return {
    content: [
      answerBlock(JSON.stringify(cut.value), call),
      textBlock(note.text),
      ...(whole === null || note.isPaged ? [] : [whole.block]),
    ],
    ...(fits ? { structuredContent: cut.value } : {}), // what may not have its type any more is left to the text
  }
}

function cutPlain({ text, left }: ReadText, call: AnsweredCall): CallToolResult {
  const shown = cutText(text, call.settings.answerChars)
  const whole = wholeAnswer(call, left)
  const size = left.bytes === null ? `more than ${text.length}` : `${text.length}`
  const link = nextPageWords(undefined, left.headers, call)
  const rest = [howElse(whole, call), ...(link === null ? [] : [link])].join(' ')
  const note = `The first ${shown.length} of ${size} characters are shown. ${rest}`
  return { content: [answerBlock(shown, call), textBlock(note), ...(whole === null ? [] : [whole.block])] }
}

/** What JSON fits, by itself, as most does. */
export const pageNote = (text: string, { headers }: HttpResponse, call: AnsweredCall): string | null =>
  nextPageWords(JSON.parse(text), headers, call)
