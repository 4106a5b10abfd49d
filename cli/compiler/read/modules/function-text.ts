/** Functions in a bundle as they were written: their text may go to another program (a worker, `node:vm`, a page), where a helper
 *  of the bundle is not. */
import { ts } from '../program/typescript.ts'

/** What esbuild writes so that what it renamed keeps its name: `__name(value, "name")`. */
const helper = '__name'

/** A bundle, and what is written of it. */
export interface PlainBundle {
  readonly text: string
  readonly content: string
  /** Null where no name had to be kept. */
  readonly file: ts.SourceFile | null
}

/** `text` without those calls: they go where the name is right without them, else they do by themselves what the helper would.
 *  What goes leaves blanks behind, so that every place stays in its line and column. Only what differs from the bundle
 *  before is parsed: a change of one comment takes a fifth of the time. */
export function withoutNameHelper(text: string, before: PlainBundle | undefined): PlainBundle {
  if (text === before?.text) return before
  if (!text.includes(`${helper}(`)) return { text, content: text, file: null }
  const file = parsed(text, before)
  return { text, content: plain(text, file), file }
}

function parsed(text: string, before: PlainBundle | undefined): ts.SourceFile {
  if (before === undefined || before.file === null)
    return ts.createSourceFile('bundle.mjs', text, ts.ScriptTarget.Latest, true)
  const { text: old, file } = before
  const most = Math.min(old.length, text.length)
  let start = 0
  while (start < most && old[start] === text[start]) start++
  let end = 0
  while (end < most - start && old.at(-1 - end) === text.at(-1 - end)) end++
  const span = { start, length: old.length - start - end }
  return file.update(text, { span, newLength: text.length - start - end })
}

function plain(bundle: string, file: ts.SourceFile): string {
  const parts: string[] = []
  let end = 0
  const replace = (start: number, stop: number, text: string): void => {
    parts.push(bundle.slice(end, start), text)
    end = stop
  }
  const blank = (start: number, stop: number): void =>
    replace(start, stop, bundle.slice(start, stop).replace(/[^\n]/g, ' '))
  const visit = (node: ts.Node): void => {
    const call = nameCall(node)
    if (call === null) ts.forEachChild(node, visit)
    else take(node, call)
  }
  const take = (node: ts.Node, call: NameCall): void => {
    const { value, name } = call
    const isRight = hasName(call, node)
    const needless = isRight ? statementOf(node) : null
    if (needless !== null) {
      blank(needless.getStart(), needless.end)
      return
    }
    if (isRight) blank(node.getStart(), node.getStart() + helper.length)
    else replace(node.getStart(), value.getStart(), 'Object.defineProperty(')
    visit(value)
    if (isRight) blank(value.end, node.end - 1)
    else replace(value.end, node.end, `, "name", { value: ${JSON.stringify(name)}, configurable: true })`)
  }
  visit(file)
  parts.push(bundle.slice(end))
  return parts.join('')
}

interface NameCall {
  readonly value: ts.Expression
  readonly name: string
}

function nameCall(node: ts.Node): NameCall | null {
  if (!ts.isCallExpression(node) || node.expression.getText() !== helper) return null
  const [value, name] = node.arguments
  return value !== undefined && name !== undefined && ts.isStringLiteral(name)
    ? { value, name: name.text }
    : null
}

/** The statement that is nothing but the call, or the static block of a class that is. */
function statementOf({ parent }: ts.Node): ts.Node | null {
  if (!ts.isExpressionStatement(parent)) return null
  const { parent: block } = parent
  return ts.isBlock(block) && ts.isClassStaticBlockDeclaration(block.parent) ? block.parent : parent
}

/** Whether the value has the name without the call. */
function hasName({ value, name }: NameCall, call: ts.Node): boolean {
  if (ts.isIdentifier(value)) return value.text === name
  if (value.kind !== ts.SyntaxKind.ThisKeyword) return nameOf(bare(value), call) === name
  const { parent: owner } = call.parent.parent.parent // call, statement, block, static block
  return nameOf(owner, owner) === name
}

/** The name of a function or class: its own, else that which its place gives to `placed`. */
function nameOf(value: ts.Node, placed: ts.Node): string | null {
  const isNameable = ts.isFunctionExpression(value) || ts.isClassLike(value)
  return isNameable && value.name !== undefined ? value.name.text : placeName(placed)
}

function bare(value: ts.Expression): ts.Expression {
  return ts.isParenthesizedExpression(value) ? bare(value.expression) : value
}

/** What the place of an anonymous function or class calls it; null = nothing. NamedEvaluation of ECMA-262. */
function placeName({ parent }: ts.Node): string | null {
  if (ts.isParenthesizedExpression(parent)) return placeName(parent)
  if (ts.isBinaryExpression(parent)) return isAssignment(parent) ? parent.left.getText() : null
  const isNaming =
    ts.isVariableDeclaration(parent) ||
    ts.isBindingElement(parent) ||
    ts.isParameter(parent) ||
    ts.isPropertyAssignment(parent) ||
    ts.isPropertyDeclaration(parent)
  if (!isNaming) return null
  const { name } = parent
  return ts.isIdentifier(name) || ts.isPrivateIdentifier(name) || ts.isStringLiteral(name) ? name.text : null
}

const assignments: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.EqualsToken,
  ts.SyntaxKind.QuestionQuestionEqualsToken,
  ts.SyntaxKind.BarBarEqualsToken,
  ts.SyntaxKind.AmpersandAmpersandEqualsToken,
])

const isAssignment = ({ left, operatorToken: { kind } }: ts.BinaryExpression): boolean =>
  ts.isIdentifier(left) && assignments.has(kind)
