/** `npm run measure [tree …]`: lines, functions, nesting and casts by room, of this tree and of others beside it (folders of
 *  a checkout). Source: house.md, Sizes. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import ts from 'typescript'

const rooms = ['cli', 'runtime', 'templates', 'app', 'test']

interface Sizes {
  readonly files: number
  readonly lines: number
  /** Lines of each function, from its first to its last. */
  readonly functions: readonly number[]
  /** The deepest nesting of statements in each function. */
  readonly nesting: readonly number[]
  /** `as` but for `as const`. */
  readonly casts: number
  readonly longest: string
}

function sourcesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.includes('golden/'))
    .map((file) => join(folder, file))
}

function sizesOf(folder: string): Sizes {
  const files = sourcesIn(folder).map((path) => measured(path))
  const longest = files.reduce((most, file) => (file.lines > most.lines ? file : most), {
    lines: 0,
    path: '',
  })
  return {
    files: files.length,
    lines: files.reduce((sum, { lines }) => sum + lines, 0),
    functions: files.flatMap(({ functions }) => functions),
    nesting: files.flatMap(({ nesting }) => nesting),
    casts: files.reduce((sum, { casts }) => sum + casts, 0),
    longest: `${longest.path.slice(folder.length + 1)} (${longest.lines})`,
  }
}

interface Measured {
  readonly path: string
  readonly lines: number
  readonly functions: number[]
  readonly nesting: number[]
  casts: number
}

function measured(path: string): Measured {
  const text = readFileSync(path, 'utf8')
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const found: Measured = { path, lines: text.split('\n').length - 1, functions: [], nesting: [], casts: 0 }
  const lineOf = (position: number): number => source.getLineAndCharacterOfPosition(position).line
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      found.functions.push(lineOf(node.end) - lineOf(node.getStart(source)) + 1)
      found.nesting.push(deepest(node, 0))
    }
    if (ts.isAsExpression(node) && node.type.getText(source) !== 'const') found.casts += 1
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** How deep statements that branch or repeat stand in each other, functions inside not counted. */
function deepest(node: ts.Node, depth: number): number {
  let most = depth
  ts.forEachChild(node, (child) => {
    if (ts.isFunctionLike(child)) return
    const isElse = ts.isIfStatement(child) && ts.isIfStatement(node) && node.elseStatement === child
    most = Math.max(most, deepest(child, isNested(child) && !isElse ? depth + 1 : depth))
  })
  return most
}

const isNested = (node: ts.Node): boolean =>
  ts.isIfStatement(node) ||
  ts.isIterationStatement(node, false) ||
  ts.isTryStatement(node) ||
  ts.isSwitchStatement(node)

/** The value below which `share` of all lie. */
function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0
}

function print(tree: string): void {
  console.log(tree)
  for (const room of rooms) {
    const { files, lines, functions, nesting, casts, longest } = sizesOf(join(tree, room))
    const spread = [0.5, 0.9, 1].map((share) => quantile(functions, share)).join(' / ')
    console.log(
      `  ${room.padEnd(10)} ${lines} lines in ${files} files; functions ${spread}; nesting ${quantile(nesting, 0.9)} / ` +
        `${quantile(nesting, 1)}; ${casts} casts; longest ${longest}`,
    )
  }
}

/** Folders of many files that are one idea all the same, and why. */
const alike: Readonly<Record<string, string>> = {
  'cli/commands': 'a file a command',
  'test/torture': 'a file a torture',
}

/** Where to look whether a file, or a folder, is two ideas: above 300 lines, above 13 files. */
function warn(tree: string): void {
  const paths = rooms.flatMap((room) => sourcesIn(join(tree, room)))
  const counts = new Map<string, number>()
  for (const path of paths) {
    const lines = readFileSync(path, 'utf8').split('\n').length - 1
    if (lines > 300) console.log(`  ${relative(tree, path)} has ${lines} lines: is it two ideas?`)
    const folder = relative(tree, dirname(path))
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  for (const [folder, count] of counts)
    if (count > 13) console.log(`  ${folder} has ${count} files: ${alike[folder] ?? 'is it two ideas?'}`)
}

console.log('lines of functions: median / p90 / most; nesting: p90 / most')
for (const tree of ['.', ...process.argv.slice(2)]) print(tree)
warn('.')
