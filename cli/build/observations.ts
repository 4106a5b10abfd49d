/** What a build saw of the world, so that a later one can tell whether it would see the same. */
import { hash } from 'node:crypto'
import { type Host, mayDeclareForOthers, modulesIn } from '../compiler/read/program/host.ts'

/** A file with the stamp that it had before has the text that it had before; null = its stamp says nothing. */
export interface Stamps {
  readonly stampOf: (path: string) => string | null
}

/** Question → answer: `kind path` → what was seen. A later, different answer to a question is not kept: then the
 *  first no longer holds, and the next build looks again. */
export type Observations = Map<string, string>

type Kind = 'text' | 'bytes' | 'file' | 'folder' | 'entries' | 'modules' | 'declares' | 'real'

const ask: Readonly<Record<Kind, (host: Host, path: string) => string>> = {
  text: (host, path) => contentSeen(host.readFile(path)),
  bytes: (host, path) => contentSeen(host.readBytes(path)),
  file: (host, path) => String(host.fileExists(path)),
  folder: (host, path) => String(host.directoryExists(path)),
  entries: (host, path) => entriesSeen(host.readDirectory(path)),
  modules: (host, path) => entriesSeen(modulesIn(host, path)),
  declares: (host, path) => String(mayDeclareForOthers(host, path)),
  real: (host, path) => host.realPath(path),
}

/** What the answers go by is the text of the file. */
type StampedKind = 'text' | 'declares'

const contentSeen = (content: string | Uint8Array | null): string =>
  content === null ? 'none' : hash('sha1', content, 'base64')

const entriesSeen = (entries: ReturnType<Host['readDirectory']>): string =>
  contentSeen(
    entries
      .map(({ name, isDirectory }) => (isDirectory ? `${name}/` : name))
      .sort()
      .join('\n'),
  )

/** The answer for a text, with the stamp of the file. */
const stamped = (answer: string, stamp: string | null): string =>
  stamp === null || answer === 'none' ? answer : `${answer} ${stamp}`

const unstamped = (answer: string): string => answer.split(' ', 1).join('')

/** A host that records what it is asked. */
export interface SeenHost extends Host {
  /** Whether a file still has the stamp in `answer`; that is then recorded without reading it. */
  readonly hasStamp: (kind: StampedKind, path: string, answer: string) => boolean
  /** Sees to it that the text of a file is recorded; what is need not be read. */
  readonly record: (path: string) => void
}

/** `host`, and the record of everything that it is asked. */
export function observed(host: Host & Partial<Stamps>): {
  readonly host: SeenHost
  readonly observations: Observations
} {
  const observations: Observations = new Map()
  const stampOf = host.stampOf ?? (() => null)
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
  const readFile = (path: string): string | null => {
    const stamp = observations.has(`text ${path}`) ? null : stampOf(path) // before the text: a later one has another
    const text = host.readFile(path)
    note('text', path, () => stamped(contentSeen(text), stamp))
    return text
  }
  return {
    observations,
    host: {
      root: host.root,
      readFile,
      readBytes: noted('bytes', host.readBytes, contentSeen),
      digestOf(path) {
        const answer = observations.get(`text ${path}`) ?? 'none'
        return answer === 'none' ? null : unstamped(answer)
      },
      fileExists: noted('file', host.fileExists, String),
      directoryExists: noted('folder', host.directoryExists, String),
      readDirectory: noted('entries', host.readDirectory, entriesSeen),
      realPath: noted('real', host.realPath, String),
      modulesIn: noted('modules', (path) => modulesIn(host, path), entriesSeen),
      mayDeclareForOthers(path) {
        const stamp = stampOf(path) // before the text
        const answer = mayDeclareForOthers(host, path)
        note('declares', path, () => stamped(String(answer), stamp))
        return answer
      },
      hasStamp(kind, path, answer) {
        const stamp = stampOf(path)
        const isSame = stamp !== null && stamped(unstamped(answer), stamp) === answer
        if (isSame) note(kind, path, () => answer)
        return isSame
      },
      record(path) {
        if (!observations.has(`text ${path}`)) readFile(path)
      },
    },
  }
}

/** The questions that `host` answers otherwise now. */
export function changesIn(
  observations: Iterable<readonly [string, string]>,
  host: SeenHost,
): readonly Question[] {
  return [...observations].flatMap(([question, answer]) => {
    const blank = question.indexOf(' ')
    const kind = question.slice(0, blank)
    const path = question.slice(blank + 1)
    return isKind(kind) && isSame(host, kind, path, answer) ? [] : [{ kind, path }]
  })
}

function isSame(host: SeenHost, kind: Kind, path: string, answer: string): boolean {
  if (kind !== 'text' && kind !== 'declares') return ask[kind](host, path) === answer
  return host.hasStamp(kind, path, answer) || ask[kind](host, path) === unstamped(answer)
}

export interface Question {
  readonly kind: string
  readonly path: string
}

const isKind = (kind: string): kind is Kind => Object.hasOwn(ask, kind)
