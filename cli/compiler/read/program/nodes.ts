/** Walks of the syntax. */
import { ts } from './typescript.ts'

/** `node` and all inside it, in the order of the source, but for what `isLeft` says, and what is inside that. */
export function nodesIn(node: ts.Node, isLeft: (node: ts.Node) => boolean = () => false): readonly ts.Node[] {
  const found: ts.Node[] = []
  const visit = (item: ts.Node): void => {
    if (isLeft(item)) return
    found.push(item)
    ts.forEachChild(item, visit)
  }
  visit(node)
  return found
}

/** What a body returns; the functions inside it return to others. */
export const returnedIn = (block: ts.Block): readonly ts.Expression[] =>
  nodesIn(block, ts.isFunctionLike).flatMap((node) =>
    ts.isReturnStatement(node) ? (node.expression ?? []) : [],
  )
