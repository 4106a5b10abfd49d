/** What the pages give operators to copy. */
import { type Block, pages } from '../support/doc-pages.ts'

/** The blocks of that language, of one page or of all. */
export const blocksOf = (language: string, page?: string): readonly Block[] =>
  pages()
    .filter(({ name }) => page === undefined || name === page)
    .flatMap(({ blocks }) => blocks.filter((block) => block.language === language))

/** The only one that holds the text. Throws when there is none. */
export function blockWith(language: string, page: string, text: string): string {
  const found = blocksOf(language, page).find((block) => block.text.includes(text))
  if (found === undefined) throw new Error(`${page}.md has no block of ${language} with ${text}`)
  return found.text
}
