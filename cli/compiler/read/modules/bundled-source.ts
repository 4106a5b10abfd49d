/** What a module says of its own place, as `import.meta` does: it would mean another in a bundle, so that it is edited to mean its source.
 *  What cannot be kept is told. */
import { dirname, posix } from 'node:path'
import { commonJsName, importUnknown } from '../../diagnostics/bundle-diagnostics.ts'
import type { Diagnostic } from '../../diagnostics/source-diagnostics.ts'
import type { At } from '../../ir/schema.ts'
import { type Host, pathFrom } from '../program/host.ts'
import { ts } from '../program/typescript.ts'
import { callOf, type Edit } from './edited-text.ts'
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

// Whether what `import()` takes is a module that a bundle has, or one that Node.js finds from everywhere.

/** A name that is written; a relative one with a variable in it, for which esbuild takes all that fit; an address. */
function isKnownTarget(target: ts.Expression | undefined, depth = 0): boolean {
  if (target === undefined || depth > 8) return false
  if (ts.isParenthesizedExpression(target) || ts.isAsExpression(target) || ts.isNonNullExpression(target))
    return isKnownTarget(target.expression, depth + 1)
  const beginning = beginningOf(target)
  if (beginning !== null) return depth === 0 ? beginning !== '' : /^[^./]/.test(beginning)
  if (ts.isConditionalExpression(target))
    return isKnownTarget(target.whenTrue, depth) && isKnownTarget(target.whenFalse, depth)
  return isAddress(target, depth)
}

/** What is written of a name before the first variable in it: with a folder esbuild takes all that fit, behind a constant it sees no
 *  name, and a relative one would begin at the bundle. null = it is no text. */
function beginningOf(target: ts.Expression): string | null {
  if (ts.isStringLiteralLike(target)) return target.text
  if (ts.isTemplateExpression(target)) return target.head.text
  const isSum = ts.isBinaryExpression(target) && target.operatorToken.kind === ts.SyntaxKind.PlusToken
  return isSum ? beginningOf(target.left) : null
}

/** What makes addresses: a value of theirs, or of a constant that is one. */
function isAddress(node: ts.Expression, depth: number): boolean {
  if (ts.isNewExpression(node)) return node.expression.getText() === 'URL'
  if (ts.isPropertyAccessExpression(node))
    return node.name.text === 'href' && isAddress(node.expression, depth + 1)
  if (ts.isCallExpression(node)) return isAddressCall(node, depth)
  return ts.isIdentifier(node) && isKnownTarget(initializerOf(node), depth + 1)
}

function isAddressCall({ expression, arguments: [first] }: ts.CallExpression, depth: number): boolean {
  const name = expression.getText()
  if (/(^|\.)pathToFileURL$|^import\.meta\.resolve$/.test(name)) return true
  if (name === 'String') return first !== undefined && isAddress(first, depth + 1)
  return ts.isPropertyAccessExpression(expression) && expression.name.text === 'toString'
    ? isAddress(expression.expression, depth + 1)
    : false
}

/** Of the constant of that name which stands nearest. */
function initializerOf(name: ts.Identifier): ts.Expression | undefined {
  for (let scope: ts.Node = name.parent; ; scope = scope.parent) {
    const statements = ts.isBlock(scope) || ts.isSourceFile(scope) ? scope.statements : []
    for (const statement of statements) {
      if (!ts.isVariableStatement(statement)) continue
      const { declarations, flags } = statement.declarationList
      const found = declarations.find((item) => ts.isIdentifier(item.name) && item.name.text === name.text)
      if (found !== undefined) return (flags & ts.NodeFlags.Const) === 0 ? undefined : found.initializer
    }
    if (ts.isSourceFile(scope)) return undefined
  }
}

// What a source has of CommonJS. `__dirname` and `__filename` have a meaning everywhere; `import name = require('…')` is made a call.

const commonJsNames: ReadonlySet<string> = new Set([
  '__dirname',
  '__filename',
  'require',
  'module',
  'exports',
])

/** Whether a `require` in TypeScript of CommonJS is to be that of its source: it asks for what is not bundled. */
function isLeftCall(host: Host, { parent, text }: ts.Identifier): boolean {
  const { fileName } = parent.getSourceFile()
  if (text !== 'require' || !/\.cts$/.test(fileName)) return false
  const [first] = ts.isCallExpression(parent) ? parent.arguments : []
  return first === undefined || !ts.isStringLiteral(first) || !isSource(host, fileName, first.text)
}

/** A call of `require` is told with what it leads to; what asks whether there is one is prepared. A file of CommonJS has them. */
function isAllowed(node: ts.Identifier): boolean {
  const { fileName, text } = node.getSourceFile()
  if (/\.cts$/.test(fileName) || new RegExp(`\\btypeof ${node.text}\\b`).test(text)) return true
  return ts.isCallExpression(node.parent) && node.parent.expression === node
}

/** The name as it is to be told. */
const writtenAs = ({ parent, text }: ts.Identifier): string =>
  ts.isPropertyAccessExpression(parent) ? `${text}.${parent.name.text}` : text

type Require = ts.ImportEqualsDeclaration & { readonly moduleReference: ts.ExternalModuleReference }

/** Whether a node is an `import name = require('…')`, for which `tsc` makes a `require`, of what is not bundled. */
function isLeftRequire(host: Host, node: ts.Node): node is Require {
  if (!ts.isImportEqualsDeclaration(node) || node.isTypeOnly) return false
  const { moduleReference } = node
  if (!ts.isExternalModuleReference(moduleReference) || !ts.isStringLiteral(moduleReference.expression))
    return false
  return !isSource(host, node.getSourceFile().fileName, moduleReference.expression.text)
}

/** Whether a specifier in a file leads to TypeScript beside it. */
function isSource(host: Host, file: string, specifier: string): boolean {
  if (!specifier.startsWith('.')) return false
  const there = posix.resolve(dirname(file), specifier)
  return !(/js(on)?$/.test(there) && host.fileExists(there))
}

/** The same, as a call of the `require` of `place`. */
function requireText({ name, moduleReference, modifiers }: Require, place: string): string {
  const isExported = modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true
  const specifier = moduleReference.expression.getText()
  return `${isExported ? 'export ' : ''}const ${name.text} = ${place}.require(${specifier});`
}
