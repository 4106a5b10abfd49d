/** ACM1: tags, their places and their texts. */
import type { Explanations } from './explanation.ts'

const index = 'index(): string[] { return [] }'
const tagged = (...lines: readonly string[]): string =>
  ['/**', ' * Lists orders.', ' *', ...lines.map((line) => ` * ${line}`), ' */', index].join('\n')

export const aboutTags: Explanations = {
  ACM110: {
    meaning:
      'A tag that nobody knows and that looks like one of ours: wrong case, a letter too many, `@mcp-hide` for `@mcp hide`.',
    wrong: tagged('@gett /'),
    right: tagged('@get /'),
  },
  ACM111: {
    meaning:
      'A tag is one line. Text below one would be lost, where it was to be part of the description. Only `@param`, `@returns` and `@throws` may go on.',
    wrong: tagged('@get /', '', 'The newest come first.'),
    right: `/**
 * Lists orders.
 *
 * The newest come first.
 *
 * @get /
 */
${index}`,
  },
  ACM112: {
    meaning:
      'A tag stands where nothing reads it: in a `//` or `/* */` comment, in a doc comment that is not the last before the declaration, in a code fence, or on something that takes no such tag.',
    wrong: `// @mcp hide\n${tagged('@get /')}`,
    right: tagged('@get /', '@mcp hide'),
  },
  ACM113: {
    meaning:
      'What stands behind the tag cannot be read. The message says what is wrong with it, the hint what to write.',
    wrong: tagged('@get orders'),
    right: tagged('@get /orders'),
  },
  ACM115: {
    meaning: 'A status is a number from 200 to 599.',
    wrong: tagged('@get /', '@returns 999 all orders'),
    right: tagged('@get /', '@returns 200 all orders'),
  },
  ACM116: {
    meaning:
      'The class in the braces is not known in this file. TypeScript does not complain about names in comments.',
    wrong: `import { Controller } from 'acmcp'

export class Orders extends Controller {
  /** @exception {NotFound} 404 */
  missing(error: Error): string { return error.message }
}`,
    right: `import { Controller, NotFound } from 'acmcp'

export class Orders extends Controller {
  /** @exception {NotFound} 404 */
  missing(error: NotFound): string { return error.message }
}`,
  },
  ACM118: {
    meaning:
      'Only public methods can be called by the generated code: no fields, no private, protected or static ones.',
    wrong: '/** @get / */\nprivate index(): string[] { return [] }',
    right: `/** @get / */\n${index}`,
  },
  ACM126: {
    meaning:
      'An override and the method that it overrides both have tags, and they would contradict each other.',
    wrong: `export abstract class Listed extends Controller {
  /** @get / */
  index(): string[] { return [] }
}

export class Orders extends Listed {
  /** @get /all */
  override index(): string[] { return ['all'] }
}`,
    right: `export abstract class Listed extends Controller {
  /** @get / */
  index(): string[] { return [] }
}

export class Orders extends Listed {
  override index(): string[] { return ['all'] }
}`,
  },
  ACM127: {
    meaning: 'A method is a route, a filter or an exception handler, because each is called in its own way.',
    wrong: tagged('@get /', '@filter before'),
    right: `/** @get / */\n${index}\n/** @filter before */\ncheck(): void {}`,
  },
  ACM128: {
    meaning:
      '`@param` names no parameter of the method. Properties of a parameter have comments of their own.',
    wrong:
      '/**\n * @get /\n * @param limt - how many\n */\nindex(limit = 20): string[] { return [].slice(0, limit) }',
    right:
      '/**\n * @get /\n * @param limit - how many\n */\nindex(limit = 20): string[] { return [].slice(0, limit) }',
  },
  ACM136: {
    meaning: 'The value behind the tag is none that the tag takes.',
    wrong: '/** @post / */\ncreate(/** @minimum one */ pieces: number): void { void pieces }',
    right: '/** @post / */\ncreate(/** @minimum 1 */ pieces: number): void { void pieces }',
  },
  ACM137: {
    meaning: 'The tag is about another kind of value: a bound on a text, a length on a number.',
    wrong: '/** @post / */\ncreate(/** @minLength 1 */ pieces: number): void { void pieces }',
    right: '/** @post / */\ncreate(/** @minimum 1 */ pieces: number): void { void pieces }',
  },
  ACM139: {
    meaning: 'Of an overloaded method the first signature is what callers see, so it carries the tags.',
    wrong: `show(id: string): string
/** @get /:id */
show(id: string | number): string { return String(id) }`,
    right: `/** @get /:id */
show(id: string): string
show(id: string | number): string { return String(id) }`,
  },
  ACM140: {
    meaning:
      '`@base`, `@mcp hide` and `@mcp skill` are not inherited, and an abstract class has no routes of its own.',
    wrong: `/** @mcp hide */
export abstract class Listed extends Controller {}

export class Orders extends Listed {
  /** @get / */
  index(): string[] { return [] }
}`,
    right: `export abstract class Listed extends Controller {}

/** @mcp hide */
export class Orders extends Listed {
  /** @get / */
  index(): string[] { return [] }
}`,
  },
  ACM155: {
    meaning:
      '`@param`, `@returns` and `@throws` are text for readers of the source where they describe nothing that is called, and so is a constraint on what is no value: no document has it, and no status changes.',
    wrong: `/** @returns all orders */
export class Orders extends Controller {
  /** @get / */
  index(): string[] { return [] }
}`,
    right: `export class Orders extends Controller {
  /**
   * @get /
   * @returns all orders
   */
  index(): string[] { return [] }
}`,
  },
  ACM156: {
    meaning:
      'Nobody can ask for anything of the class: its methods have no tags, or only those of filters and handlers. What decorators say is not read.',
    wrong: `export class Orders extends Controller {
  index(): string[] { return [] }
}

export class Others extends Controller {
  /** @get / */
  index(): string[] { return [] }
}`,
    right: `export class Orders extends Controller {
  /** @get / */
  index(): string[] { return [] }
}`,
  },
  ACM157: {
    meaning:
      'A decorator of another framework would make a route of the method there. Here tags do: a class under `app/controllers/` that is no controller is served by nobody.',
    wrong: `import { Get } from './decorators.ts'
import { Controller } from 'acmcp'

export class Orders {
  @Get()
  index(): string[] { return [] }
}

export class Others extends Controller {
  /** @get / */
  index(): string[] { return [] }
}
// app/controllers/decorators.ts
export const Get = () => (_target: object, _name: string): void => {}`,
    right: `export class Orders extends Controller {
  /** @get / */
  index(): string[] { return [] }
}`,
  },
  ACM173: {
    meaning:
      'The file that `@icon` names is not there, is longer than 8 KiB, or is no PNG, JPEG, SVG or WebP by its ending and its content.',
    wrong: "/**\n * @get /\n * @icon ./lost.png\n */\nindex(): string { return '' }",
    right: `// app/controllers/chart.svg
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 8h8V0z"/></svg>
// app/controllers/orders.ts
export class Orders extends Controller {
  /**
   * @get /chart
   * @icon ./chart.svg
   */
  chart(): string { return '' }
}`,
  },
  ACM142: {
    meaning:
      'The file that `@schema` names is not there, holds no JSON, is no JSON Schema 2020-12, or refers to something outside of itself.',
    wrong: '/** @post / */\ncreate(/** @schema ./lost.json */ order: { city: string }): void { void order }',
    right: `// app/controllers/order.json
{ "type": "object", "properties": { "city": { "type": "string" } } }
// app/controllers/orders.ts
export class Orders extends Controller {
  /** @post / */
  create(/** @schema ./order.json */ order: { city: string }): void { void order }
}`,
  },
  ACM143: {
    meaning:
      'An alias of a plain type leaves no trace in the types that the build sees, so that a schema on it would be forgotten.',
    wrong: `// app/controllers/name.json
{ "type": "string" }
// app/controllers/orders.ts
/** @schema ./name.json */
export type Name = string

export class Orders extends Controller {
  /** @post / */
  create(name: Name): void { void name }
}`,
    right: `// app/controllers/name.json
{ "type": "string" }
// app/controllers/orders.ts
export class Orders extends Controller {
  /** @post / */
  create(/** @schema ./name.json */ name: string): void { void name }
}`,
  },
  ACM170: {
    meaning:
      'A tag on a controller that neither acmcp nor JSDoc nor TSDoc knows. It may be a word of another framework that was meant for us.',
    wrong: tagged('@get /', '@skip check'),
    right: tagged('@get /'),
  },
  ACM171: {
    meaning:
      '`@internal`, `@private` and their like seem to close a route, and do not: a route is for everybody who reaches the server.',
    wrong: tagged('@get /', '@internal'),
    right: `/** @get / */\n${index}\n/** @filter before */\nauthenticate(key?: Header<'X-Api-Key'>): void { if (key === undefined) throw new Unauthorized() }`,
  },
  ACM174: {
    meaning:
      'A `@pattern`, or a `pattern` of a `@schema` file, repeats what itself repeats or may match in two ways: on a text that almost fits, each character more takes twice as long. A text of strangers needs a pattern without that, or a `maxLength`.',
    wrong: `/** @get / */
index(
  /** @pattern ^(a+)+$ */
  name: string,
): string { return name }`,
    right: `/** @get / */
index(
  /** @pattern ^[a-z]+(-[a-z]+)*$ */
  name: string,
): string { return name }`,
  },
}
