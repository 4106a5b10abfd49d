/** The blocks of `toolResult`, each as far as it fits. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { AnswerLimits } from './answered-call.ts'
import { cutText } from './cut.ts'

type Block = CallToolResult['content'][number]

/** All texts together are no longer than the tool may say, and no bytes larger than what is sent at once; what was left out is said
 *  in its place. */
export function sizedBlocks(blocks: readonly Block[], { answerChars, answerBytes }: AnswerLimits): Block[] {
  let chars = answerChars
  return blocks.flatMap((block) => {
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

const textBlock = (text: string): Block => ({ type: 'text', text })

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
