/** What a build saw of the world, so that a later one can tell whether it would see the same. */
import { hash } from 'node:crypto'
import type { Host } from '../compiler/read/host.ts'

/** Question → answer: `kind path` → what was seen. A later, different answer to a question is not kept: then the
 *  first no longer holds, and the next build looks again. */
export type Observations = Map<string, string>

type Kind = 'text' | 'file' | 'folder' | 'entries' | 'real'

const ask: Readonly<Record<Kind, (host: Host, path: string) => string>> = {
  text: (host, path) => textSeen(host.readFile(path)),
  file: (host, path) => String(host.fileExists(path)),
  folder: (host, path) => String(host.directoryExists(path)),
  entries: (host, path) => entriesSeen(host.readDirectory(path)),
  real: (host, path) => host.realPath(path),
}

const textSeen = (text: string | null): string => (text === null ? 'none' : hash('sha1', text, 'base64'))

const entriesSeen = (entries: ReturnType<Host['readDirectory']>): string =>
  textSeen(
    entries
      .map(({ name, isDirectory }) => (isDirectory ? `${name}/` : name))
      .sort()
      .join('\n'),
  )

/** `host`, and the record of everything that it is asked. */
export function observed(host: Host): { readonly host: Host; readonly observations: Observations } {
  const observations: Observations = new Map()
  const note = (kind: Kind, path: string, seen: () => string): void => {
    const question = `${kind} ${path}`
    if (!observations.has(question)) observations.set(question, seen())
  }
  const noted =
    <T>(kind: Kind, answer: (path: string) => T, seen: (value: T) => string) =>
    (path: string): T => {
      const value = answer(path)
      note(kind, path, () => seen(value))
      return value
    }
  return {
    observations,
    host: {
      root: host.root,
      readFile: noted('text', host.readFile, textSeen),
      fileExists: noted('file', host.fileExists, String),
      directoryExists: noted('folder', host.directoryExists, String),
      readDirectory: noted('entries', host.readDirectory, entriesSeen),
      realPath: noted('real', host.realPath, String),
    },
  }
}

/** The questions that `host` answers otherwise now. */
export function changesIn(
  observations: Iterable<readonly [string, string]>,
  host: Host,
): readonly Question[] {
  return [...observations].flatMap(([question, answer]) => {
    const blank = question.indexOf(' ')
    const kind = question.slice(0, blank)
    const path = question.slice(blank + 1)
    return isKind(kind) && ask[kind](host, path) === answer ? [] : [{ kind, path }]
  })
}

export interface Question {
  readonly kind: string
  readonly path: string
}

const isKind = (kind: string): kind is Kind => Object.hasOwn(ask, kind)
