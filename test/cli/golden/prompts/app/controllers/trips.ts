import { ApplicationController, type Header, type Int32, type PromptMessage, Unauthorized } from 'acmcp'

/** A journey. */
export interface Trip {
  readonly id: number
  readonly city: string
}

/**
 * Journeys and where they go.
 *
 * @base /api/trips
 */
export class Trips extends ApplicationController {
  /**
   * @filter before only=plan,show
   */
  signedIn(authorization?: Header<'Authorization'>): void {
    if (authorization === undefined) throw new Unauthorized('sign in')
  }

  /**
   * Plans a journey.
   *
   * @mcp prompt name=plan-trip
   * @mcp title="Plan a journey"
   * @param city - where to
   * @param days - how long
   * @param style - how to travel
   */
  async plan(city: string, days: Int32 = 3, style: 'slow' | 'fast' = 'slow'): Promise<PromptMessage[]> {
    const text = `Plan ${days} ${style} days in ${city}.`
    return [
      { role: 'user', content: { type: 'text', text } },
      { role: 'user', content: { type: 'image', data: new Uint8Array([1]), mimeType: 'image/png' } },
    ]
  }

  /**
   * Cities that begin so.
   *
   * @complete city of=plan
   */
  cities(city: string, style?: 'slow' | 'fast'): string[] {
    return [city, style ?? '']
  }

  /**
   * Asks what to pack, over HTTP too.
   *
   * @get /:id/packing
   * @mcp prompt hide
   * @param id - which journey
   */
  packing(id: Int32): string {
    return `What do I need for the journey ${id}?`
  }

  /**
   * Reads a journey.
   *
   * @get /:id
   * @mcp resource uri=trips://{id}
   * @mcp name=read_trip
   * @param id - which one
   */
  show(id: Int32): Trip {
    return { id, city: 'Bern' }
  }

  /**
   * Reads a file of a journey.
   *
   * @get /:id/files/*:path
   * @mcp resource
   * @mcp hide
   * @produces text/plain
   * @param id - of which one
   * @param path - which file
   * @param lines - how many lines of it
   */
  attachment(id: Int32, path: string, lines: Int32, upper = false): string {
    return `${id} ${path} ${lines} ${upper}`
  }

  /**
   * The journeys of the year.
   *
   * @get /
   * @mcp resource
   */
  index(city?: string): Trip[] {
    return [{ id: 1, city: city ?? 'Bern' }]
  }
}
