import { Controller, type Forbidden, type Rendered } from 'acmcp'

export interface Refusal {
  reason: string
}

/**
 * Notes of everybody.
 *
 * @scope staff
 */
export class Staff extends Controller {
  /**
   * Lists the notes of everybody.
   *
   * @get /
   */
  index(): string[] {
    return []
  }

  /**
   * Says why.
   *
   * @exception {Forbidden} 403
   */
  forbidden(error: Forbidden): Refusal {
    return { reason: error.message }
  }

  /**
   * Whatever else happens.
   *
   * @exception {Error} 500
   */
  failed(error: Error): Rendered {
    return this.render({ status: 500, json: { error: error.name } })
  }
}
