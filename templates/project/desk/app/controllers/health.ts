import { ApplicationController } from 'acmcp'

/**
 * For load balancers; of no use to a model.
 *
 * @base /health
 * @mcp hide
 */
export class Health extends ApplicationController {
  /**
   * Says that the server answers.
   *
   * @get /
   */
  show(): { status: 'ok' } {
    return { status: 'ok' }
  }
}
