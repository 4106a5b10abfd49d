import { type Body, Conflict, type Cookie, NotFound } from 'acmcp'
import { checked, schedule } from '../model/rules.ts'
import type { Team, TeamSettings, TeamSlug } from '../model/team.ts'
import type { Ticket } from '../model/ticket.ts'
import { addToTeam, findTeam, listTeams, putTeam, removeFromTeam } from '../people/teams.ts'
import { findMember } from '../people/users.ts'
import { StaffController } from '../staff-controller.ts'
import { searchTickets } from '../tickets/ticket-search.ts'

/**
 * Teams of agents, when they work, and what waits for them.
 *
 * @base /api/teams
 * @scope desk:read
 * @mcp keywords group, department
 */
export class Teams extends StaffController {
  /**
   * Admins make teams.
   *
   * @filter before only=put,addMember,removeMember
   */
  forAdmins(): void {
    this.requireRole('admin')
  }

  /**
   * Lists all teams with their members.
   *
   * @get /
   * @mcp brief slug name members
   * @mcp keywords who works where, agents, members
   */
  index(): Promise<Team[]> {
    return listTeams(this.database)
  }

  /**
   * Lists what waits for a team: its tickets that are not closed, the oldest first, a hundred at most.
   *
   * Without a name it is the team that the same browser looked at last.
   *
   * @get /queue/?:slug
   * @param slug - of the team
   * @param last - the team that was looked at last
   * @throws {NotFound} 404 there is no such team
   * @mcp title="What waits for a team"
   * @mcp brief number subject status priority assignee openedAt
   * @mcp keywords backlog, to do, next, waiting, pile, in line
   */
  async queue(slug?: TeamSlug, last?: Cookie<'desk_team'>): Promise<readonly Ticket[]> {
    const wanted = slug ?? last
    if (wanted === undefined) throw new NotFound('name a team')
    await this.#team(wanted)
    this.response.setCookie('desk_team', wanted, { maxAge: 30 * 86_400 })
    const { items } = await searchTickets(this.database, this.member, {
      team: wanted,
      statuses: ['new', 'open', 'waiting'],
      order: 'oldest',
      paging: { page: 1, perPage: 100 },
    })
    return items
  }

  /**
   * Makes a team, or changes its name and its hours.
   *
   * @put /:slug
   * @scope desk:admin
   * @param slug - of the team
   * @param settings - its name, and when it works
   * @mcp example {"slug":"billing","settings":{"name":"Billing","schedule":{"timeZone":"Europe/Berlin","hours":[{"day":"mon","opens":"09:00","closes":"17:00"}]}}}
   * @mcp keywords create, rename, working hours
   */
  async put(slug: TeamSlug, settings: Body<TeamSettings>): Promise<Team> {
    checked(schedule, settings.schedule)
    await putTeam(this.database, slug, settings)
    return this.#team(slug)
  }

  /**
   * Puts an agent into a team. One who is in it stays.
   *
   * @put /:slug/members/:user
   * @scope desk:admin
   * @param slug - of the team
   * @param user - the id of the user
   * @throws {NotFound} 404 there is no such team
   * @throws {Conflict} 409 this is no agent
   * @mcp keywords join, add a colleague
   */
  async addMember(slug: TeamSlug, user: string): Promise<Team> {
    await this.#team(slug)
    const member = await findMember(this.database, user)
    if (member === null || member.role === 'customer')
      throw new Conflict('only agents and admins are in teams')
    await addToTeam(this.database, slug, user)
    return this.#team(slug)
  }

  /**
   * Takes an agent out of a team.
   *
   * @delete /:slug/members/:user
   * @scope desk:admin
   * @param slug - of the team
   * @param user - the id of the user
   * @returns 204
   * @throws {NotFound} 404 the team has no such member
   * @mcp keywords leave
   */
  async removeMember(slug: TeamSlug, user: string): Promise<void> {
    if (!(await removeFromTeam(this.database, slug, user))) throw new NotFound('the team has no such member')
  }

  async #team(slug: string): Promise<Team> {
    const team = await findTeam(this.database, slug)
    if (team === null) throw new NotFound(`there is no team ${slug}`)
    return team
  }
}
