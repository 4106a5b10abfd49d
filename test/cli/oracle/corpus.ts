/** The corpus in test/cli/corpus: types, each with sample values, as text. Its README says how a block is written. */
import { readdirSync, readFileSync } from 'node:fs'

export interface Sample {
  /** An expression of TypeScript. */
  readonly text: string
  /** `refused` = TypeScript takes it, the constraint tags do not. */
  readonly by: 'type' | 'refused'
  /** The exception under which the judges may differ. */
  readonly exception: string | null
}

export interface Entry {
  /** `S001` … in the order of the corpus: the name in place of `Subject`. */
  readonly name: string
  readonly file: string
  readonly title: string
  readonly declaration: string
  readonly samples: readonly Sample[]
  /** JSON cannot make it: the type is read in an answer, and refused in a parameter. */
  readonly isAnswer: boolean
  /** Part of the message with which the build refuses the type; null = the type has a schema. */
  readonly refusal: string | null
}

const folder = 'test/cli/corpus'

/** Every block of every file, files by name. */
export function readCorpus(): readonly Entry[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.txt'))
  const blocks = files.sort().flatMap((file) =>
    readFileSync(`${folder}/${file}`, 'utf8')
      .split(/^(?=# )/m)
      .map((text) => ({ file, text })),
  )
  return blocks.map(({ file, text }, index) => toEntry(file, text, `S${String(index + 1).padStart(3, '0')}`))
}

function toEntry(file: string, text: string, name: string): Entry {
  const [first = '', ...lines] = text.trimEnd().split('\n')
  const isMark = (line: string): boolean => /^(?:[>!~x] |answer$)/.test(line)
  const refusal = lines.find((line) => line.startsWith('x ')) ?? null
  return {
    name,
    file,
    title: first.slice(2),
    declaration: exported(lines.filter((line) => !isMark(line)).join('\n')).replace(/\bSubject\b/g, name),
    samples: lines.filter((line) => /^[>!~]/.test(line)).flatMap((line) => toSamples(line, name)),
    isAnswer: lines.includes('answer'),
    refusal: refusal === null ? null : refusal.slice(2).replace(/^Subject\b/, name),
  }
}

const exported = (text: string): string =>
  text.replace(/^(?=(?:type|interface|abstract|class|declare|enum|const|function|async) ?)/gm, 'export ')

function toSamples(line: string, name: string): readonly Sample[] {
  const [, exception = null, rest = ''] = /^. (?:([a-z0-9-]+): )?(.*)$/.exec(line) ?? []
  const by = line.startsWith('!') ? 'refused' : 'type'
  return rest.split(' ; ').map((text) => ({ text: text.replace(/\bSubject\b/g, name), by, exception }))
}
