import { ApplicationController, type Body, type Int32, NotFound } from 'acmcp'

/** It cannot be changed any more. */
export class OrderSent extends Error {}

/** What a customer bought. */
export interface Order {
  id: string
  /** What was ordered. */
  lines: OrderLine[]
}

/** One thing of an order. */
export interface OrderLine {
  lineId: Int32
  product: string
}

/** A page of orders. */
export interface OrderPage {
  items: Order[]
  total: Int32
}

/**
 * Orders of the signed-in customer.
 *
 * An order that has left the house cannot be changed.
 * # Nothing is "quoted" wrongly: `{@link}`, \, 'it'
 *
 * @base /orders
 * @mcp skill Use it when a customer asks: what they bought, or "where is it?"
 */
export class Orders extends ApplicationController {
  /**
   * The order has left the house.
   *
   * @exception {OrderSent} 409
   */
  sent(error: OrderSent): { error: string } {
    return { error: error.message }
  }

  /**
   * Lists orders, newest first.
   *
   * @get /
   * @mcp example {"page":2}
   * @param page - which one
   */
  index(page: Int32 = 1): OrderPage {
    return { items: [], total: page }
  }

  /**
   * Shows an order.
   *
   * @get /:order
   * @param order - which one
   * @throws {NotFound} 404 there is no such order
   */
  show(order: string): Order {
    throw new NotFound(order)
  }

  /**
   * Places an order.
   *
   * @post /
   * @limit 10/min
   * @mcp example {"order":{"product":"Äpfel"}}
   * @mcp example {"order":{"product":"tea"}}
   */
  create(order: Body<{ product: string }>): Order {
    return { id: order.product, lines: [] }
  }

  /**
   * Replaces a line of an order.
   *
   * @put /:order/lines/:lineId
   * @param order - which one
   * @param lineId - of that order
   * @param product - another product
   */
  change(order: string, lineId: Int32, product: string): Order {
    throw new OrderSent(`${order} ${lineId} ${product}`)
  }

  /**
   * Cancels an order.
   *
   * @delete /:order
   * @param order - which one
   * @deprecated
   */
  cancel(order: string): void {
    throw new OrderSent(order)
  }

  /**
   * Counts orders.
   *
   * @get /count
   * @mcp hide
   */
  count(): Int32 {
    return 0
  }
}

/**
 * Says whether the shop is open.
 *
 * @mcp skill
 */
export class OpeningHours extends ApplicationController {
  /**
   * Tells the hours of today.
   *
   * @get /
   */
  today(): string {
    return 'always'
  }
}

/** Has no skill. */
export class Health extends ApplicationController {
  /**
   * Says that it lives.
   *
   * @get /
   */
  show(): string {
    return 'yes'
  }
}
