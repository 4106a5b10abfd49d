/** Lists that are too long for one answer. */
import type { Int32 } from 'acmcp'

/** @minimum 1 */
export type PageNumber = Int32

/**
 * @minimum 1
 * @maximum 100
 */
export type PageSize = Int32

/** A part of a list. */
export interface Page<Item> {
  readonly items: readonly Item[]
  /** The number of this page, from 1 on. */
  readonly page: Int32
  readonly perPage: Int32
  /** How many there are on all pages. */
  readonly total: Int32
}

/** Which part is wanted. */
export interface Paging {
  readonly page: number
  readonly perPage: number
}

/** What a query skips. */
export const offsetOf = ({ page, perPage }: Paging): number => (page - 1) * perPage

/** The pattern with which `like … escape '!'` finds `text` anywhere, in lower case. */
export const containing = (text: string): string => `%${text.toLowerCase().replace(/[!%_]/g, '!$&')}%`
