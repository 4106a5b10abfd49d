/** Text cut where a reader can bear it: at the end of a line if one is near, never within a character. */

/** The beginning of `text`, of at most `chars` UTF-16 units. */
export function cutText(text: string, chars: number): string {
  if (text.length <= chars) return text
  const end = wholeCharacters(text, Math.max(chars, 0))
  const lineEnd = text.lastIndexOf('\n', end - 1) + 1
  return text.slice(0, lineEnd * 2 >= end && lineEnd > 0 ? lineEnd : end)
}

/** The beginning of `text` that takes at most `chars` in JSON, quotes included; null when nothing of it does. */
export function cutQuoted(text: string, chars: number): string | null {
  let end = Math.min(text.length, chars - 2)
  while (end > 0) {
    const cut = cutText(text, end)
    const over = JSON.stringify(cut).length - chars
    if (over <= 0) return cut === '' ? null : cut
    end = Math.min(end, cut.length) - Math.ceil(over / 6) // one unit takes six at most
  }
  return null
}

/** Half of a surrogate pair is no character. */
function wholeCharacters(text: string, end: number): number {
  const isInPair = /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(end - 1, end + 1))
  return isInPair ? end - 1 : end
}
