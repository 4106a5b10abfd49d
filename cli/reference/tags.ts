/** The controller language as entries: tags of controllers, words of `@mcp`, tags of values, wrappers of parameters. */
import { mcpTable, tagTable, type Word, whereOf } from '../compiler/read/language.ts'
import type { Entry } from './entry.ts'
import { controllerTags } from './tags/controller-tags.ts'
import { mcpTexts } from './tags/mcp-words.ts'
import type { TagText } from './tags/tag-text.ts'
import { valueTexts } from './tags/value-tags.ts'
import { wrapperTexts } from './tags/wrapper-texts.ts'

type Texts = Readonly<Record<string, TagText>>

function entriesOf(texts: Texts, table: ReadonlyMap<string, Word>, tag: string): readonly Entry[] {
  return Object.entries(texts).flatMap(([name, { meaning, example }]): readonly Entry[] => {
    const row = table.get(name)
    if (row === undefined) return []
    const written = tag === '' ? `@${name} ${row.takes}` : `${tag}${name}${row.takes}`
    return [
      {
        kind: tag === '' ? 'tag' : 'word of @mcp',
        name: tag === '' ? `@${name}` : `${tag}${name}`,
        aliases: tag === '' ? [name] : [name, `mcp ${name}`],
        facts: [
          ['written', written.trim()],
          ['stands on', `${whereOf(row)}; ${row.repeats ? 'repeatable' : 'once'}`],
        ],
        meaning,
        samples: [{ label: 'example', text: example }],
      },
    ]
  })
}

/** By title of their part of the page. */
export const tagGroups: Readonly<Record<string, readonly Entry[]>> = {
  'Tags of classes and methods': entriesOf(controllerTags, tagTable, ''),
  'Words of @mcp': entriesOf(mcpTexts, mcpTable, '@mcp '),
  'Tags of properties, parameters and types': entriesOf(valueTexts, tagTable, ''),
  'Types around the type of a parameter': Object.entries(wrapperTexts).map(
    ([name, { syntax, where, meaning, example }]) => ({
      kind: 'parameter wrapper',
      name,
      aliases: [`${name}<T>`],
      facts: [
        ['written', syntax],
        ['stands on', where],
      ],
      meaning,
      samples: [{ label: 'example', text: example }],
    }),
  ),
}

export const allTags: readonly Entry[] = Object.values(tagGroups).flat()
