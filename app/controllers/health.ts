import { Application } from '../application.ts'

/**
 * For load balancers; of no use to a model.
 *
 * @base /health
 * @mcp hide
 */
export class Health extends Application {
  /**
   * Says that the server answers.
   *
   * @get /
   */
  show(): { status: 'ok' } {
    return { status: 'ok' }
  }
}
