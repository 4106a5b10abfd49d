/** The tags that say how often and how long a route may be called, and how its calls are recorded, by name. */
import type { TagText } from './tag-text.ts'

export const limitTagTexts: Readonly<Record<string, TagText>> = {
  limit: {
    meaning:
      'So many calls of the route may one user make in each second, minute, hour or day: the user of the token or the session, and without one whoever shares the network address. HTTP requests, tool calls and upgrades to a WebSocket count together, those of all instances too. One more is 429 with `Retry-After`; a model is told how long to wait. A windowful is 1 to 1000000 calls. The tag of a method wins over those of classes, that of the nearest class over the others; `@limit none` lifts them, and the default `limits.routeCalls`. Routes with `@options` take no limit of a class.',
    example: `/** @limit 600/min */
export class Orders extends Controller {
  /** @get / */
  index(): string[] { return [] }

  /**
   * Searches all orders.
   *
   * @get /search
   * @limit 10/s
   */
  search(text: string): string[] { return [text] }

  /**
   * Says whether the shop is open.
   *
   * @get /open
   * @limit none
   */
  open(): boolean { return true }
}`,
  },
  timeout: {
    meaning:
      'The time that a call has until its answer begins, filters included: whole seconds or minutes, `1s` to `60min`. Then the answer is 503, a model is told, `this.request.signal` is aborted, and what the route still comes to is discarded. A tool call has the shorter of this time and `limits.toolCallSeconds`. An answer that has begun is not cut; WebSockets and streams of events have no time. The tag of a method wins over those of classes, that of the nearest class over the others; `@timeout none` lifts them, and the default `limits.routeSeconds`.',
    example: `/** @timeout 30s */
export class Reports extends Controller {
  /** @get / */
  async index(): Promise<string> {
    const answer = await fetch('https://reports.example.com/', { signal: this.request.signal })
    return answer.text()
  }

  /**
   * Counts everything anew.
   *
   * @post /
   * @timeout 2min
   */
  create(): void {}
}`,
  },
  audit: {
    meaning:
      'The audit record of a tool call of this route is written before its answer; others are written in batches, of which a crash may lose the last. A call whose record cannot be written is not answered as done.',
    example: `/**
 * Closes an account for good.
 *
 * @delete /:id
 * @audit strict
 */
close(id: string): void {}`,
  },
}
