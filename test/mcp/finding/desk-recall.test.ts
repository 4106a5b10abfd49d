/** Whether the help desk's tools are found by queries that its author has not seen (`npm run bench:find` has the figures). */
import t from 'tap'
import { compileDesk, readDeskRequests, recallOf } from '../../bench/mcp/discovery/desk-recall.ts'
import { call, serve } from '../support/support.ts'

t.setTimeout(120_000)

t.test(
  'discovery by words: of the queries held out, nine in ten find what they mean among five tools',
  async (t) => {
    const catalogue = compileDesk()
    const routes = new Map(
      catalogue.tools.map(({ route }) => [route, { verb: 'GET', path: `/${route}` }] as const),
    )
    const app = serve({ catalogue, routes })
    const find = async (query: string): Promise<readonly string[]> => {
      const { structuredContent } = await call(app, 'modern', 'find_tools', { query })
      return structuredContent.tools.map(({ name }: { readonly name: string }) => name)
    }
    const { tuning, heldOut } = readDeskRequests()
    const known = new Set(catalogue.tools.map(({ name }) => name))
    const meant = [...tuning, ...heldOut].flatMap(({ tools }) => tools)
    t.strictSame([tuning.length, heldOut.length], [104, 104])
    t.strictSame(
      meant.filter((name) => !known.has(name)),
      [],
      'tools that there are',
    )
    const { five, missed } = await recallOf(heldOut, ({ query }) => query, find)
    t.ok(five >= 0.9, `${five}: ${missed.map(({ text }) => text)}`)
  },
)
