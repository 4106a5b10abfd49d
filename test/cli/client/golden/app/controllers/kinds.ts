import type { Body, Cookie, Header, Int32, Named } from 'acmcp'
import type { Client, Color, Json, Kinds as All, Operations, Response, Shape } from '../kinds.ts'
import { Protected } from '../protected.ts'

/** Kinds of values. */
export class Kinds extends Protected {
  /**
   * Every kind in a body, and back.
   *
   * @post /
   * @returns 201 the same
   */
  create(kinds: Body<All>): All {
    return kinds
  }

  /**
   * Every place.
   *
   * @put /places/:id/*:rest
   * @param id - in the path
   * @param rest - of the path
   */
  places(id: bigint, rest: string, other: Named<'an-other', Date>, flag?: boolean, list?: string[]): unknown {
    return { id, rest, other, flag, list }
  }

  /**
   * A query.
   *
   * @get /query/:id/?:page
   */
  query(
    id: string,
    page?: Int32,
    tags?: string[],
    days?: Set<Date>,
    filter?: { color: Color },
    shapes?: Shape[],
    mixed?: (string | number)[],
    id2?: Header<'X-Id', Date>,
    basket?: Cookie<'basket', string[]>,
    constructor?: string,
  ): unknown[] {
    return [id, page, tags, days, filter, shapes, mixed, id2, basket, constructor]
  }

  /**
   * Two of one name.
   *
   * @post /twice/:tenant
   */
  twice(tenant: string, given?: Header<'X-Tenant'>): { tenant: string; given?: string } {
    return given === undefined ? { tenant } : { tenant, given }
  }

  /**
   * A list or one value in a header.
   *
   * @get /either
   */
  either(ids?: Header<'X-Ids', string | string[]>, counts?: Header<'X-Counts', Int32 | Int32[]>): unknown[] {
    return [ids, counts]
  }

  /**
   * Names that the client has, too.
   *
   * @get /names
   */
  names(): { a: Response; b: Client; c: Operations; d: Json } {
    return {
      a: { Map: '', 'content-type': '', "it's */ 'quoted'": 1, constructor: '' },
      b: { map: new Map() },
      c: {},
      d: null,
    }
  }

  /**
   * By several addresses.
   *
   * @get /several
   * @get /several/other
   * @post /several
   */
  several(): void {}
}
