/** The time of a route's call, until its answer begins. Source: decisions/http.md, Limits and time. */
import type { HttpRequest, HttpResponse } from '../../contract/http.ts'
import { RouteTimeout } from '../../errors.ts'
import { discard } from '../output/byte-stream.ts'
import { CallTime, type DeadlineOptions, Deadlines } from './call-time.ts'

/** Of all routes that have the same time. */
export class RouteTime {
  readonly #deadlines: Deadlines
  readonly #seconds: number

  constructor(seconds: number, options: Omit<DeadlineOptions, 'seconds'>) {
    this.#seconds = seconds
    this.#deadlines = new Deadlines({ ...options, seconds })
  }

  /** Rejects with `RouteTimeout` when the time is up; what the work comes to after that is discarded. */
  run(request: HttpRequest, work: (time: CallTime) => Promise<HttpResponse>): Promise<HttpResponse> {
    const time = new CallTime()
    return new Promise((resolve, reject) => {
      const deadline = this.#deadlines.set(() => {
        const error = new RouteTimeout(this.#seconds)
        reject(error)
        time.end()
        request.expire?.(error)
      })
      work(time).then(
        (outcome) => {
          deadline.leave()
          if (time.isUp) discard(outcome)
          else resolve(outcome)
        },
        (error: unknown) => {
          deadline.leave()
          reject(error) // after the time is up this has no effect
        },
      )
    })
  }
}
