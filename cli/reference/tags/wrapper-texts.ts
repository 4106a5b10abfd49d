/** The types around the type of a parameter, by name. */
import type { TagText } from './tag-text.ts'

/** How a wrapper is written, and where. */
export interface WrapperText extends TagText {
  readonly syntax: string
  readonly where: string
}

const where = 'the type of a parameter of an action, a filter or an exception handler'

export const wrapperTexts: Readonly<Record<string, WrapperText>> = {
  Body: {
    syntax: 'Body<T>',
    where: 'the type of a parameter of an action or a filter; once a method',
    meaning:
      'The whole body, read by its Content-Type and checked against T before the method runs. Only POST, PUT and PATCH have one. As a tool it is one argument with the name of the parameter.',
    example: `/**
 * Places an order.
 *
 * @post /
 */
create(order: Body<{ product: string; pieces?: Int32 }>): void { void order }`,
  },
  Header: {
    syntax: "Header<'Name', T = string>",
    where,
    meaning:
      'The request header of this name. As an argument of a tool it is offered only where an action reads it, and never when it says who is asking or comes from a proxy: a tool call carries the headers of the client itself.',
    example: `/**
 * Lists orders.
 *
 * @get /
 */
index(language?: Header<'Accept-Language'>): string[] { return [language ?? 'en'] }`,
  },
  Cookie: {
    syntax: "Cookie<'name', T = string>",
    where,
    meaning: 'The cookie of this name.',
    example: `/**
 * Shows the basket.
 *
 * @get /basket
 */
basket(id?: Cookie<'basket'>): string { return id ?? '' }`,
  },
  Named: {
    syntax: "Named<'public-name', T>",
    where,
    meaning:
      'The same place (path, query or field of the body) under another public name than that of the parameter: for names that TypeScript cannot write, or that should not change with the code.',
    example: `/**
 * Lists orders.
 *
 * @get /
 */
index(pageSize: Named<'page-size', Int32> = 20): string[] { return [].slice(0, pageSize) }`,
  },
  Elicited: {
    syntax: 'Elicited<T>',
    where: 'the type of an optional parameter of an action or a prompt',
    meaning:
      'What the user is asked for when the method throws InputRequired with the name of the parameter: undefined until they have answered. T is a flat interface of texts, numbers, booleans, choices and lists of choices. A client that cannot ask its user, or a program, passes it as any other argument (a field of the body; in the query, as JSON, of GET, DELETE and beside Body<T>).',
    example: `/**
 * Refunds an order.
 *
 * @post /refund
 */
refund(cents: Int32, consent?: Elicited<{ sure: boolean }>): string {
  if (consent === undefined) throw new InputRequired({ consent: \`Refund \${cents} cents?\` })
  return consent.sure ? 'refunded' : 'kept'
}`,
  },
}
