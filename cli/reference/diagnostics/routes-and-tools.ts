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
      'Icons, keywords, budgets and paging are those of a tool, and this route is none: nobody would see them.',
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
