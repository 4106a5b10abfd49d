/** Sources that run as programs of their own: workers and child processes. Node.js finds them by an address beside the module that
 *  starts them. */
import { dirname, posix } from 'node:path'
import { programByPath } from '../../diagnostics/bundle-diagnostics.ts'
import type { Diagnostic } from '../../diagnostics/source-diagnostics.ts'
import type { At } from '../../ir/schema.ts'
import type { Host } from '../program/host.ts'
import { ts } from '../program/typescript.ts'

/** `node` names `source`, which is TypeScript. */
export interface ProgramUse {
  readonly kind: 'program'
  readonly node: ts.Node
  readonly source: string
  /** The node, or what it is a part of. */
  readonly whole: ts.Node
  /** What stands in place of the node: a URL, or its text. */
  readonly form: 'url' | 'text'
}

interface Mistake {
  readonly kind: 'mistake'
  readonly node: ts.Node
  readonly diagnose: (at: At) => Diagnostic
}

/** What a node says of a program; null = nothing. */
export function programUse(host: Host, path: string, node: ts.Node): ProgramUse | Mistake | null {
  const started = startedBy(node)
  if (started !== undefined && isOwnPlace(started))
    return { kind: 'program', node: started, whole: node, source: path, form: 'url' }
  const named = namedBeside(node)
  if (named !== null) {
    const source = sourceAt(host, posix.resolve(dirname(path), decoded(named.text)))
    return source === null ? null : { kind: 'program', node, whole: node, source, form: named.form }
  }
  if (started === undefined) return null
  const beside = pathBeside(started)
  const source = beside === null ? null : sourceAt(host, posix.resolve(dirname(path), beside))
  return source === null
    ? startedByPath(host, path, started)
    : { kind: 'program', node: started, whole: node, source, form: 'url' }
}

/** What `new Worker(…)` and `fork(…)` start. */
function startedBy(node: ts.Node): ts.Expression | undefined {
  const isStart =
    (ts.isNewExpression(node) && /(^|\.)Worker$/.test(node.expression.getText())) ||
    (ts.isCallExpression(node) && /(^|\.)fork$/.test(node.expression.getText()))
  return isStart ? node.arguments?.[0] : undefined
}

/** The module itself. */
const isOwnPlace = (node: ts.Expression): boolean =>
  /^(?:import\.meta\.filename|__filename|new URL\(import\.meta\.url\)|fileURLToPath\(import\.meta\.url\))$/.test(
    node.getText(),
  )

const ownFolder =
  /^(?:import\.meta\.dirname|__dirname|(?:path\.)?dirname\((?:fileURLToPath\(import\.meta\.url\)|import\.meta\.filename|__filename)\))$/

/** The path from the module's folder of `join(import.meta.dirname, 'work.ts')` and its like, also where a constant has it; null = it is
 *  none, or not written out. */
function pathBeside(node: ts.Expression): string | null {
  const parts = partsOf(node)
  if (parts === null || !ownFolder.test(parts[0]?.getText() ?? '')) return null
  const texts = parts
    .slice(1)
    .map((part) => ('text' in part && typeof part.text === 'string' ? part.text : null))
  return texts.length === 0 || texts.includes(null) ? null : `./${texts.join('/')}`
}

/** What a path is joined of: by a call, a template or a plus. */
function partsOf(node: ts.Expression): readonly ts.Node[] | null {
  if (ts.isIdentifier(node)) {
    const value = constantOf(node)
    return value === undefined || ts.isIdentifier(value) ? null : partsOf(value)
  }
  if (ts.isCallExpression(node))
    return /(?:^|\.)(?:join|resolve)$/.test(node.expression.getText()) ? node.arguments : null
  if (ts.isBinaryExpression(node))
    return node.operatorToken.kind === ts.SyntaxKind.PlusToken ? [node.left, node.right] : null
  if (!ts.isTemplateExpression(node) || node.head.text !== '') return null
  const [span, second] = node.templateSpans
  return span === undefined || second !== undefined ? null : [span.expression, span.literal]
}

/** The value of a constant that is declared around a name. */
function constantOf(name: ts.Identifier): ts.Expression | undefined {
  for (let around: ts.Node = name.parent; around !== undefined; around = around.parent) {
    const statements = ts.isBlock(around) || ts.isSourceFile(around) ? around.statements : []
    const found = statements
      .flatMap((statement) =>
        ts.isVariableStatement(statement) ? statement.declarationList.declarations : [],
      )
      .find((declaration) => declaration.name.getText() === name.text)
    if (found !== undefined) return found.initializer
  }
  return undefined
}

/** The text in `new URL('./…', import.meta.url)` and `import.meta.resolve('./…')`. */
function namedBeside(node: ts.Node): { readonly text: string; readonly form: 'url' | 'text' } | null {
  if (!ts.isNewExpression(node) && !ts.isCallExpression(node)) return null
  const [first, second] = node.arguments ?? []
  if (first === undefined || !ts.isStringLiteralLike(first) || !/^\.{1,2}\//.test(first.text)) {
    const isPlain =
      first !== undefined && ts.isStringLiteralLike(first) && /^[\w-]+\.[cm]?[jt]s$/.test(first.text)
    if (!isPlain || !ts.isNewExpression(node)) return null
  }
  const name = node.expression.getText()
  if (ts.isNewExpression(node))
    return name === 'URL' && second?.getText() === 'import.meta.url'
      ? { text: first.text, form: 'url' }
      : null
  return name === 'import.meta.resolve' ? { text: first.text, form: 'text' } : null
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The TypeScript at a path, or that from which `tsc` would make the JavaScript there; null = there is none. */
function sourceAt(host: Host, path: string): string | null {
  if (/\.(?:[cm]?ts|tsx)$/.test(path)) return host.fileExists(path) && !path.endsWith('.d.ts') ? path : null
  if (!/\.[cm]?js$/.test(path) || host.fileExists(path)) return null
  return [path.replace(/js$/, 'ts'), path.replace(/js$/, 'tsx')].find((text) => host.fileExists(text)) ?? null
}

/** `new Worker('./app/work.ts')`: a path of the working directory. */
function startedByPath(host: Host, path: string, started: ts.Expression): Mistake | null {
  if (!ts.isStringLiteralLike(started)) return null
  const source = sourceAt(host, posix.resolve(host.root, started.text))
  if (source === null) return null
  const relative = posix.relative(dirname(path), source)
  const written = relative.startsWith('.') ? relative : `./${relative}`
  return { kind: 'mistake', node: started, diagnose: (at) => programByPath(at, started.text, written) }
}
