import { ApplicationController, type Cookie, type Header, type Named, Unauthorized } from 'acmcp'
import { Late, type Problem } from './errors.ts'

/** Who has filters. */
export abstract class Protected extends ApplicationController {
  /**
   * Says who asks.
   *
   * @filter before
   */
  identify(authorization?: Header<'Authorization'>, tenant?: Header<'X-Tenant'>): void {
    if (authorization === undefined && tenant === undefined) throw new Unauthorized()
  }

  /**
   * Says how to answer.
   *
   * @filter before
   * @param theme - of the page
   */
  prefer(theme?: Cookie<'theme', 'light' | 'dark'>, id?: Named<'trace-id', bigint>): void {
    void [theme, id]
  }

  /**
   * A problem.
   *
   * @exception {Problem} 409 type=application/problem+json
   */
  problem(error: Problem): { type: string; detail: string; at: Date } {
    return { type: error.name, detail: error.detail, at: new Date(0) }
  }

  /**
   * It is late.
   *
   * @exception {Late} 423
   */
  late(error: Late): { until: Date } {
    return { until: error.until }
  }
}
