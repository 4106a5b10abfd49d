/** The controller language as entries: tags of controllers, words of `@mcp`, tags of values, wrappers of parameters. */
import type { Entry } from './entry.ts'
import { controllerTags } from './tags/controller-tags.ts'
import { mcpTexts } from './tags/mcp-words.ts'
import type { TagText } from './tags/tag-text.ts'
import { valueTexts } from './tags/value-tags.ts'
import { wrapperTexts } from './tags/wrapper-texts.ts'

function entriesOf(
  texts: Readonly<Record<string, TagText>>,
  kind: Entry['kind'],
  named: (word: string) => Pick<Entry, 'name' | 'aliases'>,
): readonly Entry[] {
  return Object.entries(texts).map(([word, { syntax, where, meaning, example }]) => ({
    kind,
    ...named(word),
    facts: [
      ['written', syntax],
      ['stands on', where],
    ],
    meaning,
    samples: [{ label: 'example', text: example }],
  }))
}

const tag = (word: string): Pick<Entry, 'name' | 'aliases'> => ({ name: `@${word}`, aliases: [word] })

/** By title of their part of the page. */
export const tagGroups: Readonly<Record<string, readonly Entry[]>> = {
  'Tags of classes and methods': entriesOf(controllerTags, 'tag', tag),
  'Words of @mcp': entriesOf(mcpTexts, 'word of @mcp', (word) => ({
    name: `@mcp ${word}`,
    aliases: [word, `mcp ${word}`],
  })),
  'Tags of properties, parameters and types': entriesOf(valueTexts, 'tag', tag),
  'Types around the type of a parameter': entriesOf(wrapperTexts, 'parameter wrapper', (word) => ({
    name: word,
    aliases: [`${word}<T>`],
  })),
}

export const allTags: readonly Entry[] = Object.values(tagGroups).flat()
