/** What a build would change in a file, as `git apply` takes it. */
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'

/** Beyond so many lines a difference is not read, and finding the shortest one takes long. */
const maxLines = 4000
const longestMs = 2000

/** The unified diff that turns `before` (null = there is no such file) into `after`; empty when they are equal, one line
 *  where they have too little in common. */
export function unifiedDiff(path: string, before: string | null, after: string): string {
  if (before === after) return ''
  const names = [before === null ? '/dev/null' : `a/${path}`, `b/${path}`] as const
  const bounds = { maxEditLength: maxLines, timeout: longestMs }
  const settings = { context: 3, headerOptions: FILE_HEADERS_ONLY, ...bounds }
  const diff =
    before === null
      ? createTwoFilesPatch(...names, '', after, undefined, undefined, { headerOptions: FILE_HEADERS_ONLY })
      : createTwoFilesPatch(...names, before, after, undefined, undefined, settings)
  return diff ?? `${path} differs from line ${firstDifference(before ?? '', after)} on\n`
}

function firstDifference(before: string, after: string): number {
  const [old, made] = [before.split('\n'), after.split('\n')]
  const place = old.findIndex((line, index) => line !== made[index])
  return (place < 0 ? old.length : place) + 1
}
