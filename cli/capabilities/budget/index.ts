/** `@mcp budget`: how many characters an answer of a tool may have. */
import { type Feature, nearestOf } from '../../compiler/feature.ts'
import { classes, once } from '../../compiler/read/language.ts'
import { readBudget } from './read.ts'

export const budgetFeature: Feature<number, number> = {
  tag: 'mcp budget',
  word: once(' 20000', [...classes, 'tool']),
  place: 'answer',
  read: readBudget,
  link: nearestOf,
  tool: (budget) => ({ words: { budget } }),
}
