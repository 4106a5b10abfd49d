import { type Money, type rates, TillError } from '@money'
import type { Currency } from '@shop/money/src/amount.ts'
import { Base } from '~/base.ts'

/** Prices of the shop. */
export class Prices extends Base {
  /**
   * Converts an amount.
   *
   * @post /convert
   * @param amount - what to convert
   * @param to - the currency wanted
   */
  convert(amount: Money, to: Currency): Money {
    if (amount.cents < 0n) throw new TillError('shut')
    return { ...amount, currency: to }
  }

  /**
   * Answers the rates of today.
   *
   * @get /rates
   */
  rates(): rates.Rates {
    return { CHF: 1, EUR: 1 }
  }
}
