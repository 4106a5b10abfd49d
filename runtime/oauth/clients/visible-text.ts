/** Text of strangers that stands on our pages and in our records. Source: reference/oauth-and-storage, 1.2 (limits). */

/** Control, lone surrogate, line and paragraph separator, bidirectional control, and blanks that show nothing. Joiners and
 *  variation selectors stay: names in many scripts and emoji need them. */
const invisible =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u00ad\u115f\u1160\u200b\u2060-\u2064\u3164\ufeff\uffa0]/gu

/** Whether `text` shows every character it has: nothing in it hides, reorders or breaks the text around it. */
export function isVisibleText(text: string): boolean {
  return text.search(invisible) === -1
}

/** Whether there is a letter or a digit to see, in any script. */
export function saysSomething(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text.replace(invisible, ''))
}

/** `text` without what it hides, cut to `limit` characters. */
export function toVisibleText(text: string, limit: number): string {
  return [...text.replace(invisible, '')].slice(0, limit).join('').trim()
}
