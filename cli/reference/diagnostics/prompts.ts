/** What the reference says of mistakes in prompts, resources and completions. */
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
