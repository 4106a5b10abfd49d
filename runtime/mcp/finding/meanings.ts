/** What is done to things, and what things most applications have, has many words in English, and a model that searches takes another one
 *  than the author of a tool. */
import { wordsOf } from './words.ts'

/** Each word in one group. */
const groups = [
  'create add new make register insert submit post raise file write record store',
  'update change edit modify alter correct fix rename set replace adjust put patch',
  'delete remove destroy erase drop purge discard cancel cancelling revoke clear wipe trash terminate',
  'list index browse all every overview',
  'show get view read fetch see display retrieve look detail lookup',
  'find search query filter match',
  'download export save dump',
  'upload attach import send',
  'start begin',
  'stop end finish quit',
  'assign give hand transfer move route reassign',
  'close resolve solve complete',
  'invite invitation',
  'user member person people colleague teammate coworker employee staff',
  'customer client buyer',
  'account profile',
  'organization organisation company tenant workspace',
  'invoice bill',
  'order purchase',
  'payment charge',
  'mail email',
  'picture photo image',
  'appointment meeting event',
  'tag label category',
]

const meanings = new Map(
  groups.flatMap((group) => wordsOf(group).map((word) => [word, `=${wordsOf(group)[0]}`] as const)),
)

/** What such words of a text mean, each once; nothing that `wordsOf` returns is equal to it. */
export const meaningsIn = (words: readonly string[]): readonly string[] => [
  ...new Set(words.flatMap((word) => meanings.get(word) ?? [])),
]

/** What the first word of a group means, and all others with it. */
export const meaningOf = (word: string): string => `=${wordsOf(word)[0]}`
