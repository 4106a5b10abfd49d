import { Controller } from 'acmcp'
import { TillError } from '@money'

/** What the controllers of all applications share. */
export abstract class Base extends Controller {
  /**
   * The till is shut.
   *
   * @exception {TillError} 503
   */
  till(error: TillError): { error: string } {
    return { error: error.message }
  }
}
