/** The words of a text, as they are looked up: without case, accents and the endings of English. */

/** No reader of the text looks for these. */
const silent = new Set(
  `a about all an and any are as at be been but by can could did do does for from had has have he her hers him his how i if in
  into is it its just let me my no not of off on or our out please she should so some than that the their them then there these
  they this those to too up us was we were what when where which who whom whose why will with would you your`.split(
    /\s+/,
  ),
)

/** Scripts that put no blanks between words. */
const unspaced = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}'
const runs = new RegExp(`[${unspaced}]+|(?:(?![${unspaced}])[\\p{L}\\p{N}])+`, 'gu')
const isUnspaced = new RegExp(`^[${unspaced}]`, 'u')

/** The words in their order, repeated ones again; `ticketId` and `ticket_id` are two each. Of a script without blanks every two
 *  characters are a word. */
export function wordsOf(text: string): readonly string[] {
  const spaced = joined(text.replace(/([a-z\d])([A-Z])/g, '$1 $2'))
  if (isAscii.test(text)) return (spaced.toLowerCase().match(/[a-z\d]+/g) ?? []).flatMap(stemsOf)
  const plain = spaced.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return (plain.match(runs) ?? []).flatMap((run) => (isUnspaced.test(run) ? pairsOf([...run]) : stemsOf(run)))
}

/** What is one word though it is often written as several, of which some are silent. `log` and `sign` are words of their own beside
 *  `in` and `up`, which follow by chance too. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [
    /(?<![a-z])(?:log(?:s|ged|ging)?|sign(?:s|ed|ing)?)(?:[ _-](?:me|us|them))?[ _-]?(?:out|off)(?![a-z])/gi,
    ' logout ',
  ],
  [/(?<![a-z])(?:log(?:s|ged|ging)?|sign(?:s|ed|ing)?)[ _-]?in(?:to)?(?![a-z])/gi, '$& login'],
  [/(?<![a-z])sign(?:s|ed|ing)?[ _-]?up(?![a-z])/gi, '$& signup'],
  [/(?<![a-z])who[ _-]?am[ _-]?i(?![a-z])|(?<![a-z])myself(?![a-z])|_me(?![a-z])/gi, '$& current user'],
]

const joined = (text: string): string =>
  phrases.reduce((said, [phrase, word]) => said.replace(phrase, word), text)

/** Most texts, and several times as fast. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters
const isAscii = /^[\x00-\x7f]*$/

const stemsOf = (run: string): readonly string[] => (silent.has(run) ? [] : [stem(run)])

const pairsOf = (characters: readonly string[]): readonly string[] =>
  characters.length === 1
    ? characters
    : characters.slice(1).map((character, place) => `${characters[place]}${character}`)

/** Whose endings are looked for: what they take grows with the square of the length. */
const longestWord = 64

/** What is left of an English word without its ending: `replies`, `reply` and `replied` are one. Cruder than Porter's, which
 *  also joins words that are none (`general`, `generate`). */
function stem(word: string): string {
  if (word.length < 4 || word.length > longestWord) return word
  const single = singular(word)
  const bare = single.replace(/ment$/, '')
  const root = withoutForm(bare.length > 2 ? bare : single)
  return root.length > 3 ? root.replace(/e$/, '').replace(/y$/, 'i') : root
}

function singular(word: string): string {
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (/(s|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2)
  return /[^sui]s$/.test(word) ? word.slice(0, -1) : word
}

/** `closing` and `closed` become `clos`, `stopped` becomes `stop`, `replied` `reply`. */
function withoutForm(word: string): string {
  if (/.ied$/.test(word)) return `${word.slice(0, -3)}y`
  const root = /^(.*[aeiouy].*?)(?:ing|ed)$/.exec(word)?.[1]
  if (root === undefined || root.length < 3) return word
  return root.replace(/([^aeiouylsz])\1$/, '$1')
}

/** What is done to things, and what things most applications have, has many words in English, and a model that searches takes another one
 *  than the author of a tool. Each word in one group. */
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
