/** The tags of properties, parameters and types, by name. */
import type { TagText } from './tag-text.ts'

const checked = 'Checked before the action runs, and part of the schema in OpenAPI and for models.'

/** A body with one property that has this tag. */
const order = (tag: string, property: string): string => `export interface NewOrder {
  /** ${tag} */
  ${property}
}

export class Orders extends Controller {
  /**
   * Places an order.
   *
   * @post /
   */
  create(order: Body<NewOrder>): void { void order }
}`

const tag = (meaning: string, example: string): TagText => ({ meaning, example })

export const valueTexts: Readonly<Record<string, TagText>> = {
  minimum: tag(`The least value of a number. ${checked}`, order('@minimum 1', 'pieces: Int32')),
  maximum: tag(`The greatest value of a number. ${checked}`, order('@maximum 99', 'pieces: Int32')),
  exclusiveMinimum: tag(
    `A number must be greater than this. ${checked}`,
    order('@exclusiveMinimum 0', 'price: number'),
  ),
  exclusiveMaximum: tag(
    `A number must be less than this. ${checked}`,
    order('@exclusiveMaximum 1', 'discount: number'),
  ),
  multipleOf: tag(
    `A number must be a multiple of this positive one. ${checked}`,
    order('@multipleOf 6', 'bottles: Int32'),
  ),
  minLength: tag(
    `The least number of characters of a text. ${checked}`,
    order('@minLength 1', 'product: string'),
  ),
  maxLength: tag(
    `The greatest number of characters of a text. ${checked}`,
    order('@maxLength 80', 'product: string'),
  ),
  minItems: tag(`The least length of a list. ${checked}`, order('@minItems 1', 'products: string[]')),
  maxItems: tag(`The greatest length of a list. ${checked}`, order('@maxItems 50', 'products: string[]')),
  uniqueItems: tag(
    `No two items of a list are equal. ${checked}`,
    order('@uniqueItems', 'products: string[]'),
  ),
  pattern: tag(
    `A regular expression that a text must contain a match of (with the \`u\` flag), with or without slashes around it; \`^\` and \`$\` hold the whole. ${checked}`,
    order('@pattern ^[A-Z]{2}-[0-9]+$', 'article: string'),
  ),
  format: tag(
    'The format of a text, such as `email`, `uuid`, `date-time`, `uri`. Those four are checked, others are documented only.',
    order('@format email', 'receiver: string'),
  ),
  schema: tag(
    'A JSON file beside the source, which holds one JSON Schema 2020-12 with all that it refers to, is used word for word in place of the derived schema.',
    `// app/controllers/address.json
{ "type": "object", "required": ["city"], "properties": { "city": { "type": "string" } } }
// app/controllers/orders.ts
/** @schema ./address.json */
export interface Address { city: string }

export class Orders extends Controller {
  /**
   * Sends an order.
   *
   * @post /
   */
  send(to: Body<Address>): void { void to }
}`,
  ),
  choice: tag(
    'What users see in place of one value of a choice of texts, where they are asked (`Elicited<T>`); repeatable. It is part of the schema: `oneOf` of values with titles.',
    order('@choice s Small, for one', "size: 's' | 'l'"),
  ),
  title: tag('A short name of the value in its schema.', order('@title Article number', 'article: string')),
  default: tag(
    'The value that is documented for an absent one: a text as it is, anything else as JSON. It must fit the type. The default of a parameter (`limit = 20`) needs no tag.',
    order('@default 1', 'pieces?: Int32'),
  ),
  example: tag(
    'An example in the schema: a text as it is, anything else as JSON; repeatable. It must fit the type. A code sample in a fence is left alone.',
    order('@example apples', 'product: string'),
  ),
  deprecated: tag(
    'Marks the property or the operation as deprecated in OpenAPI and in schemas. Nothing else changes.',
    order('@deprecated', 'colour?: string'),
  ),
}
