import type { Desk, Tables } from '../database/tables.ts'
import type { Author } from '../model/conversation.ts'
import type { Team, TeamSettings } from '../model/team.ts'

/** Teams by their slug. */
export async function listTeams(desk: Desk): Promise<Team[]> {
  const teams = await desk.selectFrom('teams').selectAll().orderBy('slug').execute()
  return withMembers(desk, teams)
}

export async function findTeam(desk: Desk, slug: string): Promise<Team | null> {
  const teams = await desk.selectFrom('teams').selectAll().where('slug', '=', slug).execute()
  const [team = null] = await withMembers(desk, teams)
  return team
}

/** Stores a new team, or new settings of one that is there. */
export async function putTeam(desk: Desk, slug: string, { name, schedule }: TeamSettings): Promise<void> {
  const settings = { name, schedule: JSON.stringify(schedule) }
  await desk
    .insertInto('teams')
    .values({ slug, ...settings })
    .onConflict((conflict) => conflict.column('slug').doUpdateSet(settings))
    .execute()
}

/** Does nothing for who is in it. */
export async function addToTeam(desk: Desk, team: string, userId: string): Promise<void> {
  await desk
    .insertInto('members')
    .values({ team, user_id: userId })
    .onConflict((conflict) => conflict.columns(['team', 'user_id']).doNothing())
    .execute()
}

/** Whether they were in it. */
export async function removeFromTeam(desk: Desk, team: string, userId: string): Promise<boolean> {
  const rows = desk.deleteFrom('members').where('team', '=', team).where('user_id', '=', userId)
  return (await rows.executeTakeFirst()).numDeletedRows > 0n
}

async function withMembers(desk: Desk, teams: readonly Tables['teams'][]): Promise<Team[]> {
  const members = await membersOf(desk)
  return teams.map(({ slug, name, schedule }) => ({
    slug,
    name,
    schedule: JSON.parse(schedule),
    members: members.get(slug) ?? [],
  }))
}

async function membersOf(desk: Desk): Promise<ReadonlyMap<string, readonly Author[]>> {
  const rows = await desk
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select(['members.team', 'users.id', 'users.name'])
    .orderBy('users.name')
    .orderBy('users.id')
    .execute()
  const all = new Map<string, Author[]>()
  for (const { team, id, name } of rows) all.set(team, [...(all.get(team) ?? []), { id, name }])
  return all
}
