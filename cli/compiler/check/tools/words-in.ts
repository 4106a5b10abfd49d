/** `apiKey`, `api_key`, `API-KEY` and `passwordHash`, in words without case. */
export const wordsIn = (name: string): string =>
  name
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu}+)(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replace(/[^\p{L}\p{M}\d]+/gu, ' ')
    .toLowerCase()
    .trim()
