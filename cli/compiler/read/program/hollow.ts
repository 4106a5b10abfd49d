/** Packages without their insides. What `acmcp` is built on, and the types that the settings name, are half of what a
 *  program parses and binds, and hardly ever reach a controller. A hollow file keeps what the program must follow: its
 *  imports and references. The names that it declares for all are noted beside it, so that whether a whole file would
 *  have said something else can be found out afterwards (`isEnough`). */
import { globalsOf } from './globals.ts'
import type { Host } from './host.ts'
import { ts } from './typescript.ts'

/** The names that each hollow file declares for all, by path. */
export type HollowFiles = ReadonlyMap<string, readonly string[]>

/** `host`, in which the declaration files of packages are hollow, but for those in the folder `home`; and which they were
 *  so far. */
export function withHollowPackages(
  host: Host,
  home: string,
): { readonly host: Host; readonly hollow: HollowFiles } {
  const hollow = new Map<string, readonly string[]>()
  const readFile = (path: string): string | null => {
    const text = host.readFile(path)
    const made = text === null || !isOfPackage(path, home) ? null : hollowed(text)
    if (made === null) return text
    hollow.set(path, made.globals)
    return made.text
  }
  return { host: { ...host, readFile }, hollow }
}

function isOfPackage(path: string, home: string): boolean {
  const below = path.startsWith(`${home}/`) ? path.slice(home.length) : path
  return /\.d\.[cm]?ts$/.test(path) && below.includes('/node_modules/')
}

/** Whether a text imports nothing but files and `acmcp`, as far as a look can tell. */
export const looksAlone = (text: string): boolean =>
  !/\b(?:from|import|require)\s*\(?\s*['"](?!\.\.?\/|acmcp['"])/.test(text)

interface Hollow {
  readonly text: string
  readonly globals: readonly string[]
}

/** Comments, texts, braces, and the words that lead to other files or open what is declared for all. */
const token =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`|[{}]|\b(?:as\s+namespace|export|from|global|import|module|require)\b/g

/** The file without its insides; null where only the whole text can tell. */
function hollowed(text: string): Hollow | null {
  if (text.includes('resolution-mode')) return null // an import that says itself how it is resolved
  const outline = outlineOf(text)
  if (outline === null) return null
  const { head, imports, outer, mayDeclare } = outline
  const globals = mayDeclare ? declaredIn(outer) : []
  return globals === null ? null : { text: [...head, ...imports].join('\n'), globals }
}

function declaredIn(outer: string): readonly string[] | null {
  const file = ts.createSourceFile('globals.d.ts', outer, {
    languageVersion: ts.ScriptTarget.Latest,
    jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
  })
  const problems = 'parseDiagnostics' in file ? (file.parseDiagnostics as readonly unknown[]) : [] // where the parser puts them
  return problems.length === 0 ? globalsOf(file) : null
}

interface Outline {
  /** The references before the first statement. */
  readonly head: readonly string[]
  readonly imports: readonly string[]
  /** The text without comments and without what stands in braces, but for modules and `global` in them. */
  readonly outer: string
  /** The file is no module, or says something for all. */
  readonly mayDeclare: boolean
}

/** What stands before the first statement. */
const header = /^(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/
const reference = /^\s*\/\/\/\s*<.*$/gm

/** null where braces do not match. */
function outlineOf(text: string): Outline | null {
  const walk: Walk = {
    text,
    imports: [],
    augmented: [],
    outer: [],
    from: 0,
    word: '',
    end: 0,
    kept: 0,
    hidden: 0,
    isModule: false,
    isWide: false,
    isBroken: false,
  }
  for (const { 0: found, index } of text.matchAll(token)) steps[kindOf(found)](walk, found, index)
  const { imports, augmented, outer, from, kept, hidden, isModule, isWide, isBroken } = walk
  if (isBroken || kept !== 0 || hidden !== 0) return null
  const head = (header.exec(text)?.[0] ?? '').match(reference) ?? []
  const all = isModule ? [...imports, ...augmented] : imports
  const mayDeclare = isWide || augmented.length > 0 || !isModule
  return { head, imports: all, outer: [...outer, text.slice(from)].join(' '), mayDeclare }
}

/** Where a walk through a text is. */
interface Walk {
  readonly text: string
  readonly imports: string[]
  /** The modules that are declared, or augmented by a module. */
  readonly augmented: string[]
  readonly outer: string[]
  /** What stands from here on is not yet in `outer`. */
  from: number
  /** The last word, and where the last token ended. */
  word: string
  end: number
  /** The open blocks whose statements are kept, and those inside what is not. */
  kept: number
  hidden: number
  isModule: boolean
  isWide: boolean
  isBroken: boolean
}

type Step = (walk: Walk, found: string, index: number) => void
type Kind = 'comment' | 'quoted' | 'open' | 'close' | 'word'

const kinds: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['/', 'comment'],
  ['"', 'quoted'],
  ["'", 'quoted'],
  ['`', 'quoted'],
  ['{', 'open'],
  ['}', 'close'],
])
const kindOf = (found: string): Kind => kinds.get(found.charAt(0)) ?? 'word'

const steps: Readonly<Record<Kind, Step>> = {
  comment(walk, found, index) {
    const isNear = follows(walk, index)
    leaveOut(walk, index, index + found.length)
    if (isNear) walk.end = index + found.length
  },
  quoted(walk, found, index) {
    const { word } = walk
    const isNear = follows(walk, index)
    if (isNear && /^(from|import)$/.test(word)) walk.imports.push(`import ${found}`)
    if (isNear && word === 'module') walk.augmented.push(`import ${found}`)
    if (isNear && word === 'require') walk.imports.push(`import _${index} = require(${found})`)
    walk.word = isNear && word === 'module' ? 'named' : ''
    walk.end = index + found.length
  },
  open(walk, _found, index) {
    const isKept = walk.hidden === 0 && follows(walk, index) && /^(global|named)$/.test(walk.word)
    if (isKept) walk.kept++
    else if (walk.hidden++ === 0) leaveOut(walk, index + 1, index + 1)
  },
  close(walk, _found, index) {
    if (walk.hidden === 0) walk.isBroken ||= walk.kept-- === 0
    else if (--walk.hidden === 0) walk.from = index
  },
  word(walk, found, index) {
    if (found === 'export') walk.isModule ||= walk.hidden + walk.kept === 0
    if (found === 'global' || found.startsWith('as')) walk.isWide = true
    walk.word = found
    walk.end = index + found.length
  },
}

/** Whether nothing but blanks and brackets stands between the last token and `index`. */
const follows = ({ text, end }: Walk, index: number): boolean => /^[\s(]*$/.test(text.slice(end, index))

/** Takes what was walked through into `outer`, but for what stands between the two places. */
function leaveOut(walk: Walk, start: number, end: number): void {
  if (walk.hidden > 0 && start !== end) return
  walk.outer.push(walk.text.slice(walk.from, start))
  walk.from = end
}
