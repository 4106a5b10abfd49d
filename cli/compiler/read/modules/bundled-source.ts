/** What a module says of its own place, as `import.meta` does: it would mean another in a bundle, so that it is edited to mean its source.
 *  What cannot be kept is told. */
import { posix } from 'node:path'
import { commonJsName, importUnknown } from '../../diagnostics/bundle-diagnostics.ts'
import type { Diagnostic } from '../../diagnostics/source-diagnostics.ts'
import type { At } from '../../ir/schema.ts'
import { type Host, pathFrom } from '../program/host.ts'
import { ts } from '../program/typescript.ts'
import { commonJsNames, isAllowed, isLeftCall, isLeftRequire, requireText, writtenAs } from './common-js.ts'
import { callOf, type Edit } from './edited-text.ts'
import { isKnownTarget } from './import-targets.ts'
import { type ProgramUse, programUse } from './programs.ts'
import { unboundNames } from './unbound-names.ts'

export interface BundledSource {
  readonly edits: readonly Edit[]
  /** Sources that it starts as programs of their own, absolute. */
  readonly programs: readonly string[]
  readonly diagnostics: readonly Diagnostic[]
}

const nothing: BundledSource = { edits: [], programs: [], diagnostics: [] }

/** Words without which there is nothing to find. */
const words =
  /\bimport\s*\.\s*meta\b|\b__(?:dir|file)name\b|\bimport\s*\(|\bimport\s+\w+\s*=\s*require\b|\b(?:require|module|exports)\s*[.=[,;)]|\bWorker\s*\(|\bfork\s*\(/

/** `path` is absolute. */
export function bundledSource(host: Host, path: string): BundledSource {
  const text = host.readFile(path) ?? ''
  if (!words.test(text)) return nothing
  const reader = new SourceReader(host, ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
  reader.read()
  return reader
}

class SourceReader implements BundledSource {
  readonly edits: Edit[] = []
  readonly programs: string[] = []
  readonly diagnostics: Diagnostic[] = []
  readonly #host: Host
  readonly #file: ts.SourceFile
  /** The call that returns the `import.meta` of the source. */
  readonly #place: string

  constructor(host: Host, file: ts.SourceFile) {
    this.#host = host
    this.#file = file
    this.#place = callOf(file.fileName, 'sourceModule', placeFromBundle(host, file.fileName))
  }

  read(): void {
    this.#visit(this.#file)
    for (const [name, node] of unboundNames(this.#file, commonJsNames)) {
      if (this.#isEdited(node)) continue
      if (name.startsWith('__')) this.#edit(node, `${keyOf(node)}${this.#place}.${name.slice(2)}`)
      else if (isLeftCall(this.#host, node)) this.#edit(node, `${this.#place}.require`)
      else if (!isAllowed(node)) this.#report(node, (at) => commonJsName(at, writtenAs(node)))
    }
  }

  #visit(node: ts.Node): void {
    const use = programUse(this.#host, this.#file.fileName, node)
    if (use?.kind === 'mistake') this.#report(use.node, use.diagnose)
    else if (use?.kind === 'program') this.#startProgram(use)
    else if (isImportMeta(node)) this.#edit(node, this.#place)
    else if (isLeftRequire(this.#host, node)) this.#edit(node, requireText(node, this.#place))
    else ts.forEachChild(node, (child) => this.#visit(child))
    if (isImportCall(node) && !isKnownTarget(node.arguments[0]))
      this.#report(node.arguments[0] ?? node, importUnknown)
  }

  /** The new address comes in place of the old one; what stands beside it is looked at as ever. */
  #startProgram({ node, source, form, whole }: ProgramUse): void {
    this.programs.push(source)
    const address = callOf(this.#file.fileName, 'programAddress', programName(this.#host, source))
    this.#edit(node, form === 'url' ? `new URL(${address})` : address)
    for (const child of whole === node ? [] : childrenOf(whole)) if (child !== node) this.#visit(child)
  }

  #edit(node: ts.Node, text: string): void {
    this.edits.push({ start: node.getStart(), end: node.end, text })
  }

  #isEdited(node: ts.Node): boolean {
    return this.edits.some(({ start, end }) => node.getStart() >= start && node.end <= end)
  }

  #report(node: ts.Node, diagnose: (at: At) => Diagnostic): void {
    const { line, character } = this.#file.getLineAndCharacterOfPosition(node.getStart())
    const file = pathFrom(this.#host.root, this.#file.fileName)
    this.diagnostics.push(diagnose({ file, line: line + 1, column: character + 1 }))
  }
}

/** The name of the program that is made of a source; beside the bundle. */
export function programName(host: Host, source: string): string {
  const path = pathFrom(host.root, source)
    .replace(/^(\.\.\/)+/, '_')
    .replace(/\.(\w+)$/, '')
  return `${path.replace(/[^\w-]+/g, '.')}.mjs`
}

/** Relative to the bundle, as an address. */
function placeFromBundle({ root }: Host, path: string): string {
  const parts = posix.relative(`${root}/.acmcp`, path).split('/')
  return parts.map((part) => encodeURIComponent(part)).join('/')
}

const isImportMeta = (node: ts.Node): boolean =>
  ts.isMetaProperty(node) && node.keywordToken === ts.SyntaxKind.ImportKeyword

const isImportCall = (node: ts.Node): node is ts.CallExpression =>
  ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword

function childrenOf(node: ts.Node): readonly ts.Node[] {
  const children: ts.Node[] = []
  ts.forEachChild(node, (child) => void children.push(child))
  return children
}

const keyOf = ({ parent, text }: ts.Identifier): string =>
  ts.isShorthandPropertyAssignment(parent) ? `${text}: ` : ''
