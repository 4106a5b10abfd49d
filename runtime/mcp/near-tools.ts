/** What is said about the name of a tool that does not exist: a model calls what it is offered. */
import type { ToolHints } from '../contract.ts'
import { isOneEdit, type Match, nearMatches, sentenceFor } from './near-matches.ts'

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
    return near.filter((match) => isHarmless(match, near, dangers) && isMeant(shown, match, dangers))
  })
}

const dangerIn = (dangers: Dangers, { candidate }: Match): Danger => dangers.get(candidate) ?? 2

function isHarmless(match: Match, near: readonly Match[], dangers: Dangers): boolean {
  const danger = dangerIn(dangers, match)
  return !near.some((other) => other.distance <= match.distance && dangerIn(dangers, other) < danger)
}

const isMeant = (name: string, match: Match, dangers: Dangers): boolean =>
  dangerIn(dangers, match) < 2 || isOneEdit(name, match.candidate)
