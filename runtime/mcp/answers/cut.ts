/** Answers cut where a reader can bear it: after whole items of a list, at the end of a line, never within a character. */
import { isObject } from '../protocol/constants.ts'

/** The beginning of `text`, of at most `chars` UTF-16 units; at the end of a line if one is near. */
export function cutText(text: string, chars: number): string {
  if (text.length <= chars) return text
  const end = wholeCharacters(text, Math.max(chars, 0))
  const lineEnd = text.lastIndexOf('\n', end - 1) + 1
  return text.slice(0, lineEnd * 2 >= end && lineEnd > 0 ? lineEnd : end)
}

/** Half of a surrogate pair is no character. */
function wholeCharacters(text: string, end: number): number {
  const isInPair = /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(end - 1, end + 1))
  return isInPair ? end - 1 : end
}

/** JSON with the first items of its list. */
export interface FirstItems {
  readonly text: string
  readonly shown: number
  readonly of: number
}

/** As many as fit into `chars` of the list that is the value, or is its only one; null where there is none, or no item fits. Linear:
 *  each item is measured once. */
export function firstItems(value: unknown, chars: number): FirstItems | null {
  const [name, second] = isObject(value) ? Object.keys(value).filter((key) => Array.isArray(value[key])) : []
  const isPage = isObject(value) && name !== undefined && second === undefined
  const list = isPage ? value[name] : value
  if (!Array.isArray(list)) return null
  const withItems = (items: readonly unknown[]): string =>
    JSON.stringify(isPage ? { ...value, [name]: items } : items)
  let left = chars - withItems([]).length + 1
  const end = list.findIndex((item) => {
    left -= JSON.stringify(item).length + 1
    return left < 0
  })
  return end < 1 ? null : { text: withItems(list.slice(0, end)), shown: end, of: list.length }
}
