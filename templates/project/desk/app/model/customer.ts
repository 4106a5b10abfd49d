import type { Email, Int32, Uuid } from 'acmcp'

/** What is written of a customer. */
export interface NewCustomer {
  /**
   * @minLength 1
   * @maxLength 200
   */
  readonly name: string
  readonly email: Email
  /** @maxLength 200 */
  readonly organisation: string | null
}

/** Somebody who asks for help. */
export interface Customer extends NewCustomer {
  readonly id: Uuid
  /** Whether this customer has signed in here, and sees their tickets. */
  readonly hasAccount: boolean
  readonly since: Date
}

/** The customer of this address was there before: nothing was stored. A class, for its status is told by it. */
export class KnownCustomer {
  readonly known: Customer
  constructor(known: Customer) {
    this.known = known
  }
}

/** What came of a list of customers. */
export interface ImportedCustomers {
  /** How many are new. */
  readonly added: Int32
  /** How many were there before, by their address. */
  readonly known: Int32
  readonly refused: readonly RefusedLine[]
}

/** A line that was left out. */
export interface RefusedLine {
  /** The first line of the file is 1. */
  readonly line: Int32
  readonly problem: string
}
