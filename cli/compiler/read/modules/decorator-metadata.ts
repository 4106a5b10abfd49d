/** Decorators whose libraries read the types of what they stand at: `tsc` writes these down for `emitDecoratorMetadata`, esbuild does not. */
import { dirname } from 'node:path'
import { metadataLost } from '../../diagnostics/bundle-diagnostics.ts'
import type { Diagnostic } from '../../diagnostics/source-diagnostics.ts'
import { type Host, pathFrom } from '../program/host.ts'
import { nodesIn } from '../program/nodes.ts'
import { compilerOptionsAt } from '../program/tsconfig.ts'
import { ts } from '../program/typescript.ts'

/** A line with a decorator; of doc comments the lines begin with a star. */
const decorated = /^(?![ \t]*(?:\*|\/[/*])).*@[\w$]/m

/** Says of a file at which of its classes metadata is lost: at the first decorator that needs it. */
export function createMetadataReader(host: Host): (path: string) => readonly Diagnostic[] {
  const folders = new Map<string, boolean>()
  const isWanted = (folder: string): boolean => {
    const before = folders.get(folder)
    if (before !== undefined) return before
    const settings = `${folder}/tsconfig.json`
    const above = dirname(folder)
    const wanted = host.fileExists(settings)
      ? wantsMetadata(host, settings)
      : above !== folder && isWanted(above)
    folders.set(folder, wanted)
    return wanted
  }
  return (path) => {
    if (!isWanted(dirname(path))) return []
    const text = host.readFile(path) ?? ''
    if (!decorated.test(text)) return []
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
    return nodesIn(file)
      .filter(ts.isClassLike)
      .flatMap((item) => lostAt(host, file, item))
  }
}

function wantsMetadata(host: Host, settings: string): boolean {
  const { emitDecoratorMetadata, experimentalDecorators } = compilerOptionsAt(host, settings)
  return emitDecoratorMetadata === true && experimentalDecorators === true
}

function lostAt(host: Host, file: ts.SourceFile, item: ts.ClassLikeDeclaration): readonly Diagnostic[] {
  const decorator = typedNodes(item).flatMap((node) => decoratorsOf(node))[0]
  if (decorator === undefined) return []
  const { line, character } = file.getLineAndCharacterOfPosition(decorator.getStart())
  const at = { file: pathFrom(host.root, file.fileName), line: line + 1, column: character + 1 }
  return [metadataLost(at, decorator.getText().replace(/\(.*$/s, ''))]
}

/** What `tsc` writes types down for, in the order of the text: a class with a constructor, members, parameters. */
function typedNodes(item: ts.ClassLikeDeclaration): readonly ts.Node[] {
  const constructs = item.members.some((member) => ts.isConstructorDeclaration(member))
  return [...(constructs ? [item] : []), ...item.members.flatMap(withParameters)]
}

const withParameters = (member: ts.ClassElement): readonly ts.Node[] =>
  ts.isMethodDeclaration(member) || ts.isConstructorDeclaration(member)
    ? [member, ...member.parameters]
    : [member]

const decoratorsOf = (node: ts.Node): readonly ts.Node[] =>
  ts.canHaveDecorators(node) ? (ts.getDecorators(node) ?? []) : []
