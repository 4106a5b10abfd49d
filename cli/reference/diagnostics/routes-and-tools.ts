/** ACM2: routes and tools, when the whole application is known. */
import type { Explanations } from './explanation.ts'

const find = (tags: readonly string[], code = 'find(text: string): string[] { return [text] }'): string =>
  ['/**', ' * Finds orders by text.', ' *', ...tags.map((tag) => ` * ${tag}`), ' */', code].join('\n')
const text = '@param text - words that the order has'
const long = new Array(7)
  .fill('Says much that a model does not need to choose this tool among others.')
  .join('\n * ')

export const aboutRoutesAndTools: Explanations = {
  ACM201: {
    meaning:
      'Two methods serve the same verb at the same address; names of parameters do not tell addresses apart. Each of the two is told of the other.',
    wrong:
      '/** @get /:id */\nshow(id: string): string { return id }\n\n/** @get /:name */\nfind(name: string): string { return name }',
    right:
      '/** @get /:id */\nshow(id: string): string { return id }\n\n/** @get /by-name/:name */\nfind(name: string): string { return name }',
  },
  ACM202: {
    meaning: 'A tool is named after its class and method in snake_case, and two come to the same name.',
    wrong: '/** @get /a */\nlistOpen(): void {}\n\n/** @get /b */\nlist_open(): void {}',
    right: '/** @get /a */\nlistOpen(): void {}\n\n/** @get /b */\nlistClosed(): void {}',
  },
  ACM203: {
    meaning:
      'MCP clients take tool names of 1 to 64 letters, digits, `_` and `-`. The name is made of class and method, both in snake_case.',
    wrong: '/** @get / */\nlistEverythingThatAnybodyHasEverOrderedInAnyShopOfThisCompany(): void {}',
    right: '/** @get / */\nlistAll(): void {}',
  },
  ACM206: {
    meaning: 'A model chooses a tool by its description, which is the text of the doc comment.',
    wrong: '/** @get / */\nindex(): string[] { return [] }',
    right: '/**\n * Lists orders, newest first.\n *\n * @get /\n */\nindex(): string[] { return [] }',
  },
  ACM210: {
    meaning:
      "The arguments of an `@mcp example` do not fit the tool's own schema: a model would learn a wrong call.",
    wrong: find(['@get /', text, '@mcp example {"txt":"apples"}']),
    right: find(['@get /', text, '@mcp example {"text":"apples"}']),
  },
  ACM212: {
    meaning: 'An example is shown with its tool, and this route is none.',
    wrong: find(['@get /', text, '@mcp hide', '@mcp example {"text":"apples"}']),
    right: find(['@get /', text, '@mcp example {"text":"apples"}']),
  },
  ACM249: {
    meaning:
      'Titles, texts, hints, headers, icons, keywords, budgets and paging are those of a tool, and this is none: nobody would see them.',
    wrong: find(['@get /', text, '@mcp hide', '@mcp keywords look up']),
    right: find(['@get /', text, '@mcp keywords look up']),
  },
  ACM217: {
    meaning:
      'Some routes cannot be tools: WebSockets, streams of events, and those that need a file. `@mcp root` does nothing on them.',
    wrong:
      '/**\n * Stores a photo.\n *\n * @post /\n * @mcp root\n */\nupload(photo: UploadedFile): void { void photo }',
    right: '/**\n * Stores a photo.\n *\n * @post /\n */\nupload(photo: UploadedFile): void { void photo }',
  },
  ACM220: {
    meaning: '`@mcp header` names an argument that the tool does not have, or one that no header can hold.',
    wrong: find(['@get /', text, '@mcp header txt=Text']),
    right: find(['@get /', text, '@mcp header text=Text']),
  },
  ACM221: {
    meaning: 'A model fills an argument in by its text. A required one without is guessed.',
    wrong: find(['@get /']),
    right: find(['@get /', text]),
  },
  ACM222: {
    meaning: 'Two tools of a toolbox have one description, so that a model cannot choose between them.',
    wrong: `${find(['@get /', text])}\n${find(['@get /old', text], 'old(text: string): string[] { return [text] }')}`,
    right: `${find(['@get /', text])}\n${find(['@get /old', text], 'old(text: string): string[] { return [text] }').replace('orders', 'old orders')}`,
  },
  ACM223: {
    meaning: 'Every conversation that sees the tool pays for its text. Keep what decides when to use it.',
    wrong: `/**\n * ${long}\n *\n * @get /\n */\nindex(): string[] { return [] }`,
    right: `/**\n * ${long}\n *\n * @get /\n * @mcp describe Lists orders, newest first.\n */\nindex(): string[] { return [] }`,
  },
  ACM224: {
    meaning:
      'A tool, the tools at the top level or the instructions are larger than what a conversation should carry: types with hundreds of members, long texts, too many root tools.',
    wrong: `type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9'

/** Orders. */
export class Orders extends Controller {
  /**
   * Finds orders of a shop.
   *
   * @get /
   * @param shop - its number
   */
  find(shop: \`\${Digit}\${Digit}\${Digit}\`): void { void shop }
}`,
    right: `/** Orders. */
export class Orders extends Controller {
  /**
   * Finds orders of a shop.
   *
   * @get /
   * @param shop - its number, three digits
   */
  find(/** @pattern ^[0-9]{3}$ */ shop: string): void { void shop }
}`,
  },
  ACM225: {
    meaning: "Two controllers come to one name. Tools, operations and OpenAPI's tags are called by it.",
    wrong: `// app/controllers/orders.ts
export class Orders extends Controller {
  /** @get /a */
  index(): string[] { return [] }
}
// app/controllers/old/orders.ts
export class Orders extends Controller {
  /** @get /b */
  list(): string[] { return [] }
}`,
    right: `// app/controllers/orders.ts
export class Orders extends Controller {
  /** @get /a */
  index(): string[] { return [] }
}
// app/controllers/old/orders.ts
export class OldOrders extends Controller {
  /** @get /b */
  list(): string[] { return [] }
}`,
  },
  ACM226: {
    meaning:
      'A tool call carries the credentials of its client, and no headers that proxies set. A route that requires such a header would refuse every tool call.',
    wrong: "/** @get / */\nindex(host: Header<'Host'>): string[] { return [host] }",
    right: "/** @get / */\nindex(host?: Header<'Host'>): string[] { return [host ?? ''] }",
  },
  ACM227: {
    meaning:
      'The tool offers a header as an argument, and a model writes what it likes. That is fine for a language or a version, not for anything that says who is asking. `@mcp show` on the method says that it is meant.',
    wrong: "/** @get / */\nindex(shop: Header<'X-Shop'>): string[] { return [shop] }",
    right:
      "/**\n * @get /\n * @mcp show\n */\nindex(version?: Header<'X-Api-Version'>): string[] { return [version ?? ''] }",
  },
}

const listsOrders = (tag: string): string => `/**
 * Lists orders.
 *
 * @get /
 * ${tag}
 */
index(): string[] { return [] }`

const findsOrders = (tag: string): string => `/**
 * Finds orders.
 *
 * @get /search
 * ${tag}
 */
search(): string[] { return [] }`

/** What the reference says of names that MCP clients use. */
export const aboutNames: Explanations = {
  ACM320: {
    meaning:
      'MCP clients take tool names of 1 to 64 letters, digits, `_` and `-`, and many put a name of their own before it.',
    wrong: listsOrders('@mcp name=orders.list'),
    right: listsOrders('@mcp name=list_orders'),
  },
  ACM321: {
    meaning:
      'Clients call tools, prompts and resources by name: two tools need two, also when a class inherits the tag from another that is a tool.',
    wrong: `${listsOrders('@mcp name=orders')}\n\n${findsOrders('@mcp name=orders')}`,
    right: `${listsOrders('@mcp name=orders')}\n\n${findsOrders('@mcp name=find_orders')}`,
  },
  ACM322: {
    meaning:
      'The MCP endpoint has tools of its own, with which models find and call those that are not listed. Their names are taken.',
    wrong: findsOrders('@mcp name=find_tools'),
    right: findsOrders('@mcp name=find_orders'),
  },
}

const lists = (...tags: readonly string[]): string => `/**
 * Lists orders, oldest first.
 *
 * @get /
 * @param since - the number of the order before the first
 * @param amount - how many at most
${tags.map((tag) => ` * ${tag}`).join('\n')}
 */
index(since = 0, amount = 20): { orders: string[]; last: { order: number } } {
  return { orders: ['apples'].slice(0, amount), last: { order: since } }
}`

const adds = (...tags: readonly string[]): string => `/**
 * Counts again, a part of the orders with each call.
 *
 * @post /count
 * @param since - the number of the order before the first
${tags.map((tag) => ` * ${tag}`).join('\n')}
 */
count(since = 0): { last: number } { return { last: since } }`

/** `@mcp budget` and `@mcp paging`. */
export const aboutAnswers: Explanations = {
  ACM300: {
    meaning:
      'A budget is a number of characters, of which about four are a token: how long the text of an answer may be. On a class it is that of each of its tools.',
    wrong: lists('@mcp budget 20kb'),
    right: lists('@mcp budget 20000'),
  },
  ACM305: {
    meaning:
      'The tag says which argument asks for a further page: `offset=` counts items, `page=` counts pages, `cursor=` takes what the answer before gave under `next=`. `limit=` is how many items a page has. `none` says that what looks like paging is none.',
    wrong: lists('@mcp paging by=since'),
    right: lists('@mcp paging cursor=since next=last.order'),
  },
  ACM306: {
    meaning: 'The tag names an argument that the tool does not have.',
    wrong: lists('@mcp paging cursor=sinse next=last.order'),
    right: lists('@mcp paging cursor=since next=last.order'),
  },
  ACM307: {
    meaning: 'Offsets, pages and limits are counted on from one call to the next, so they are numbers.',
    wrong: `/**
 * Lists orders.
 *
 * @get /
 * @param from - the order before the first
 * @mcp paging offset=from
 */
index(from?: string): string[] { return [from ?? ''] }`,
    right: `/**
 * Lists orders.
 *
 * @get /
 * @param from - how many orders come before the first
 * @mcp paging offset=from
 */
index(from = 0): string[] { return [String(from)] }`,
  },
  ACM308: {
    meaning: 'What the cursor takes is looked up in the answer, and its type has no such property.',
    wrong: lists('@mcp paging cursor=since next=last.number'),
    right: lists('@mcp paging cursor=since next=last.order'),
  },
  ACM309: {
    meaning:
      'A model is told the call for the next page only of tools that change nothing. A route that reads, but is no GET, says so.',
    wrong: adds('@mcp paging cursor=since next=last'),
    right: adds('@mcp readOnly', '@mcp paging cursor=since next=last'),
  },
}
