/** The core knows no capability by name: where its files speak of one all the same, and why. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { capabilityWords } from './support/capability-words.ts'

/** How many lines of which files of the core, by capability and room; and why they are there. */
type Spoken = Readonly<Record<string, Readonly<Record<string, RoomLines>>>>

interface RoomLines {
  readonly why: string
  readonly files: Readonly<Record<string, number>>
}

const committed = 'test/core-words.json'

const core = ['cli', 'runtime'].flatMap((side) =>
  readdirSync(side, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('capabilities/'))
    .map((file) => join(side, file).replaceAll('\\', '/'))
    .sort(),
)

const linesOf = new Map(core.map((file) => [file, readFileSync(file, 'utf8').split('\n')]))

/** `runtime/mcp/calls/x.ts` is of `runtime/mcp`. */
const roomOf = (file: string): string => file.split('/').slice(0, 2).join('/')

function spokenIn(known: Spoken): Spoken {
  const words = Object.entries(capabilityWords).map(([name, word]) => {
    const rooms: Record<string, { why: string; files: Record<string, number> }> = {}
    for (const [file, lines] of linesOf) {
      const count = lines.filter((line) => word.test(line)).length
      if (count === 0) continue
      const room = roomOf(file)
      rooms[room] ??= { why: known[name]?.[room]?.why ?? '', files: {} }
      rooms[room].files[file] = count
    }
    return [name, rooms] as const
  })
  return Object.fromEntries(words.filter(([, rooms]) => Object.keys(rooms).length > 0))
}

t.test('each folder of capabilities has its words', async (t) => {
  const folders = ['cli', 'runtime'].flatMap((side) =>
    readdirSync(`${side}/capabilities`, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name),
  )
  t.strictSame(Object.keys(capabilityWords), [...new Set(folders)].sort())
})

t.test(
  'the core speaks of capabilities where the list says, each with its reason, and nowhere else',
  async (t) => {
    const known: Spoken = JSON.parse(readFileSync(committed, 'utf8'))
    const spoken = spokenIn(known)
    if (process.env.ACMCP_UPDATE_GOLDEN === '1')
      writeFileSync(committed, `${JSON.stringify(spoken, null, 2)}\n`)
    t.strictSame(
      spoken,
      known,
      'fewer: ACMCP_UPDATE_GOLDEN=1 writes it anew; more: the line belongs into the folder',
    )
    for (const [name, rooms] of Object.entries(known))
      for (const [room, { why }] of Object.entries(rooms)) t.not(why, '', `${name} in ${room}`)
  },
)
