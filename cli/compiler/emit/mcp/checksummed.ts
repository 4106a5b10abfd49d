/** Parts of a document that each hold the digest of their own text: an edit by hand shows, and two branches that change two
 *  parts merge. */
import { createHash } from 'node:crypto'

/** Four characters in: `withChecksum` and `isChecksummed` look at whole entries of a list or a mapping at two. */
const digestLine = /^ {4}digest: ([0-9a-f]{16})\n/m
/** They change with types that stand elsewhere, and no reviewer reads them: no part of the digest. Quoted where they look like a number. */
const fingerprintLines = /^ {8}(?:answerF|f)ingerprint: "?[0-9a-f]{64}"?\n/gm

/** The entry with its digest as a line of its own, after the first `lines`. */
export function withChecksum(entry: string, lines: number): string {
  const parts = entry.split('\n')
  return [...parts.slice(0, lines), `    digest: ${digestOf(entry)}`, ...parts.slice(lines)].join('\n')
}

/** Whether the entry holds the digest of its text. */
export function isChecksummed(entry: string): boolean {
  const [line, digest] = digestLine.exec(entry) ?? []
  return line !== undefined && digest === digestOf(entry.replace(digestLine, ''))
}

/** Short: it guards against accidents, and anyone could compute it. */
const digestOf = (text: string): string =>
  createHash('sha256').update(text.replace(fingerprintLines, '')).digest('hex').slice(0, 16)

/** The entries at two characters in, and the lines around them. */
export function entriesOf(document: string): { readonly frame: string; readonly entries: readonly string[] } {
  const parts = document.split(/^(?=\S| {2}\S)/m)
  const isEntry = (part: string): boolean => part.startsWith('  ')
  return { frame: parts.filter((part) => !isEntry(part)).join(''), entries: parts.filter(isEntry) }
}
