/** How much of an answer a tool gives, and how its route goes on where one ends. */
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

/** `@mcp brief`: the properties that a tool answers unless more is asked for; never empty, each once. */
export interface Brief {
  readonly names: readonly BriefName[]
  readonly at: At
}

/** A property as written. */
export interface BriefName {
  readonly name: string
  readonly at: At
}
