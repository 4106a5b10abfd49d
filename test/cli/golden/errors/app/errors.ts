/** The stock is too low. */
export class OutOfStock extends Error {
  readonly left: number
  constructor(left: number) {
    super('out of stock')
    this.left = left
  }
}

/** The bank refused: told apart by its reason. */
export class PaymentError<Reason extends 'declined' | 'expired' | 'unknown'> extends Error {
  readonly reason: Reason
  constructor(reason: Reason) {
    super(reason)
    this.reason = reason
  }
}

/** Everything that the shop throws on purpose. */
export class ShopError extends Error {}
export class ClosedError extends ShopError {}
