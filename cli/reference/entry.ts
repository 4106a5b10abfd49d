/** One thing that the reference explains, and its text for a terminal. Imports nothing of ours. */

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
