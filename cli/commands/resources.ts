/** `acmcp resources`: the resources of the last build, as a client sees them. */
import type { Add } from '../command-line/command.ts'
import { addOffers } from '../command-line/listed-offers.ts'

export const place = 440

export const add: Add = (program, start) =>
  addOffers(program, start, {
    kind: 'resources',
    description: 'show the resources of the last build, and the templates of their addresses',
    result: 'the results of resources/list and resources/templates/list',
    examples: ['acmcp resources', 'acmcp resources --scope notes:read'],
  })
