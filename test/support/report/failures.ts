/** The end of a run that failed, for who sees the last lines only, as in CI: the assertions that failed and how, in few lines.
 *  `node dist/test/support/report/failures.js [file]` reads what `tap` has kept of the run. Its exit code is 1: a test failed. */
import { existsSync, readFileSync } from 'node:fs'

const maxLines = 38
const maxColumns = 150

interface Failure {
  readonly name: string
  /** The document below it. */
  readonly detail: string[]
}

const file = process.argv[2] ?? '.tap/test-results/dist/test/support/all.js.tap'
const lines = existsSync(file) ? reported(failuresIn(readFileSync(file, 'utf8').split('\n'))) : []
process.stdout.write(lines.map((line) => `${line.slice(0, maxColumns)}\n`).join(''))
process.exitCode = 1

/** Assertions: a test that failed because of what stands inside is left out. */
function failuresIn(tap: readonly string[]): readonly Failure[] {
  const open: { readonly name: string; readonly indent: number }[] = []
  const found: Failure[] = []
  let detail: string[] | null = null
  for (const line of tap) {
    const [, space = '', kind = '', rest = ''] =
      /^( *)(not ok \d+ - |ok \d+ - |# Subtest: )(.*)$/.exec(line) ?? []
    if (kind === '') {
      detail?.push(line)
      continue
    }
    detail = null
    const name = rest.replace(/ # time=[\d.]+ms$/, '')
    while ((open.at(-1)?.indent ?? -1) > space.length) open.pop()
    if (kind === '# Subtest: ') open.push({ name, indent: space.length })
    else if (open.at(-1)?.indent === space.length) open.pop()
    else if (kind.startsWith('not')) {
      detail = []
      found.push({ name: [...open.map((item) => item.name), name].join(' > '), detail })
    }
  }
  return found
}

/** Each gets as many lines as the others. */
function reported(failures: readonly Failure[]): readonly string[] {
  const shown = failures.slice(0, maxLines - 2)
  const each = Math.floor((maxLines - 2) / Math.max(1, shown.length))
  const left = failures.length - shown.length
  return [
    `${failures.length} failed${left === 0 ? '' : `, ${left} of them not shown`}:`,
    ...shown.flatMap(({ name, detail }) => [`✖ ${name}`, ...differences(detail)].slice(0, each)),
  ]
}

/** The lines that differ, and where it was asked. */
function differences(detail: readonly string[]): readonly string[] {
  const where = /fileName: (\S+)\s+lineNumber: (\d+)/.exec(detail.join('\n'))
  const from = detail.findIndex((line) => /^ *diff: /.test(line))
  const indent = /^ */.exec(detail[from] ?? '')?.[0].length ?? 0
  const rest = from === -1 ? [] : detail.slice(from + 1)
  const end = rest.findIndex((line) => line.trim() !== '' && line.search(/\S/) <= indent)
  const differing = rest
    .slice(0, end === -1 ? undefined : end)
    .map((line) => line.trim())
    .filter((line) => /^[-+](?!-- expected|\+\+ actual)/.test(line))
  return [...(where === null ? [] : [`at ${where[1]}:${where[2]}`]), ...differing].map((line) => `  ${line}`)
}
