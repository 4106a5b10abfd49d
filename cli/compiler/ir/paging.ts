/** How a route goes on where one answer ends. */
import type { At } from './schema.ts'

/** What `@mcp paging` may name. */
export const pagingWords = ['offset', 'page', 'cursor', 'limit', 'next'] as const

export type PagingWord = (typeof pagingWords)[number]

/** `@mcp paging`: arguments by what they are for, and under `next` a property of the answer, with dots between names. */
export interface Paging {
  readonly names: Readonly<Partial<Record<PagingWord, string>>>
  /** `none`: what looks so pages nothing. */
  readonly isNone: boolean
  readonly at: At
}
