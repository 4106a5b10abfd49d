/** Text of strangers that stands on our pages and in our records. Source: decisions/oauth.md, Clients. */

/** Control, lone surrogate, line and paragraph separator, bidirectional control, and blanks that show nothing. Joiners and
 *  variation selectors stay: names in many scripts and emoji need them. */
const invisible =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u00ad\u115f\u1160\u200b\u2060-\u2064\u3164\ufeff\uffa0]/gu

/** Whether `text` shows every character it has: nothing in it hides, reorders or breaks the text around it. */
export function isVisibleText(text: string): boolean {
  return text.search(invisible) === -1 && !blanks.test(text) && !isPiledUp(text)
}

/** No name of a program has a blank but U+0020, or two of them in a row; in any number they push what follows out of sight. */
const blanks = /(?! )[\p{Zs}\u2800]| {2}/u

/** What is written over and under one letter: in no script that is read more than this. */
const maxMarks = 4

/** Whether marks grow out of their line: they would cover what stands around. */
function isPiledUp(text: string): boolean {
  let marks = 0
  for (const character of text) {
    marks = /\p{M}/u.test(character) ? marks + 1 : 0
    if (marks > maxMarks) return true
  }
  return false
}

/** Whether there is a letter or a digit to see, in any script. */
export function saysSomething(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text.replace(invisible, ''))
}

/** `text` with each character that hides or reorders something spelled out, as source code has it: `\u{202E}`. Lines and tabs stay. */
export const withHiddenSpelledOut = (text: string): string =>
  text.replace(invisible, (character) =>
    character === '\n' || character === '\t'
      ? character
      : `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}}`,
  )

/** `text` without what it hides, cut to `limit` characters. */
export function toVisibleText(text: string, limit: number): string {
  return [...text.replace(invisible, '')].slice(0, limit).join('').trim()
}
