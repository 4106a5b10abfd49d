/** What an answer repeats: the id of a message, and the token of its progress. Source: JSON-RPC 2.0, 4; rules.md, null members and half
 *  surrogates. */
import { isWellFormed } from '../../utf8.ts'

/** A number that JSON can write and a client cannot find again in the answer is no id, nor is a text that no answer may hold. */
export const isId = (id: unknown): boolean =>
  typeof id === 'string' ? isWellFormed(id) : Number.isSafeInteger(id)

/** Why something is none. */
export const idMistake = (id: unknown): string =>
  typeof id === 'string'
    ? 'must not contain half a character'
    : 'must be a text or a whole number between -(2^53 - 1) and 2^53 - 1'
