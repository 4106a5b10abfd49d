/** What is said about the name of a tool that does not exist: a model calls what it is offered. */
import type { ToolHints } from '../../contract/mcp.ts'
import { isOneEdit, type NearMatch, nearMatches, sentenceFor } from '../../suggestions.ts'

/** 0 = only reads, 1 = writes, 2 = destroys. */
export type Danger = 0 | 1 | 2

/** How dangerous each tool is that may be named. */
export type Dangers = ReadonlyMap<string, Danger>

export function dangerOf({ readOnly, destructive }: Pick<ToolHints, 'readOnly' | 'destructive'>): Danger {
  if (readOnly) return 0
  return destructive ? 2 : 1
}

/** A sentence with up to three tools that look alike, the nearest first. A tool is named only when none that is less
 *  dangerous looks as much alike, one that destroys only when the name is one letter away from its own. */
export function unknownTool(name: string, dangers: Dangers): string {
  return sentenceFor('tool', name, (shown) => {
    const near = nearMatches(shown, dangers.keys())
    const reads = nearest(near, dangers, 0)
    const writes = Math.min(reads, nearest(near, dangers, 1))
    return near.filter(({ candidate, distance }) => {
      const danger = dangers.get(candidate)
      if (danger === 0) return true
      return danger === 1 ? distance < reads : distance < writes && isOneEdit(shown, candidate)
    })
  })
}

/** How far the first of that danger is; infinity where none is near. */
const nearest = (near: readonly NearMatch[], dangers: Dangers, danger: Danger): number =>
  near.find(({ candidate }) => dangers.get(candidate) === danger)?.distance ?? Number.POSITIVE_INFINITY
