import { Conflict, type Named, NotFound } from 'acmcp'
import { DeskController } from '../desk-controller.ts'
import type { Member, Role } from '../model/member.ts'
import type { Page, PageNumber, PageSize } from '../model/paging.ts'
import type { Purged, Storage } from '../model/report.ts'
import { giveRole, listMembers } from '../people/users.ts'
import { purgeLinks } from '../tickets/links.ts'
import { storageOf } from '../tickets/reports.ts'

/**
 * Who may do what, and what is stored. For admins, and not for models: `hide` keeps it out of their lists, the scope and the filter
 * keep everybody else out of it.
 *
 * @base /api/admin
 * @scope desk:admin
 * @mcp hide
 */
export class Administration extends DeskController {
  /**
   * Lets admins in.
   *
   * @filter before
   */
  forAdmins(): void {
    this.requireRole('admin')
  }

  /**
   * Lists everybody who has signed in, by name.
   *
   * @get /users
   * @param roles - only people with one of these
   * @param search - a part of the name
   * @param page - which page, from 1 on
   * @param perPage - how many on a page
   */
  users(
    roles: Role[] = [],
    search = '',
    page: PageNumber = 1,
    perPage: Named<'per-page', PageSize> = 20,
  ): Promise<Page<Member>> {
    return listMembers(this.database, { roles, search, page, perPage })
  }

  /**
   * Gives somebody a role. Nobody changes their own: so there is always an admin.
   *
   * @put /users/:id/role
   * @param id - of the user
   * @param role - what they may do from now on
   * @throws {NotFound} 404 nobody with this id has signed in
   * @throws {Conflict} 409 it is the caller
   */
  async giveRole(id: string, role: Role): Promise<Member> {
    if (id === this.member.id) throw new Conflict('nobody changes their own role')
    const member = await giveRole(this.database, id, role)
    if (member === null) throw new NotFound('nobody with this id has signed in')
    return member
  }

  /**
   * Tells how much is stored.
   *
   * @get /storage
   */
  storage(): Promise<Storage> {
    return storageOf(this.database, this.now)
  }

  /**
   * Removes what has expired. Let cron call it once a day.
   *
   * @post /purge
   */
  async purge(): Promise<Purged> {
    return { links: await purgeLinks(this.database, this.services.clock()) }
  }
}
