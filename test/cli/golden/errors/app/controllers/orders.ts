import { type Body, CommonResponse, Controller, type Int32, type Rendered, type ValueError } from 'acmcp'
import { ClosedError, OutOfStock, PaymentError, ShopError } from '../errors.ts'

/** What is wanted. */
export interface NewOrder {
  /**
   * The article's number.
   *
   * @pattern ^[A-Z]{2}-[0-9]+$
   * @example AB-12
   */
  article: string
  /**
   * @minimum 1
   * @maximum 99
   */
  count: Int32
}

/** The order was placed. */
export class Placed {
  readonly kind = 'placed'
  constructor(readonly id: bigint) {}
}

/** The order waits for stock. */
export class Waiting {
  readonly kind = 'waiting'
  constructor(readonly until: Date) {}
}

/** Orders of the shop. */
export class Orders extends Controller {
  /**
   * Places an order, now or as soon as there is stock.
   *
   * @post /
   * @returns {Placed} 201 the order
   * @returns {Waiting} 202 the order waits
   * @throws {ClosedError} 423 at night
   */
  create(order: Body<NewOrder>): Placed | Waiting {
    if (order.count > 50) throw new OutOfStock(50)
    if (order.article === 'AA-0') throw new PaymentError('declined')
    if (order.article === 'ZZ-0') throw new ClosedError()
    return order.count > 10 ? new Waiting(new Date()) : new Placed(1n)
  }

  /**
   * There is not enough of it.
   *
   * @exception {OutOfStock} 409
   */
  outOfStock(error: OutOfStock): { error: string; left: number } {
    return { error: error.message, left: error.left }
  }

  /**
   * The bank said no.
   *
   * @exception {PaymentError<'declined'>} 402
   * @exception {PaymentError<'expired'>} 410
   */
  payment(error: PaymentError<'declined'> | PaymentError<'expired'>): { reason: 'declined' | 'expired' } {
    return { reason: error.reason }
  }

  /**
   * Something else that the shop throws.
   *
   * @exception {ShopError} 400
   * @exception {ValueError} 400
   */
  other(error: ShopError | ValueError): CommonResponse {
    return new CommonResponse(error, { backtrace: false })
  }

  /**
   * What nobody thought of.
   *
   * @exception {Error} default
   */
  unexpected(error: Error): Rendered {
    return this.render({ status: 500, json: { error: error.name } })
  }
}
