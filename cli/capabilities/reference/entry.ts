/** One thing that the reference explains: its text for a terminal, and how it is found by what a user typed. */
import { distanceOf } from '../../compiler/diagnostics/similar-names.ts'

export interface Entry {
  readonly kind:
    | 'tag'
    | 'word of @mcp'
    | 'parameter wrapper'
    | 'setting'
    | 'environment variable'
    | 'command'
    | 'option'
    | 'export'
    | 'member of a controller'
    | 'diagnostic'
    | 'rule of the contract'
  /** As it is written: `@get`, `limits.bodyBytes`, `ACM203`, `build --check`. */
  readonly name: string
  /** Other names that find it. */
  readonly aliases: readonly string[]
  /** Short texts with a label, such as where it may stand. */
  readonly facts: readonly Fact[]
  /** Paragraphs, with an empty line between them. */
  readonly meaning: string
  readonly samples: readonly Sample[]
}

export type Fact = readonly [label: string, text: string]

/** Source text or a command line; the label tells apart what is wrong and what is right. */
export interface Sample {
  readonly label: 'example' | 'wrong' | 'right'
  readonly text: string
}

const width = 100

/** The lines of an entry, in bold what is its name. */
export function textOf({ kind, name, facts, meaning, samples }: Entry, isBold: boolean): readonly string[] {
  const title = isBold ? `\u001b[1m${name}\u001b[0m` : name
  const labels = Math.max(0, ...facts.map(([label]) => label.length))
  return [
    `${title} (${kind})`,
    '',
    ...meaning
      .split('\n\n')
      .flatMap((paragraph, index) => [...(index === 0 ? [] : ['']), ...wrapped(paragraph, width - 2)])
      .map((line) => (line === '' ? '' : `  ${line}`)),
    ...(facts.length === 0 ? [] : ['']),
    ...facts.flatMap(([label, text]) => labelled(label.padEnd(labels), text)),
    ...samples.flatMap(({ label, text }, index) => [
      ...(samples[index - 1]?.label === label ? [] : ['', `  ${label}:`]),
      ...text.split('\n').map(indented),
    ]),
  ]
}

const indented = (line: string): string => (line === '' ? '' : `    ${line}`)

function labelled(label: string, text: string): readonly string[] {
  const lines = wrapped(text, width - label.length - 4)
  return lines.map((line, index) => `  ${index === 0 ? label : ' '.repeat(label.length)}  ${line}`)
}

/** `text` in lines of so many characters, where blanks allow it. */
function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

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
