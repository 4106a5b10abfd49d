import { Controller, type Header, type Int32, NotFound, type Rendered } from 'acmcp'

/** A page of a list. */
export interface Page<Item> {
  items: readonly Item[]
  /** Of the next page; null on the last. */
  next: string | null
}

/** What every resource has: a signed-in user, a list, one item, and an answer for what is not there. */
export abstract class Resource<Item extends object> extends Controller {
  protected abstract readonly all: ReadonlyMap<string, Item>

  /**
   * Needs a token.
   *
   * @filter before except=index
   */
  authenticate(authorization?: Header<'Authorization'>): Rendered | undefined {
    return authorization === undefined ? this.head(401) : undefined
  }

  /**
   * Lists the items, a page at a time.
   *
   * @get /
   * @param limit - how many to return at most
   * @param after - where the page begins: `next` of the page before
   */
  index(limit: Int32 = 20, after?: string): Page<Item> {
    const items = [...this.all].filter(([id]) => after === undefined || id > after)
    return { items: items.slice(0, limit).map(([, item]) => item), next: items[limit]?.[0] ?? null }
  }

  /**
   * Shows one item.
   *
   * @get /:id
   * @param id - its id
   */
  show(id: string): Item {
    const item = this.all.get(id)
    if (item === undefined) throw new NotFound()
    return item
  }

  /**
   * There is no such item.
   *
   * @exception {NotFound} 404
   */
  missing(error: NotFound): { error: string } {
    return { error: error.message }
  }
}
