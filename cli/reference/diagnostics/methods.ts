/** ACM1: parameters, filters, handlers and answers of a method. */
import type { Explanations } from './explanation.ts'

export const aboutMethods: Explanations = {
  ACM119: {
    meaning:
      '`render`, `head`, `redirectTo` and `file` make a response that the method must return. Without `return` the method would run on and answer something else.',
    wrong:
      '/** @get /:id */\nshow(id: string): string | Rendered {\n  if (id === "") this.head(404)\n  return id\n}',
    right:
      '/** @get /:id */\nshow(id: string): string | Rendered {\n  if (id === "") return this.head(404)\n  return id\n}',
  },
  ACM122: {
    meaning:
      'Each parameter is read from the request by its name; rest and destructured parameters have none.',
    wrong: '/** @get / */\nindex({ limit }: { limit: number }): string[] { return [].slice(0, limit) }',
    right: '/** @get / */\nindex(limit: number): string[] { return [].slice(0, limit) }',
  },
  ACM123: {
    meaning: 'An around filter runs the action by calling `next`, which is its first parameter.',
    wrong: '/** @filter around */\nasync timed(): Promise<void> {}',
    right: '/** @filter around */\nasync timed(next: () => Promise<void>): Promise<void> { await next() }',
  },
  ACM124: {
    meaning: 'A handler runs when something has failed, perhaps the very parameter that it asks for.',
    wrong:
      '/** @exception {NotFound} 404 */\nmissing(error: NotFound, id: string): string { return error.message + id }',
    right:
      '/** @exception {NotFound} 404 */\nmissing(error: NotFound, id?: string): string { return error.message + (id ?? "") }',
  },
  ACM125: {
    meaning: 'A handler is called with the error.',
    wrong: '/** @exception {NotFound} 404 */\nmissing(): string { return "none" }',
    right: '/** @exception {NotFound} 404 */\nmissing(error: NotFound): string { return error.message }',
  },
  ACM130: {
    meaning: 'A WebSocket route talks through the socket, which is its first parameter.',
    wrong: '/** @websocket /chat */\nchat(): void {}',
    right: '/** @websocket /chat */\nchat(socket: Socket): void { void socket }',
  },
  ACM131: {
    meaning: 'The first parameter of a WebSocket route is the socket, which a plain request does not have.',
    wrong: '/**\n * @websocket /chat\n * @get /messages\n */\nchat(socket: Socket): void { void socket }',
    right:
      '/** @websocket /chat */\nchat(socket: Socket): void { void socket }\n\n/** @get /messages */\nmessages(): string[] { return [] }',
  },
  ACM132: {
    meaning:
      'The handler takes an error that the class in its tag is not, so that it would be called with the wrong one.',
    wrong: '/** @exception {NotFound} 404 */\nmissing(error: Conflict): string { return error.message }',
    right: '/** @exception {NotFound} 404 */\nmissing(error: NotFound): string { return error.message }',
  },
  ACM133: {
    meaning:
      'A handler for `ApiError<404>` must tell at run time which argument an error has. It does so by a readonly property whose type is the type parameter.',
    wrong: `export class ApiError<Status extends number> extends Error {
  declare protected readonly never: (status: Status) => void
}

export class Orders extends Controller {
  /** @exception {ApiError<404>} 404 */
  missing(error: Error): string { return error.message }
}`,
    right: `export class ApiError<Status extends number> extends Error {
  constructor(readonly status: Status) { super() }
}

export class Orders extends Controller {
  /** @exception {ApiError<404>} 404 */
  missing(error: ApiError<404>): string { return error.message }
}`,
  },
  ACM134: {
    meaning:
      'A handler of a generic error class names one literal as argument: it is compared with a property of the error.',
    wrong: `export class ApiError<Status extends number> extends Error {
  constructor(readonly status: Status) { super() }
}

export class Orders extends Controller {
  /** @exception {ApiError<404 | 410>} 404 */
  missing(error: Error): string { return error.message }
}`,
    right: `export class ApiError<Status extends number> extends Error {
  constructor(readonly status: Status) { super() }
}

export class Orders extends Controller {
  /**
   * @exception {ApiError<404>} 404
   * @exception {ApiError<410>} 410
   */
  missing(error: ApiError<404> | ApiError<410>): string { return error.message }
}`,
  },
  ACM135: {
    meaning:
      'With several `@returns` statuses the class of the returned value decides which one is sent. Interfaces do not exist at run time.',
    wrong: `export interface Gone { gone: true }

export class Orders extends Controller {
  /**
   * @get /:id
   * @returns {string} 200
   * @returns {Gone} 410
   */
  show(id: string): string | Gone { return id }
}`,
    right: `export class Gone { gone = true }

export class Orders extends Controller {
  /**
   * @get /:id
   * @returns 200 its name
   * @returns {Gone} 410
   */
  show(id: string): string | Gone { return id }
}`,
  },
  ACM149: {
    meaning:
      'The type in `@returns {…}` is none that the method can return, so that the document would promise what never comes.',
    wrong: '/**\n * @get /\n * @returns {number} 200 how many\n */\ncount(): string { return "1" }',
    right: '/**\n * @get /\n * @returns {string} 200 how many\n */\ncount(): string { return "1" }',
  },
  ACM154: {
    meaning:
      'A route, filter or handler has the name of something that the class `Controller` has, such as `file`, `head` or `request`. It would take its place, for the framework and for other methods.',
    wrong: '/** @get /:id/file */\nfile(id: string): string { return id }',
    right: '/** @get /:id/file */\ndownload(id: string): string { return id }',
  },
  ACM204: {
    meaning:
      'A parameter of the path is read by nobody: neither the method nor a filter that covers it has one of that name.',
    wrong: '/** @get /:id */\nshow(number: string): string { return number }',
    right: '/** @get /:id */\nshow(id: string): string { return id }',
  },
  ACM205: {
    meaning: 'Without a status the answer of a handler is sent with 200, which says that nothing went wrong.',
    wrong: '/** @exception {NotFound} */\nmissing(error: NotFound): string { return error.message }',
    right: '/** @exception {NotFound} 404 */\nmissing(error: NotFound): string { return error.message }',
  },
  ACM207: {
    meaning:
      '`only=`, `except=` and `@skipFilter` name methods of the class or its ancestors; this name is none.',
    wrong: '/** @filter before only=lits */\ncheck(): void {}\n/** @get / */\nlist(): string[] { return [] }',
    right: '/** @filter before only=list */\ncheck(): void {}\n/** @get / */\nlist(): string[] { return [] }',
  },
  ACM208: {
    meaning: '`Body<T>` is the whole body, so that no other parameter can be a part of it.',
    wrong:
      '/** @post / */\ncreate(order: Body<{ product: string }>, pieces: number): void { void [order, pieces] }',
    right: '/** @post / */\ncreate(order: Body<{ product: string; pieces: number }>): void { void order }',
  },
  ACM209: {
    meaning:
      'GET, DELETE and OPTIONS requests carry no body that is read. Files come with POST, PUT and PATCH only.',
    wrong: '/** @get / */\nsearch(query: Body<{ text: string }>): void { void query }',
    right: '/** @get / */\nsearch(text: string): void { void text }',
  },
  ACM211: {
    meaning: 'The default of a parameter is not a value of its type, as a caller could send it.',
    wrong: '/** @get / */\nindex(limit: Int32 = 1.5): string[] { return [].slice(0, limit) }',
    right: '/** @get / */\nindex(limit: Int32 = 20): string[] { return [].slice(0, limit) }',
  },
  ACM213: {
    meaning:
      'Handlers are asked in order, those of the furthest ancestor first, and another one takes all errors that this one would. The hint says how to come before it.',
    wrong: `/** @get /:id */
show(id: string): string { throw new NotFound(id) }

/** @exception {Error} 500 */
failed(error: Error): string { return error.message }

/** @exception {NotFound} 404 */
missing(error: NotFound): string { return error.message }`,
    right: `/** @get /:id */
show(id: string): string { throw new NotFound(id) }

/** @exception {NotFound} 404 */
missing(error: NotFound): string { return error.message }

/** @exception {Error} 500 */
failed(error: Error): string { return error.message }`,
  },
  ACM214: {
    meaning:
      'An optional segment `?:id` makes an address without it, where the required parameter would always be missing.',
    wrong: '/** @get /?:id */\nshow(id: string): string { return id }',
    right: '/** @get /?:id */\nshow(id?: string): string { return id ?? "all" }',
  },
  ACM215: {
    meaning: 'One error class has two handlers in one controller. The first always answers.',
    wrong: `/** @get /:id */
show(id: string): string { throw new NotFound(id) }

/** @exception {NotFound} 404 */
missing(error: NotFound): string { return error.message }

/** @exception {NotFound} 410 */
gone(error: NotFound): string { return error.message }`,
    right:
      '/** @get /:id */\nshow(id: string): string { throw new NotFound(id) }\n\n/** @exception {NotFound} 404 */\nmissing(error: NotFound): string { return error.message }',
  },
  ACM216: {
    meaning: 'What raised the error may be the body itself, which then cannot be read again.',
    wrong:
      '/** @exception {NotFound} 404 */\nmissing(error: NotFound, body?: Body<{ id: string }>): string { return error.message + body?.id }',
    right:
      '/** @exception {NotFound} 404 */\nmissing(error: NotFound, id?: string): string { return error.message + id }',
  },
  ACM218: {
    meaning: 'A handler names with `type=` a content type that nothing can write.',
    wrong:
      '/** @exception {NotFound} 404 type=text/csv */\nmissing(error: NotFound): string { return error.message }',
    right:
      '/** @exception {NotFound} 404 type=text/plain */\nmissing(error: NotFound): string { return error.message }',
  },
}
