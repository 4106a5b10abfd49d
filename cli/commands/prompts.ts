/** `acmcp prompts`: the prompts of the last build, as a client sees them. */
import type { Add } from '../command-line/command.ts'
import { addOffers } from '../command-line/listed-offers.ts'

export const place = 430

export const add: Add = (program, start) =>
  addOffers(program, start, {
    kind: 'prompts',
    description: 'show the prompts of the last build as a client sees them in prompts/list',
    result: 'the result of prompts/list',
    examples: ['acmcp prompts', 'acmcp prompts --json'],
  })
