/** A unified diff of two texts, by lines. */

type Line = readonly [mark: ' ' | '-' | '+', text: string]
const around = 2

/** The hunks that turn `before` into `after`, with headers; empty when they are equal. */
export function lineDiff(path: string, before: string, after: string): string {
  if (before === after) return ''
  const lines = compare(before.split('\n'), after.split('\n'))
  const shown = lines.map((_line, index) =>
    lines.slice(Math.max(0, index - around), index + around + 1).some(([mark]) => mark !== ' '),
  )
  const body = lines.flatMap(([mark, text], index) => {
    if (shown[index] !== true) return []
    return shown[index - 1] === true ? [mark + text] : [hunkHeader(lines, index), mark + text]
  })
  return [`--- ${path}`, `+++ ${path} (as it would be built)`, ...body, ''].join('\n')
}

function hunkHeader(lines: readonly Line[], index: number): string {
  const before = lines.slice(0, index)
  const count = (other: '-' | '+'): number => before.filter(([mark]) => mark !== other).length + 1
  return `@@ -${count('+')} +${count('-')} @@`
}

/** Equal head and tail first; the longest common subsequence decides between them. */
function compare(before: readonly string[], after: readonly string[]): readonly Line[] {
  const most = Math.min(before.length, after.length)
  let head = 0
  while (head < most && before[head] === after[head]) head++
  let tail = 0
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  const same = (texts: readonly string[]): readonly Line[] => texts.map((text) => [' ', text] as const)
  return [
    ...same(before.slice(0, head)),
    ...middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...same(before.slice(before.length - tail)),
  ]
}

function middle(before: readonly string[], after: readonly string[]): readonly Line[] {
  const lengths = commonLengths(before, after)
  const lengthAt = (i: number, j: number): number => lengths[i]?.[j] ?? 0
  const lines: Line[] = []
  let [i, j] = [0, 0]
  while (i < before.length || j < after.length) {
    const [old = '', made = ''] = [before[i], after[j]]
    if (i < before.length && j < after.length && old === made) {
      lines.push([' ', old])
      i++
      j++
    } else if (i < before.length && (j >= after.length || lengthAt(i + 1, j) >= lengthAt(i, j + 1))) {
      lines.push(['-', old])
      i++
    } else {
      lines.push(['+', made])
      j++
    }
  }
  return lines
}

/** `[i][j]`: the longest common subsequence of what follows line i and line j. */
function commonLengths(before: readonly string[], after: readonly string[]): readonly (readonly number[])[] {
  const table: number[][] = Array.from({ length: before.length + 1 }, () =>
    new Array(after.length + 1).fill(0),
  )
  for (let i = before.length - 1; i >= 0; i--) {
    const row = table[i] ?? []
    const below = table[i + 1] ?? []
    for (let j = after.length - 1; j >= 0; j--) {
      row[j] = before[i] === after[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0)
    }
  }
  return table
}
