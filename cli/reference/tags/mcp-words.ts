/** The words that may stand behind `@mcp`, by name. */
import type { TagText } from './tag-text.ts'

const search = (word: string): string => `/**
 * Finds orders by text.
 *
 * @get /search
 * @param text - words that the order has
 * ${word}
 */
search(text: string): string[] { return [text] }`

export const mcpTexts: Readonly<Record<string, TagText>> = {
  root: {
    meaning:
      'The tool is listed at the top level of the MCP endpoint, where every conversation sees it. Other tools are listed in the toolbox of their controller.',
    example: search('@mcp root'),
  },
  noroot: {
    meaning: 'The tool is not listed at the top level. That is so without it too; it says that it is meant.',
    example: search('@mcp noroot'),
  },
  hide: {
    meaning:
      'The route is no tool: models neither see nor call it. HTTP clients still do. On a class it is not inherited, and on an abstract class it has no effect.',
    example: search('@mcp hide'),
  },
  show: {
    meaning:
      'The route is a tool as it is: although its class says `@mcp hide`, and with headers as arguments (ACM227).',
    example: `/** @mcp hide */
export class Orders extends Controller {
  /**
   * Lists orders.
   *
   * @get /
   * @mcp show
   */
  index(): string[] { return [] }
}`,
  },
  title: {
    meaning:
      'A short name of the tool for people, shown by clients. The text stands in double quotes, alone in its tag.',
    example: search('@mcp title="Search orders"'),
  },
  describe: {
    meaning:
      "The tool's description for models, in lists and where its toolbox is opened, in place of the text of the doc comment, which OpenAPI keeps. One line.",
    example: search('@mcp describe Use it before asking the user for an order number.'),
  },
  name: {
    meaning:
      'What MCP clients call it, where class and method in snake_case do not say it best: 1 to 64 letters, digits, `_` and `-`. The address, the `operationId` and the typed client stay as they are. A tool that was published keeps its name when its method is renamed.',
    example: search('@mcp name=find_orders'),
  },
  keywords: {
    meaning:
      'Other words for the tool or what it is about, with commas between. `find_tools` looks them up beside the name, the first sentence and the arguments; models do not read them. Those of a class are inherited.',
    example: search('@mcp keywords purchase, look up a receipt'),
  },
  header: {
    meaning:
      'The argument is also announced as a header that clients may send beside the call (`x-mcp-header`), so that proxies can route by it. It must be a text, a whole number or a boolean.',
    example: `/**
 * Lists the orders of a shop.
 *
 * @get /
 * @param tenant - the shop
 * @mcp header tenant=Tenant
 */
index(tenant: string): string[] { return [tenant] }`,
  },
  example: {
    meaning:
      "An example call: the arguments as JSON on one line, checked against the tool's input schema by the build. Models get it under `examples` of that schema.",
    example: search('@mcp example {"text":"apples"}'),
  },
  prompt: {
    meaning:
      'The method is a prompt that users choose in their client: it returns a text or PromptMessage[]. Its parameters are the arguments, which clients send as texts. Without a route only MCP clients reach it; filters, exception handlers and `@scope` hold for it as for a route.',
    example: `/**
 * Asks for a summary of an order.
 *
 * @mcp prompt
 * @param id - which order
 */
summary(id: string): string { return \`Summarise the order \${id}.\` }`,
  },
  resource: {
    meaning:
      'What a GET route answers is also a resource, which clients read by its address. `{name}` in the address is an argument of the route, `{+name}` one with slashes, and `{?a,b}` at the end are arguments of a query. Without `uri=` it is the address of the route itself.',
    example: `/**
 * Reads an order.
 *
 * @get /orders/:id
 * @mcp resource uri=orders://{id}
 * @param id - which one
 */
show(id: string): { id: string } { return { id } }`,
  },
  task: {
    meaning:
      'A call becomes a task for clients that know tasks (`io.modelcontextprotocol/tasks`): they get an id at once and come back for the result. For other clients the call waits; with `task=required` they are refused. With `@mcp idempotent` a task whose process died is run again, else it has failed.',
    example: `/**
 * Writes all orders of a year into a file.
 *
 * @post /exports
 * @mcp task
 * @param year - of which year
 */
start(year: number): string { return \`\${year}.csv\` }`,
  },
  skill: {
    meaning:
      'The toolbox has a skill, which clients load when they need it: the doc comment of the class, which says how to work with the tools, and a list of them. It stands in `mcp.yml`. The text says when to use it. It is not inherited.',
    example: `/**
 * Orders of the signed-in user.
 *
 * @mcp skill Use it when somebody asks about an order.
 */
export class Orders extends Controller {
  /**
   * Lists orders.
   *
   * @get /
   */
  index(): string[] { return [] }
}`,
  },
  budget: {
    meaning:
      "How many characters the text of the tool's answer may have, in place of `mcp.answerChars`; about four are a token. What is longer is cut at whole items, and the model is told how to get the rest. The nearest word holds: of the method, its class, the class above. `mcp.answerCharsOf` overrules it.",
    example: search('@mcp budget 20000'),
  },
  paging: {
    meaning:
      'Which argument asks for the next page, where its name does not say so: `offset` counts items, `page` counts pages, `cursor` takes what the answer holds under `next`. Under the answer the model then reads the exact call for the next page. `none`: what looks like paging is none.',
    example: `/**
 * Lists orders.
 *
 * @get /
 * @param from - how many orders come before the first
 * @param amount - how many at most
 * @mcp paging offset=from limit=amount
 */
index(from = 0, amount = 20): string[] { return ['apples'].slice(from, from + amount) }`,
  },
  readOnly: {
    meaning: 'The hint that the tool changes nothing. Default: true for GET and OPTIONS.',
    example: search('@mcp readOnly'),
  },
  destructive: {
    meaning: 'The hint that the tool may delete or overwrite what was there. Default: true for DELETE.',
    example: `/**
 * Empties the basket.
 *
 * @post /empty
 * @mcp destructive
 */
empty(): void {}`,
  },
  idempotent: {
    meaning:
      'The hint that calling it again with the same arguments changes nothing more. Default: true for PUT and DELETE.',
    example: `/**
 * Marks an order as paid.
 *
 * @post /:id/paid
 * @param id - which one
 * @mcp idempotent
 */
pay(id: string): void { void id }`,
  },
  openWorld: {
    meaning: 'The hint that the tool reaches beyond the application, such as the web. Default: false.',
    example: search('@mcp openWorld'),
  },
}
