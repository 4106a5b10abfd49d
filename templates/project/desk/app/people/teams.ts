import type { DeskDatabase, Tables } from '../database/tables.ts'
import type { Author } from '../model/conversation.ts'
import type { Team, TeamSettings } from '../model/team.ts'

/** Teams by their slug. */
export async function listTeams(database: DeskDatabase): Promise<Team[]> {
  const teams = await database.selectFrom('teams').selectAll().orderBy('slug').execute()
  return withMembers(database, teams)
}

export async function findTeam(database: DeskDatabase, slug: string): Promise<Team | null> {
  const teams = await database.selectFrom('teams').selectAll().where('slug', '=', slug).execute()
  const [team = null] = await withMembers(database, teams)
  return team
}

/** Stores a new team, or new settings of one that is there. */
export async function putTeam(
  database: DeskDatabase,
  slug: string,
  { name, schedule }: TeamSettings,
): Promise<void> {
  const settings = { name, schedule: JSON.stringify(schedule) }
  await database
    .insertInto('teams')
    .values({ slug, ...settings })
    .onConflict((conflict) => conflict.column('slug').doUpdateSet(settings))
    .execute()
}

/** Does nothing for a user who is in it. */
export async function addToTeam(database: DeskDatabase, team: string, userId: string): Promise<void> {
  await database
    .insertInto('members')
    .values({ team, user_id: userId })
    .onConflict((conflict) => conflict.columns(['team', 'user_id']).doNothing())
    .execute()
}

/** Whether they were in it. */
export async function removeFromTeam(database: DeskDatabase, team: string, userId: string): Promise<boolean> {
  const rows = database.deleteFrom('members').where('team', '=', team).where('user_id', '=', userId)
  return (await rows.executeTakeFirst()).numDeletedRows > 0n
}

async function withMembers(database: DeskDatabase, teams: readonly Tables['teams'][]): Promise<Team[]> {
  const members = await membersOf(database)
  return teams.map(({ slug, name, schedule }) => ({
    slug,
    name,
    schedule: JSON.parse(schedule),
    members: members.get(slug) ?? [],
  }))
}

async function membersOf(database: DeskDatabase): Promise<ReadonlyMap<string, readonly Author[]>> {
  const rows = await database
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
