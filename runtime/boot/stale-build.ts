/** Whether the sources beside a bundle are those that it was built from, by what the build recorded in `.acmcp/build.json`
 *  (cli/build/up-to-date.ts). Nothing else is known without the compiler. */
import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'

interface BuildRecord {
  readonly root: string
  readonly observations: readonly (readonly [question: string, answer: string])[]
  /** Sources beyond the application's folder, absolute. */
  readonly sources?: readonly string[]
}

/** The files and folders under `app/`, and the sources beyond the application's folder, that are not as the build saw them, relative
 *  to `cwd`; none where there are no sources, as in a deployment, or no record. */
export function staleSources(cwd: string): readonly string[] {
  const record = existsSync(join(cwd, 'app')) ? readRecord(cwd) : null
  if (record === null) return []
  const outside = new Set(record.sources)
  const stale = record.observations.flatMap(([question, answer]) => {
    const [, kind = '', path = ''] = /^(\w+) (.*)$/s.exec(question) ?? []
    const isOwn = `${path}/`.startsWith(`${record.root}/app/`)
    if (!isOwn && !(kind === 'text' && outside.has(path))) return []
    const relative = posix.relative(record.root, path)
    const file = join(cwd, relative)
    if (!isOwn && !existsSync(dirname(file))) return [] // what lies beside a deployment is another
    const now = seenNow(kind, file)
    return now === null || now === answer.split(' ', 1)[0] ? [] : [relative]
  })
  return [...new Set(stale)]
}

function readRecord(cwd: string): BuildRecord | null {
  try {
    const text = readFileSync(join(cwd, '.acmcp', 'build.json'), 'utf8')
    return JSON.parse(text.slice(text.indexOf('\n') + 1)) // written by the build alone
  } catch {
    return null
  }
}

/** The answer as the build wrote it; null for a question that no text and no folder answers. */
function seenNow(kind: string, path: string): string | null {
  if (kind === 'text') return digest(() => readFileSync(path, 'utf8'))
  return kind === 'entries' ? digest(() => namesIn(path)) : null
}

function digest(read: () => string): string {
  try {
    return hash('sha1', read(), 'base64')
  } catch {
    return 'none'
  }
}

const namesIn = (folder: string): string =>
  readdirSync(folder, { withFileTypes: true })
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .sort()
    .join('\n')

const maxNamed = 5

/** What to say of them, in one line. */
export function staleText(stale: readonly string[]): string {
  const rest = stale.length > maxNamed ? ` and ${stale.length - maxNamed} more` : ''
  return `the bundle was not built from ${stale.slice(0, maxNamed).join(', ')}${rest} as it is now: run npx acmcp build`
}
