/** An application whose methods answer wider values than their types declare. Where nothing may leave, the value says `canary`. */

export const wideApp: Readonly<Record<string, string>> = {
  'package.json': '{"name":"wide","version":"1.0.0","private":true,"type":"module"}',
  'app/config.ts': `import { defineApp } from 'acmcp'

export const config = defineApp({
  mcp: { serverName: 'Wide' },
  limits: { toolCallsPerMinute: false },
  responders: {
    'text/csv': (value) => Object.keys(value as object).join(),
    'text/x-class': (value) => (value as object).constructor.name,
  },
})
`,
  'app/rows.ts': `/** As a database returns them: with more than anybody declared. */
const wide = <T extends object>(row: T): T => ({ ...row, passwordHash: 'canary' })

export const owner = wide({ id: 'u1', name: 'Ann' })
export const order = (id: number) =>
  wide({ id, placed: new Date(0), total: 7n, owner, lines: [wide({ sku: 'a', count: 1 })], tags: new Set(['x']) })
export const card = wide({ kind: 'card' as const, last4: '4242', iban: 'canary' })
export const bank = wide({ kind: 'bank' as const, iban: 'DE00', last4: 'canary' })
/** Its tag tells the member, though it lacks what that requires. */
export const lacking = { kind: 'card' as const, iban: 'canary' }
export const circle = wide({ name: 'c', radius: 2 })
export const both = wide({ name: 'b', radius: 2, width: 3 })
export const neither = wide({ name: 'n' })

/** A row of an ORM: what it is says its \`toJSON\`. */
export class Row {
  readonly #fields: object
  constructor(fields: object) {
    this.#fields = fields
  }
  toJSON(): object {
    return this.#fields
  }
}

export class Point {
  readonly x = 1
  readonly y = 2
}

export class Invoice {
  readonly number = 'i1'
  private readonly secretKey = 'canary'
  protected readonly draft = 'canary'
  readonly lines = [wide({ sku: 'a', count: 1 })]
  has(key: string): boolean {
    return key === this.secretKey || key === this.draft
  }
}
export { wide }
`,
  'app/types.ts': `export interface Owner { id: string; name: string }
export interface Line { sku: string; count: number }
export interface Order { id: number; placed: Date; total: bigint; owner: Owner; lines: Line[]; tags: Set<string> }
export interface Page<T> { items: T[]; next: string | null }
export interface Card { kind: 'card'; last4: string }
export interface Bank { kind: 'bank'; iban: string }
export type Payment = Card | Bank
export interface Circle { name: string; radius: number }
export interface Box { name: string; width: number }
export interface Tree { label: string; children: Tree[] }
export interface Problem { error: string; hint: string }
`,
  'app/controllers/answers.ts': `import { ApplicationController, type PromptMessage, ServerEvent } from 'acmcp'
import { bank, both, card, circle, Invoice, lacking, neither, order, owner, Point, Row, wide } from '../rows.js'
import type { Box, Circle, Line, Order, Owner, Page, Payment, Problem, Tree } from '../types.js'

export class Lost extends Error {}
export class Closed extends Error {}

/**
 * Answers of every kind.
 *
 * @base /answers
 */
export class Answers extends ApplicationController {
  /**
   * An order.
   *
   * @get /order
   * @mcp root
   * @mcp resource
   */
  order(): Order {
    return order(1)
  }

  /**
   * A page.
   *
   * @get /page
   * @mcp root
   */
  page(): Page<Order> {
    return wide({ items: [order(1), order(2)], next: null })
  }

  /**
   * A tuple, a map and a set.
   *
   * @get /mixed
   * @mcp root
   */
  mixed(): { pair: [Owner, string]; byName: Map<string, Owner>; all: Set<Owner>; record: Record<string, Owner>; anything: unknown } {
    return wide({
      pair: [owner, 'x'] as [Owner, string],
      byName: new Map([['ann', owner]]),
      all: new Set([owner]),
      record: { ann: owner },
      anything: { kept: wide({ as: 'it is' }) },
    })
  }

  /**
   * A map of which all is declared.
   *
   * @get /names
   * @mcp root
   */
  names(): Map<string, string> {
    return new Map([['u1', 'Ann']])
  }

  /**
   * A set of which all is declared.
   *
   * @get /tags
   * @mcp root
   */
  tags(): Set<string> {
    return new Set(['x'])
  }

  /**
   * One object in the places of two types.
   *
   * @get /views
   * @mcp root
   */
  views(): { all: Owner; brief: { id: string } } {
    return wide({ all: owner, brief: owner })
  }

  /**
   * Members that a tag tells.
   *
   * @get /payments
   * @mcp root
   */
  payments(): Payment[] {
    return [card, bank, lacking as unknown as Payment]
  }

  /**
   * Members that no tag tells.
   *
   * @get /shapes
   * @mcp root
   */
  shapes(): (Circle | Box | null)[] {
    return [circle, both, neither as unknown as Circle, null]
  }

  /**
   * Two members that declare one property as two objects.
   *
   * @get /shared
   * @mcp root
   */
  shared(): { of: Owner; x: number } | { of: Line; y: number } {
    return wide({ of: { ...owner, sku: 'a', count: 1 }, x: 1, y: 2 })
  }

  /**
   * Names of a pattern.
   *
   * @get /pattern
   * @mcp root
   */
  pattern(): { [name: \`x-\${string}\`]: string } {
    return { 'x-a': '1', other: 'canary' } as { [name: \`x-\${string}\`]: string }
  }

  /**
   * A tree.
   *
   * @get /tree
   * @mcp root
   */
  tree(): Tree {
    return wide({ label: 'a', children: [wide({ label: 'b', children: [] })] })
  }

  /**
   * An intersection.
   *
   * @get /both
   * @mcp root
   */
  both(): Owner & { total: number } {
    return wide({ ...owner, total: 1 })
  }

  /**
   * A class.
   *
   * @get /invoice
   * @mcp root
   */
  invoice(): Invoice {
    return new Invoice()
  }

  /**
   * A class of declared properties alone.
   *
   * @get /point
   * @mcp hide
   */
  point(): Point {
    return new Point()
  }

  /**
   * What writes itself.
   *
   * @get /row
   * @mcp root
   */
  row(): Owner {
    return new Row(owner) as unknown as Owner
  }

  /**
   * An index signature switches it off.
   *
   * @get /open
   * @mcp root
   */
  open(): { id: string; [name: string]: unknown } {
    return { id: 'o', more: 'declared by the index' }
  }

  /**
   * Rendered.
   *
   * @get /rendered
   * @returns {Owner} 202 soon
   * @mcp root
   */
  rendered() {
    return this.render({ status: 202, json: owner })
  }

  /**
   * Rendered as YAML.
   *
   * @get /rendered-yaml
   * @returns {Owner} 200 the owner
   */
  renderedYaml() {
    return this.render({ yaml: owner })
  }

  /**
   * Rendered without a declared type.
   *
   * @get /untyped
   */
  untyped() {
    return this.render({ json: { any: 'thing' } })
  }

  /**
   * Events.
   *
   * @get /events
   */
  async *events(): AsyncGenerator<Owner> {
    yield owner
  }

  /**
   * Events of two kinds.
   *
   * @get /kinds
   */
  async *kinds(): AsyncGenerator<ServerEvent<Owner> | ServerEvent<Line>> {
    yield new ServerEvent({ event: 'owner', data: owner })
    yield new ServerEvent({ event: 'line', data: wide({ sku: 'a', count: 1 }) })
  }

  /**
   * A message.
   *
   * @mcp prompt
   */
  asking(): PromptMessage[] {
    return [wide({ role: 'user' as const, content: wide({ type: 'text' as const, text: 'Who is it?' }) })]
  }

  /**
   * A lie.
   *
   * @get /lie
   * @mcp root
   */
  lie(): { name: string; lines: Line[]; owner: Owner } {
    return JSON.parse('{"name":{"canary":1},"lines":{"canary":1},"owner":[{"canary":1}]}')
  }

  /**
   * Declares no property.
   *
   * @get /bare
   * @mcp root
   */
  bare(): { one: {}; text: {}; any: object } {
    return { one: owner, text: 'x', any: { name: 'whole' } }
  }

  /**
   * Lacks a name.
   *
   * @get /lacking
   */
  lacking(): Owner {
    return { id: 'u1' } as Owner
  }

  /**
   * Fails.
   *
   * @get /lost
   * @mcp root
   */
  lost(): Owner {
    throw new Lost('lost')
  }

  /**
   * Fails in another way.
   *
   * @get /closed
   * @mcp root
   */
  closed(): Owner {
    throw new Closed('closed')
  }

  /** @exception {Lost} 404 */
  onLost(error: Lost): Problem {
    return wide({ error: error.message, hint: 'look elsewhere' })
  }

  /**
   * @exception {Closed} 409
   * @returns {Problem} closed
   */
  onClosed(error: Closed) {
    return this.render({ status: 409, json: wide({ error: error.message, hint: 'wait' }) })
  }
}
`,
}
