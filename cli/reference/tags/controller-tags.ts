/** The tags of classes and methods, by name. */
import { limitTagTexts } from './limit-tag-texts.ts'
import { mcpTagTexts } from './mcp-tag-texts.ts'
import type { TagText } from './tag-text.ts'

const path =
  'A segment `:id` is a required parameter, `?:id` an optional one, and `*:rest`, which must be the last, takes all that is left.'
const body =
  'Plain parameters are fields of the JSON or form body; the query is read too. `Body<T>` takes the whole body.'

export const controllerTags: Readonly<Record<string, TagText>> = {
  base: {
    meaning:
      'Where the routes of the class begin. It may hold required parameters such as `/shops/:shop`. Without it the path is the name of the class in snake_case. Each class carries its own: it is not inherited.',
    example: `/**
 * Orders of the signed-in user.
 *
 * @base /api/orders
 */
export class Orders extends Controller {
  /** @get / */
  index(): string[] { return [] }
}`,
  },
  get: {
    meaning: `Serves GET and HEAD requests with this method. The path continues the class's base path. ${path} Plain parameters are read from the query.`,
    example: `/**
 * Finds an order.
 *
 * @get /:id
 * @param id - which one
 */
show(id: string): string { return id }`,
  },
  post: {
    meaning: `Serves POST requests. ${path} ${body}`,
    example: `/**
 * Places an order.
 *
 * @post /
 * @param product - what to order
 * @returns 201 the order as stored
 */
create(product: string): { product: string } { return { product } }`,
  },
  put: {
    meaning: `Serves PUT requests; its tool is announced as idempotent. ${path} ${body}`,
    example: `/**
 * Replaces an order.
 *
 * @put /:id
 * @param id - which one
 * @param order - all of it
 */
replace(id: string, order: Body<{ product: string }>): void { void [id, order] }`,
  },
  patch: {
    meaning: `Serves PATCH requests. ${path} ${body}`,
    example: `/**
 * Changes an order.
 *
 * @patch /:id
 * @param id - which one
 * @param product - another product
 */
update(id: string, product?: string): void { void [id, product] }`,
  },
  delete: {
    meaning: `Serves DELETE requests; its tool is announced as destructive and idempotent. ${path} Plain parameters are read from the query.`,
    example: `/**
 * Cancels an order.
 *
 * @delete /:id
 * @param id - which one
 */
remove(id: string): void { void id }`,
  },
  options: {
    meaning: `Serves OPTIONS requests. ${path}`,
    example: `/**
 * Tells what may be done.
 *
 * @options /
 */
allowed(): Rendered { return this.head(204) }`,
  },
  websocket: {
    meaning:
      'Upgrades a GET request to a WebSocket, once the filters have passed. Such a method has no other kind of route. The first parameter is the socket, the others are read as everywhere. It is no tool. A request without an upgrade is answered with 426.',
    example: `/**
 * Joins a chat.
 *
 * @websocket /rooms/:room
 */
chat(socket: Socket, room: string): void { void [socket, room] }`,
  },
  returns: {
    meaning:
      'The status of success (200 without it) and its text in OpenAPI. With several statuses each names its type, and each type but one must be an exported class: the class of the value decides. The text may go on over several lines.',
    example: `/**
 * Places an order.
 *
 * @post /
 * @returns 201 the order as stored
 */
create(): { id: string } { return { id: '1' } }`,
  },
  produces: {
    meaning: 'The content type of every answer of this method: the `Accept` header no longer chooses.',
    example: `/**
 * Tells the terms.
 *
 * @get /terms
 * @produces text/plain
 */
terms(): string { return 'Be kind.' }`,
  },
  consumes: {
    meaning:
      'The media types that the body of this method may have: OpenAPI names exactly these, and one of another type is answered with 415. Without it the document names JSON and the types of `parsers`, and forms and plain text are read too. Each needs something that reads it: JSON, `application/x-www-form-urlencoded`, `multipart/form-data` and, for a whole `Body<…>`, `text/plain` are built in, others are `parsers` in `app/config.ts`. A tool call has no media type, and a body without `Content-Type` is taken for JSON: both are read whatever is named here.',
    example: `/**
 * Takes what the payment service tells, which comes as a form.
 *
 * @post /paid
 * @consumes application/x-www-form-urlencoded
 * @param order - which one
 */
paid(order: string): void { void order }`,
  },
  param: {
    meaning:
      "The parameter's text in OpenAPI and for models, who fill it in by that text. The text may go on over several lines. A value behind `example=` at its end is an example of the argument, checked against its type.",
    example: `/**
 * Lists orders, newest first.
 *
 * @get /
 * @param limit - how many to return at most example=20
 */
index(limit: Int32 = 20): string[] { return [].slice(0, limit) }`,
  },
  throws: {
    meaning:
      'With a status: documents in OpenAPI that the route can answer it. Without one it is for readers of the source. It changes nothing at run time: handlers do.',
    example: `/**
 * Finds an order.
 *
 * @get /:id
 * @throws {NotFound} 404 there is none
 */
show(id: string): string { throw new NotFound(id) }`,
  },
  filter: {
    meaning:
      'Runs with every route of the class and of those that extend it; `only` and `except` name methods, without blanks. A before filter that returns a response ends the request. An around filter takes `next` as its first parameter. Other parameters are read from the request, as those of an action.',
    example: `/**
 * Needs a key.
 *
 * @filter before except=health
 */
authenticate(key?: Header<'X-Api-Key'>): Rendered | undefined {
  return key === undefined ? this.head(401) : undefined
}

/**
 * Says that it lives.
 *
 * @get /health
 */
health(): string { return 'ok' }`,
  },
  skipFilter: {
    meaning:
      'An inherited filter does not run for the routes of this class, or for those that `only` and `except` leave.',
    example: `export abstract class Guarded extends Controller {
  /** @filter before */
  authenticate(): void {}
}

/** @skipFilter authenticate only=index */
export class Orders extends Guarded {
  /** @get / */
  index(): string[] { return [] }
}`,
  },
  requireTls: {
    meaning:
      'A request over plain http is redirected to https (302 for GET and HEAD, 308 otherwise); a WebSocket upgrade is refused with 412. `X-Forwarded-Proto` counts, else the scheme of `BASE_URL`.',
    example: `/** @requireTls only=pay */
export class Payments extends Controller {
  /** @post / */
  pay(): void {}
}`,
  },
  scope: {
    meaning:
      'The route needs a token that grants all of these scopes, which `app/config.ts` declares with their words: those of the method and of every class above it. Without a valid token the answer is 401, with one that grants too little 403, before any filter, for HTTP, tool calls and WebSockets alike. `unless=session` lets somebody past who sends no `Authorization` header and is signed in to the session, `unless=key` who sends an `X-API-Key` instead: a filter must then ask who it is. Where a route has several `@scope`, each of them must say `unless=`. `@scope none` on a method lifts what its class and the ancestors of that ask for, not what a subclass asks for; routes with `@options` never get it. Where scopes are declared, the build warns of routes that change state or run a filter and say neither.',
    example: `/**
 * Orders of the signed-in user.
 *
 * @base /api/orders
 * @scope orders:read
 */
export class Orders extends Controller {
  /** @get / */
  index(): string[] { return [] }

  /**
   * Places an order.
   *
   * @post /
   * @scope orders:write
   */
  create(name: string): string { return name }

  /**
   * Says how many there are.
   *
   * @get /count
   * @scope none
   */
  count(): number { return 0 }
}

// app/config.ts
import { defineApp } from 'acmcp'

export const config = defineApp({
  scopes: {
    'orders:read': 'see your orders',
    'orders:write': { text: 'place orders', implies: ['orders:read'] },
  },
})`,
  },
  ...limitTagTexts,
  exception: {
    meaning:
      'Answers errors of this class and its subclasses, which the method takes as its first parameter, raised in any action or filter of the controller and of those that extend it. The status is that of the answer, 200 (with a warning) when it is missing; `default` is for a handler that renders its own. Further parameters must be optional.',
    example: `/**
 * There is no such order.
 *
 * @exception {NotFound} 404
 */
missing(error: NotFound): CommonResponse { return new CommonResponse(error, { backtrace: false }) }`,
  },
  ...mcpTagTexts,
  mcp: {
    meaning:
      'Says how models see a route as a tool, and what else MCP clients get of it. Its words are explained on their own: `acmcp explain "@mcp hide"` and so on.',
    example: `/**
 * Finds orders by text.
 *
 * @get /search
 * @mcp root
 */
search(text: string): string[] { return [text] }`,
  },
}
