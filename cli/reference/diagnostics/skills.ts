/** What the reference says of mistakes in skills. */
import type { Explanations } from './explanation.ts'

const method = `  /**
   * Lists orders.
   *
   * @get /
   */
  index(): string[] { return [] }`

const orders = (...lines: readonly string[]): string => `/**
${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}
 */
export class Orders extends Controller {
${method}
}`

const two = (
  first: string,
  second: string,
): string => `${orders('Orders.', '', '@mcp skill').replace('Orders ', `${first} `)}

${orders('Lines of orders.', '', '@base /lines', '@mcp skill').replace('Orders ', `${second} `)}`

const good = orders(
  'Orders of the signed-in user.',
  '',
  '@mcp skill Use it when somebody asks about an order.',
)

const reads = (uri: string): string => `/**
 * Orders.
 *
 * @mcp skill
 */
export class Orders extends Controller {
  /**
   * Lists orders.
   *
   * @get /
   * @mcp resource uri=${uri}
   */
  index(): string[] { return [] }
}`

export const aboutSkills: Explanations = {
  ACM290: {
    meaning:
      'The first line of the doc comment of the class is the description of its skill, by which a model decides whether to load it.',
    wrong: orders('@mcp skill'),
    right: good,
  },
  ACM291: {
    meaning:
      'A skill is called as its toolbox, with hyphens. The format allows lower-case letters from a to z, digits and single hyphens, 64 at most.',
    wrong: orders('Orders.', '', '@mcp skill').replace('Orders ', 'Örders '),
    right: good,
  },
  ACM292: {
    meaning: 'Two toolboxes come to one name: both skills would have one address.',
    wrong: two('OrderLines', 'Order__Lines'),
    right: two('Orders', 'OrderLines'),
  },
  ACM293: {
    meaning:
      'The description is the first line of the doc comment, and the text behind `@mcp skill`. Clients refuse a skill whose description is longer than 1024 characters.',
  },
  ACM294: {
    meaning: 'A skill says how to use the tools of a controller, and all routes of this one are hidden.',
    wrong: orders('Orders.', '', '@mcp hide', '@mcp skill'),
    right: good,
  },
  ACM295: {
    meaning:
      'A model that loads a skill reads all of its `SKILL.md`: the doc comment of the class, and a line a tool.',
  },
  ACM297: {
    meaning: 'Skills are read at `skill://` addresses: a resource of the application needs another scheme.',
    wrong: reads('skill://orders'),
    right: reads('orders://all'),
  },
}
