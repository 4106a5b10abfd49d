/** Text of strangers that stands on our pages and in our records. Source: decisions/oauth.md, Clients. */
import { withoutHidden } from '../../http/output/hidden-characters.ts'

/** Whether `text` shows every character it has: nothing in it hides, reorders or breaks the text around it. Joiners stay where scripts and
 *  emoji need them. */
export function isVisibleText(text: string): boolean {
  return withoutHidden(text) === text && !blanks.test(text) && !isPiledUp(text)
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
  return /[\p{L}\p{N}]/u.test(withoutHidden(text))
}

/** `text` without what it hides, cut to `limit` characters. */
export function toVisibleText(text: string, limit: number): string {
  return [...withoutHidden(text)].slice(0, limit).join('').trim()
}

/** Letters and digits alone; those that are drawn alike in some font are one. */
function lettersOf(text: string): readonly string[] {
  const folded = text.normalize('NFKD').toLowerCase()
  return [
    ...folded
      .replace(/[^\p{L}\p{N}]/gu, '')
      .replaceAll('0', 'o')
      .replace(/[1l]/g, 'i'),
  ]
}

/** What our pages say where a caller has no name; the pages of capabilities have such words of their own. */
const ownWords = ['the browser that you are signed in with', 'a program that has a token of yours'].map(
  lettersOf,
)

/** Whether a name reads as one of these, in letters of another case or look. */
export function isOwnWording(name: string): boolean {
  const letters = lettersOf(name)
  return ownWords.some((words) =>
    letters.some((_, at) => resembles(letters.slice(at, at + words.length), words)),
  )
}

/** Letters of other scripts may look like any Latin one (Unicode UTS #39, 4, lists thousands); names in another script alone do not. */
function resembles(letters: readonly string[], words: readonly string[]): boolean {
  const isLatin = (letter: string): boolean => letter <= '\u007f'
  if (letters.length < words.length || 2 * letters.filter(isLatin).length < words.length) return false
  return letters.every((letter, at) => letter === words[at] || !isLatin(letter))
}
