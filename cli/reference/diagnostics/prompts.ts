/** What the reference says of mistakes in prompts, resources, completions and skills. */
import type { Explanations } from './explanation.ts'

const plan = `/**
 * Plans a journey.
 *
 * @mcp prompt
 * @param city - where to
 */
plan(city: string): string { return \`Plan a journey to \${city}.\` }`

const completes = (tag: string, head: string): string => `${plan}
/**
 * Cities that begin so.
 *
 * ${tag}
 */
${head} { return ['Bern'] }`

const reads = (uri: string, head: string): string => `/**
 * Reads an order.
 *
 * @get /orders/:id
 * @mcp resource uri=${uri}
 * @param id - which one
 */
${head} { return id }`

const tagged = (...lines: readonly string[]): string => `/**
 * Plans a journey.
 *
${lines.map((line) => ` * ${line}`).join('\n')}
 */`

export const aboutPrompts: Explanations = {
  ACM260: {
    meaning:
      'A prompt is what a client puts into a conversation: one text, or messages that each have a role and one content. The return type must say so.',
    wrong: `${tagged('@mcp prompt')}\nplan(): number { return 1 }`,
    right: `${tagged('@mcp prompt')}\nplan(): string { return 'Plan a journey.' }`,
  },
  ACM261: {
    meaning: 'What completes an argument returns the values that a user may choose from, as texts.',
    wrong: completes('@complete city of=plan', 'cities(city: string): number[]').replace(
      "['Bern']",
      '[city.length]',
    ),
    right: completes('@complete city of=plan', 'cities(city: string): string[]').replace("'Bern'", 'city'),
  },
  ACM262: {
    meaning:
      'Clients ask users for the arguments of prompts and resources, and send them as texts. An object cannot be written as one.',
    wrong: `${tagged('@mcp prompt', '@param to - where to')}\nplan(to: { city: string }): string { return to.city }`,
    right: `${tagged('@mcp prompt', '@param city - where to')}\nplan(city: string): string { return city }`,
  },
  ACM263: {
    meaning:
      'What stands in braces in the address of a resource is an argument of the route, by its public name.',
    wrong: reads('orders://{id}/{part}', 'show(id: string): string'),
    right: reads('orders://{id}', 'show(id: string): string'),
  },
  ACM264: {
    meaning:
      'The address is all that a client sends when it reads a resource: what the route needs must be in it.',
    wrong: reads('orders://all', 'show(id: string): string'),
    right: reads('orders://{id}', 'show(id: string): string'),
  },
  ACM265: {
    meaning:
      'Two resources have one address, apart from the names in braces: nobody could say which is meant.',
    wrong: `${reads('orders://{id}', 'show(id: string): string')}
/**
 * Reads the invoice of an order.
 *
 * @get /invoices/:order
 * @mcp resource uri=orders://{order}
 * @param order - of which order
 */
invoice(order: string): string { return order }`,
    right: `${reads('orders://{id}', 'show(id: string): string')}
/**
 * Reads the invoice of an order.
 *
 * @get /invoices/:order
 * @mcp resource uri=invoices://{order}
 * @param order - of which order
 */
invoice(order: string): string { return order }`,
  },
  ACM266: {
    meaning:
      'The name behind `of=` is that of no prompt and no resource, and of no such method of the class.',
    wrong: completes('@complete city of=trip', 'cities(city: string): string[]').replace("'Bern'", 'city'),
    right: completes('@complete city of=plan', 'cities(city: string): string[]').replace("'Bern'", 'city'),
  },
  ACM267: {
    meaning: 'The prompt or resource has no argument of this name that a client fills in.',
    wrong: completes('@complete town of=plan', 'cities(town: string): string[]').replace("'Bern'", 'town'),
    right: completes('@complete city of=plan', 'cities(city: string): string[]').replace("'Bern'", 'city'),
  },
  ACM268: {
    meaning: 'Two methods complete one argument: which of them is asked would depend on their order.',
    wrong: `${completes('@complete city of=plan', 'cities(city: string): string[]').replace("'Bern'", 'city')}
/** @complete city of=plan */
towns(city: string): string[] { return [city] }`,
    right: completes('@complete city of=plan', 'cities(city: string): string[]').replace("'Bern'", 'city'),
  },
  ACM269: {
    meaning:
      'A completion is given what the user has written so far, in a parameter that is called as the argument.',
    wrong: completes('@complete city of=plan', 'cities(): string[]'),
    right: completes('@complete city of=plan', 'cities(city: string): string[]').replace("'Bern'", 'city'),
  },
  ACM270: {
    meaning:
      'Beside what it completes, a completion is given the arguments that are chosen already. Users fill them in in any order, so that each may be absent.',
    wrong: completes('@complete city of=plan', 'cities(city: string, country: string): string[]').replace(
      "'Bern'",
      'city, country',
    ),
    right: completes('@complete city of=plan', "cities(city: string, country = ''): string[]").replace(
      "'Bern'",
      'city, country',
    ),
  },
  ACM271: {
    meaning: 'Clients show prompts and resources with their description; users and models choose by it.',
    wrong: "/** @mcp prompt */\nplan(): string { return 'Plan a journey.' }",
    right: `${tagged('@mcp prompt')}\nplan(): string { return 'Plan a journey.' }`,
  },
}

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

const listedAt = (uri: string): string => `/**
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
      'A model that loads a skill reads all of its `SKILL.md`. Examples and errors are files of their own, which it reads when it needs them.',
  },
  ACM296: {
    meaning: '`@mcp skill` is not inherited, and an abstract class has no tools of its own.',
    wrong: `/** @mcp skill */
export abstract class Listed extends Controller {}

${orders('Orders.').replace('extends Controller', 'extends Listed')}`,
    right: `export abstract class Listed extends Controller {}

${orders('Orders.', '', '@mcp skill').replace('extends Controller', 'extends Listed')}`,
  },
  ACM297: {
    meaning: 'Skills are read at `skill://` addresses: a resource of the application needs another scheme.',
    wrong: listedAt('skill://orders'),
    right: listedAt('orders://all'),
  },
}
