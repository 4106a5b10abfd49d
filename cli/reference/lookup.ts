/** Finds what a name means, however its letters are cased, and what was perhaps meant. */
import { distanceOf } from '../compiler/diagnostics/similar-names.ts'
import type { Entry } from './entry.ts'

/** The entries of this name; several where a word means several things. */
export function find(entries: readonly Entry[], written: string): readonly Entry[] {
  const name = plain(written)
  return entries.filter((entry) => namesOf(entry).some((known) => plain(known) === name))
}

/** What was written as words: names of one word or several (`build --check`), the longest that there is each time. What is in none
 *  stays together. */
export function namesIn(entries: readonly Entry[], words: readonly string[]): readonly string[] {
  if (words.length === 0) return []
  const lengths = words.map((_, index) => words.length - index)
  const length = lengths.find((count) => find(entries, words.slice(0, count).join(' ')).length > 0)
  if (length !== undefined)
    return [words.slice(0, length).join(' '), ...namesIn(entries, words.slice(length))]
  const known = words.findIndex((word, index) => index > 0 && find(entries, word).length > 0)
  const unknown = known < 0 ? words : words.slice(0, known)
  return [unknown.join(' '), ...(known < 0 ? [] : namesIn(entries, words.slice(known)))]
}

/** Names that look like `written`, the nearest first. */
export function near(entries: readonly Entry[], written: string): readonly string[] {
  const name = bare(written)
  const most = name.length < 5 ? 1 : name.length < 9 ? 2 : 3
  const rated = entries.map((entry) => ({
    name: entry.name,
    distance: Math.min(...namesOf(entry).map(distanceFrom(name))),
  }))
  const fits = rated.filter(({ distance }) => distance <= most).sort((a, b) => a.distance - b.distance)
  return [...new Set(fits.map((fit) => fit.name))].slice(0, maxNamed)
}

const maxNamed = 5

const namesOf = ({ name, aliases }: Entry): readonly string[] => [name, ...aliases]

const plain = (text: string): string => text.trim().replace(/\s+/g, ' ').toLowerCase()
const bare = (text: string): string => plain(text).replace(/^@/, '')

/** Slips between two names; one that holds the other as a whole is a slip away. */
const distanceFrom =
  (written: string) =>
  (known: string): number => {
    const name = bare(known)
    const isInside =
      written.length > 3 && (name.includes(written) || written.includes(name)) && name.length > 3
    return isInside ? 1 : distanceOf(written, name)
  }
