/** How long it takes under `acmcp dev` from saving an edit to the first `tools/list` that shows it, asked by a real MCP client. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { type AnyClient, clientKinds, signedIn } from '../flow/client-kinds.ts'
import { freePort } from './free-port.ts'
import { linkPackage } from './linked.ts'
import { npmRunDev, run } from './packed.ts'

/** A project as `acmcp init` makes it, with what `npm install` would install linked from this repository. */
export function linkedProject(project: string): void {
  const main = join(process.cwd(), 'dist/cli/main.js')
  mkdirSync(project)
  run(process.execPath, [main, 'init', '--yes'], project)
  linkPackage(project, ['kysely', 'zod'])
  const bin = join(project, 'node_modules/.bin/acmcp')
  mkdirSync(dirname(bin))
  writeFileSync(bin, `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`, { mode: 0o755 })
}

/** Adds a controller to it whose types zod and Kysely infer. */
export function importPackages(project: string): void {
  writeFileSync(join(project, 'app/controllers/people.ts'), people)
}

const people = `import { type Body } from 'acmcp'
import type { ColumnType, Generated, Selectable } from 'kysely'
import { z } from 'zod'
import { Protected } from '../protected.ts'

const Person = z.object({
  name: z.string().min(2),
  kind: z.enum(['guest', 'member']),
  tags: z.array(z.string()),
  pet: z.discriminatedUnion('type', [
    z.object({ type: z.literal('cat'), lives: z.number() }),
    z.object({ type: z.literal('dog'), name: z.string() }),
  ]),
})
export type Person = z.infer<typeof Person>

interface PeopleTable {
  id: Generated<number>
  name: string
  at: ColumnType<Date, string | undefined, never>
}
export type PersonRow = Selectable<PeopleTable>

/**
 * People that the user knows.
 *
 * @base /api/people
 */
export class People extends Protected {
  /**
   * Lists people.
   *
   * @get /
   */
  index(): PersonRow[] {
    return []
  }

  /**
   * Checks a person.
   *
   * @post /
   * @param person - whom to check
   */
  check(person: Body<Person>): Person {
    return Person.parse(person)
  }
}
`

const file = 'app/controllers/notes.ts'
const text = 'Adds a note'

/** Nobody saves again at once. */
const betweenMs = 3000

/** Milliseconds of each of `count` edits of the project, sorted. It runs by `npm run dev`. */
export async function timesToTools(project: string, count: number): Promise<readonly number[]> {
  const [kind] = clientKinds.slice(-1)
  if (kind === undefined) throw new Error('there is no client')
  const served = await npmRunDev(project, await freePort())
  try {
    const { client } = await signedIn(kind, served.baseUrl)
    const times = await editTimes(project, client, count)
    await client.close()
    return times.sort((a, b) => a - b)
  } finally {
    served.stop()
  }
}

async function editTimes(project: string, client: AnyClient, count: number): Promise<number[]> {
  const path = join(project, file)
  const source = readFileSync(path, 'utf8')
  if (!source.includes(text)) throw new Error(`${file} has no ${text}`)
  const times: number[] = []
  for (let edit = 1; edit <= count; edit++) {
    const edited = `${text} (edit ${edit})`
    const saved = performance.now()
    save(path, source.replace(text, edited), project)
    while (!(await isListed(client, edited))) await after(10)
    times.push(performance.now() - saved)
    await after(betweenMs)
  }
  save(path, source, project)
  return times
}

/** A kept connection may be closed by the old worker while a request is on its way: `fetch` does not send a POST again, so we do. */
async function isListed(client: AnyClient, wanted: string): Promise<boolean> {
  const listed = await client.listTools().catch((error: unknown) => {
    if (error instanceof TypeError) return { tools: [] }
    throw error
  })
  const { tools } = listed as { tools: { description?: string }[] } // as MCP has it
  return tools.some(({ description = '' }) => description.includes(wanted))
}

/** A new file takes the name of the old one, as editors save. */
function save(path: string, content: string, project: string): void {
  writeFileSync(join(project, '.saved'), content)
  renameSync(join(project, '.saved'), path)
}
