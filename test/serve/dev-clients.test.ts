/** `acmcp dev` among MCP clients that ask on while one edit follows the other. */
import { setTimeout as after } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import t from 'tap'
import { save, startDev } from './support/dev-process.ts'

t.setTimeout(240_000) // a busy machine

const file = 'app/controllers/notes.ts'
const notes = (edit: string): string => `import { Controller } from 'acmcp'

/** Notes. @base /api/notes */
export class Notes extends Controller {
  /**
   * Lists notes, ${edit}.
   *
   * @get /
   * @mcp root
   */
  index(): string {
    return '${edit}'
  }
}
`

t.test(
  'five clients meet no end of a connection while edits follow each other, one of them with a mistake',
  async (t) => {
    const dev = await startDev(t, { [file]: notes('edit 0') })
    await dev.until('MCP endpoint')
    const clients = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const client = new Client({ name: 'asks on', version: '1' }, { versionNegotiation: { mode: 'auto' } })
        await client.connect(new StreamableHTTPClientTransport(new URL(`${dev.baseUrl}/mcp`)))
        return client
      }),
    )
    const seen = clients.map(() => '')
    const failures: unknown[] = []
    let isOver = false
    const work = clients.map(async (client, at) => {
      while (!isOver) {
        await client.callTool({ name: 'notes_index', arguments: {} }).then(
          ({ content }) => {
            seen[at] = JSON.stringify(content)
          },
          (error: Error) => failures.push([error.message, error.cause]),
        )
        await after(Math.random() * 200)
      }
    })
    const allSee = async (edit: string): Promise<void> => {
      while (failures.length === 0 && seen.some((text) => !text.includes(edit))) await after(20)
    }
    await allSee('edit 0')
    for (const [index, edits] of [
      ['1', '2', '3'],
      ['4', 'mistake', '5'],
    ].entries()) {
      for (const edit of edits) {
        save(
          dev.root,
          file,
          edit === 'mistake' ? notes(edit).replace('string {', 'strin {') : notes(`edit ${edit}`),
        )
        if (index === 0)
          await after(50) // faster than a build
        else if (edit === 'mistake') await dev.until('strin')
        else await allSee(`edit ${edit}`)
      }
      await allSee(`edit ${edits.at(-1)}`)
    }
    isOver = true
    await Promise.all(work)
    t.strictSame(failures, [])
    await Promise.all(clients.map((client) => client.close()))
  },
)
