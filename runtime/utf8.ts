/** Text in UTF-8, strictly. */
import { isAscii } from 'node:buffer'

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Decodes `bytes`, without a byte order mark. Throws what `refused` returns for what is not UTF-8. */
export function decodeUtf8(bytes: Uint8Array, refused: () => Error): string {
  if (bytes instanceof Buffer && isAscii(bytes)) return bytes.toString('latin1') // the fastest way, also for JSON.parse
  try {
    return decoder.decode(bytes)
  } catch {
    throw refused()
  }
}

/** Node 20 has `isWellFormed`, TypeScript's es2023 library does not know it. */
type Text = string & { isWellFormed(): boolean }

/** Whether UTF-8 can hold the text: it has no half of a surrogate pair. */
export const isWellFormed = (text: string): boolean => (text as Text).isWellFormed()

/** `text` without its percent-encoding; null where that is not of UTF-8. Source: WHATWG URL, application/x-www-form-urlencoded
 *  serializing. */
export function percentDecoded(text: string): string | null {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/** Whether all that is percent-encoded in `text` is UTF-8. */
export const isPercentEncoded = (text: string): boolean => percentDecoded(text) !== null
