/** What is done to things has many words in English, and a model that searches takes another one than the author of a tool. */
import { wordsOf } from './words.ts'

const groups = [
  'create add new make register insert submit post raise file write record store',
  'update change edit modify alter correct fix rename set replace adjust put patch',
  'delete remove destroy erase drop purge discard',
  'list index browse all every overview',
  'show get view read fetch see display retrieve look detail lookup',
  'find search query filter match',
  'download export save dump',
  'upload attach import send',
  'start begin',
  'stop end finish quit',
  'assign give hand transfer move route reassign',
  'close resolve solve complete',
]

const meanings = new Map(
  groups.flatMap((group) => wordsOf(group).map((word) => [word, `=${wordsOf(group)[0]}`] as const)),
)

/** What such words of a text mean, each once; nothing that `wordsOf` returns is equal to it. */
export const verbsIn = (words: readonly string[]): readonly string[] => [
  ...new Set(words.flatMap((word) => meanings.get(word) ?? [])),
]

/** What the first word of a group means, and all others with it. */
export const meaningOf = (verb: string): string => `=${wordsOf(verb)[0]}`
