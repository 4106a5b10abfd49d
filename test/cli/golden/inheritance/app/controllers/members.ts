import { type Body, type Email, Controller } from 'acmcp'
import { Resource } from '../resource.ts'

/** Somebody who may borrow books. */
export interface Member {
  readonly name: string
  readonly mail: Email
  readonly since: Date
}

/**
 * The members of the library.
 *
 * @base /members
 * @skipFilter authenticate only=show
 */
export class Members extends Resource<Member> {
  protected override readonly all = new Map<string, Member>()

  /**
   * Adds a member.
   *
   * @post /
   * @returns 201 the member as stored
   * @mcp root
   * @mcp example {"member":{"name":"Ada","mail":"ada@example.org"}}
   */
  create(member: Body<Omit<Member, 'since'>>): Member {
    return { ...member, since: new Date() }
  }

  /** The members have their own words for one of them; the route is the parent's. */
  override show(id: string): Member {
    return super.show(id)
  }
}

/**
 * Of no use to a model.
 *
 * @base /health
 * @mcp hide
 */
export class Health extends Controller {
  /**
   * Says that the server answers.
   *
   * @get /
   */
  show(): { readonly status: 'ok' } {
    return { status: 'ok' }
  }
}
