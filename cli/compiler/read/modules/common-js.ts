/** What a source has of CommonJS. `__dirname` and `__filename` have a meaning everywhere; `import name = require('…')` is made a call. */
import { dirname, posix } from 'node:path'
import type { Host } from '../program/host.ts'
import { ts } from '../program/typescript.ts'

export const commonJsNames: ReadonlySet<string> = new Set([
  '__dirname',
  '__filename',
  'require',
  'module',
  'exports',
])

/** Whether a `require` in TypeScript of CommonJS is to be that of its source: it asks for what is not bundled. */
export function isLeftCall(host: Host, { parent, text }: ts.Identifier): boolean {
  const { fileName } = parent.getSourceFile()
  if (text !== 'require' || !/\.cts$/.test(fileName)) return false
  const [first] = ts.isCallExpression(parent) ? parent.arguments : []
  return first === undefined || !ts.isStringLiteral(first) || !isSource(host, fileName, first.text)
}

/** A call of `require` is told with what it leads to; what asks whether there is one is prepared. A file of CommonJS has them. */
export function isAllowed(node: ts.Identifier): boolean {
  const { fileName, text } = node.getSourceFile()
  if (/\.cts$/.test(fileName) || new RegExp(`\\btypeof ${node.text}\\b`).test(text)) return true
  return ts.isCallExpression(node.parent) && node.parent.expression === node
}

/** The name as it is to be told. */
export const writtenAs = ({ parent, text }: ts.Identifier): string =>
  ts.isPropertyAccessExpression(parent) ? `${text}.${parent.name.text}` : text

type Require = ts.ImportEqualsDeclaration & { readonly moduleReference: ts.ExternalModuleReference }

/** Whether a node is an `import name = require('…')`, for which `tsc` makes a `require`, of what is not bundled. */
export function isLeftRequire(host: Host, node: ts.Node): node is Require {
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
export function requireText({ name, moduleReference, modifiers }: Require, place: string): string {
  const isExported = modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true
  const specifier = moduleReference.expression.getText()
  return `${isExported ? 'export ' : ''}const ${name.text} = ${place}.require(${specifier});`
}
