/** What libsql's errors mean. Source: SQLite, Result and Error Codes. */

/** The first byte of a code says which; libsql has no name for most of the longer ones. */
const byNumber: ReadonlyMap<number, string> = new Map([
  [3, 'PERM'],
  [5, 'BUSY'],
  [6, 'LOCKED'],
  [7, 'NOMEM'],
  [8, 'READONLY'],
  [10, 'IOERR'],
  [11, 'CORRUPT'],
  [13, 'FULL'],
  [14, 'CANTOPEN'],
  [15, 'PROTOCOL'],
  [22, 'NOLFS'],
  [23, 'AUTH'],
  [26, 'NOTADB'],
])

const busy: ReadonlySet<string> = new Set(['BUSY', 'LOCKED'])

/** SQLITE_READONLY_DIRECTORY */
const readOnlyFolder = 8 | (6 << 8)

/** Others have locked the file. */
export const isBusy = (error: unknown): boolean => busy.has(meaningOf(error))

/** Why the file at `path` cannot be used as it is, with its name; null when the error says nothing of the kind. */
export function unusable(error: unknown, path: string): Error | null {
  const meaning = meaningOf(error)
  if (!(error instanceof Error) || meaning === '' || busy.has(meaning)) return null
  const why = numberOf(error) === readOnlyFolder ? ': no file may be made in its folder' : ''
  return new Error(`${path}: ${error.message}${why}`, { cause: error })
}

const meaningOf = (error: unknown): string => byNumber.get(numberOf(error) & 0xff) ?? ''

function numberOf(error: unknown): number {
  return error instanceof Error && 'rawCode' in error && typeof error.rawCode === 'number' ? error.rawCode : 0
}
