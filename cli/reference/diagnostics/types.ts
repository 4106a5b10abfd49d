/** ACM1: types of parameters and answers. */
import type { Explanations } from './explanation.ts'

export const aboutTypes: Explanations = {
  ACM120: {
    meaning:
      'The type has no form in JSON: functions, symbols, weak collections, iterators, members that are promises. The message names the path to it.',
    wrong: '/** @get / */\nshow(): { run: () => void } { return { run() {} } }',
    right: '/** @get / */\nshow(): { runs: boolean } { return { runs: true } }',
  },
  ACM121: {
    meaning:
      'Types are documented under their own names, with those of their arguments. Types of one name in several modules or namespaces are told apart by these; two that come to one name all the same are not.',
    wrong: `// app/controllers/orders.ts
import { Controller } from 'acmcp'
export interface A { product: string }
export interface Box<T> { inside: T }

export class Orders extends Controller {
  /** @get / */
  both(): { one: Box<A>; two: Box<'A'> } { throw new Error() }
}`,
    right: `// app/controllers/orders.ts
import { Controller } from 'acmcp'
export interface A { product: string }
export interface Box<T> { inside: T }

export class Orders extends Controller {
  /** @get / */
  both(): { one: Box<A>; two: Box<A> } { throw new Error() }
}`,
  },
  ACM138: {
    meaning:
      'The type in the braces is not known in this file. TypeScript does not complain about names in comments.',
    wrong: '/**\n * @get /\n * @returns {Ordr} 200 all of them\n */\nshow(): string { return "" }',
    right: '/**\n * @get /\n * @returns 200 all of them\n */\nshow(): string { return "" }',
  },
  ACM141: {
    meaning:
      'A value from a request is a plain object. A class with methods, accessors or private members needs its constructor, which nobody calls.',
    wrong: `export class Money {
  cents = 0
  double(): number { return this.cents * 2 }
}

export class Orders extends Controller {
  /** @post / */
  pay(money: Body<Money>): void { void money }
}`,
    right: `export interface Money { cents: number }

export class Orders extends Controller {
  /** @post / */
  pay(money: Body<Money>): void { void money }
}`,
  },
  ACM144: {
    meaning:
      'TypeScript does not find the type: its name or its import is wrong, or a package is missing. Types of Node (`Buffer`, `Readable` of `node:stream`) are found where `@types/node` is installed and `tsconfig.json` has `"types": ["node"]`.',
    wrong: '/** @get / */\nshow(): Strng { return "" }',
    right: '/** @get / */\nshow(): string { return "" }',
  },
  ACM145: {
    meaning:
      '`any` switches the check off, and neither OpenAPI nor a model would learn what the value is. A parameter without a type is `any` too.',
    wrong: '/** @post / */\ncreate(order: any): void { void order }',
    right: '/** @post / */\ncreate(order: unknown): void { void order }',
  },
  ACM160: {
    meaning:
      'A type makes new types each time it is looked into, or has many thousands of parts: there is no schema that could describe it. The message names the path.',
    wrong: `export interface Nest<T> { value: T; deeper: Nest<T[]> | null }

export class Orders extends Controller {
  /** @get / */
  show(): Nest<string> { return { value: '', deeper: null } }
}`,
    right: `export interface Nest<T> { value: T; deeper: Nest<T> | null }

export class Orders extends Controller {
  /** @get / */
  show(): Nest<string> { return { value: '', deeper: null } }
}`,
  },
  ACM219: {
    meaning:
      'A value in `@default`, `@example` or behind `example=` is none that the type takes, so that the document would contradict itself.',
    wrong:
      '/**\n * @get /\n * @param limit - how many example=many\n */\nindex(limit: number): string[] { return [].slice(0, limit) }',
    right:
      '/**\n * @get /\n * @param limit - how many example=20\n */\nindex(limit: number): string[] { return [].slice(0, limit) }',
  },
}
