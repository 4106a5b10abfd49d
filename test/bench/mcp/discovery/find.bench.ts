/** `npm run bench:find [-- --missed]`: whether `find_tools` finds what people ask of the help desk, and what finding costs a client of
 *  500 generated routes. Queries are what a model searches for, requests what its user said; one half of the pairs is for tuning,
 *  the other is held out. */
import { createFind } from '../../../../runtime/mcp/finding/find-tools.ts'
import { compileBoxes } from '../../../mcp/support/boxes.ts'
import { type App, message, serve } from '../../../mcp/support/support.ts'
import { commonRequests, commonTools } from './common-requests.ts'
import { compileDesk, type DeskRequest, readDeskRequests, recallOf } from './desk-recall.ts'

const showsMissed = process.argv.includes('--missed')
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`

const { tools } = compileDesk()
const find = createFind(tools, [])
const names = async (query: string): Promise<readonly string[]> => find(query).tools.map(({ name }) => name)
const { tuning, heldOut } = readDeskRequests()
console.log(`desk: ${tools.length} tools, ${tuning.length + heldOut.length} pairs`)
for (const [half, requests] of [
  ['tuning', tuning],
  ['held out', heldOut],
] as const) {
  for (const [kind, textOf] of [
    ['queries', (request: DeskRequest) => request.query],
    ['requests', (request: DeskRequest) => request.request],
  ] as const) {
    const { first, five, missed } = await recallOf(requests, textOf, names)
    console.log(`${half}, ${kind} (${requests.length}): recall@1 ${percent(first)}, @5 ${percent(five)}`)
    if (showsMissed && half === 'tuning')
      for (const item of missed) console.log(`  ${item.tools} <- ${item.text}`)
  }
}

const findCommon = createFind(commonTools, [])
const places = commonRequests.map(([text, ...meant]) =>
  findCommon(text).tools.findIndex(({ name }) => meant.includes(name)),
)
const firsts = places.filter((place) => place === 0).length
const fives = places.filter((place) => place >= 0).length
console.log(
  `common words, ${commonTools.length} tools: of ${places.length} queries ${firsts} first, ${fives} among five`,
)

const boxes = compileBoxes()
const routes = new Map(boxes.tools.map(({ route }) => [route, { verb: 'GET', path: `/${route}` }] as const))
const app = serve({ catalogue: boxes, routes })
const requested = async (to: App, name: string, args: object): Promise<string> =>
  (await to(message('modern', 'tools/call', { name, arguments: args }))).text
const size = (text: string): string =>
  `${Buffer.byteLength(text)} bytes, about ${Math.ceil(text.length / 4)} tokens`
const query = 'remove a thing from box 37'
console.log(`${boxes.tools.length} generated routes`)
console.log(`first list: ${size((await app(message('modern', 'tools/list'))).text)}`)
console.log(
  `everything flat: ${size((await app({ ...message('modern', 'tools/list'), url: '/mcp?toolboxes=all' })).text)}`,
)
console.log(`an opened toolbox: ${size(await requested(app, 'open_toolbox', { name: 'box37' }))}`)
const before = performance.now()
const found = await requested(app, 'find_tools', { query })
const first = performance.now() - before
console.log(`a find: ${size(found)}; the first, which counts the words, ${first.toFixed(1)} ms`)
const rounds = 500
const start = performance.now()
for (const { summary } of boxes.tools.slice(0, rounds)) await requested(app, 'find_tools', { query: summary })
console.log(`each further one, answer included: ${((performance.now() - start) / rounds).toFixed(2)} ms`)
const again = await requested(serve({ catalogue: boxes, routes }), 'find_tools', { query })
console.log(`another instance gives the same bytes: ${again === found}`)
const reached = await Promise.all(
  boxes.tools.map(async ({ name, summary }) =>
    (await requested(app, 'find_tools', { query: summary })).includes(`"${name}"`),
  ),
)
console.log(
  `routes that one find and one call reach by their first sentence: ${reached.filter(Boolean).length}`,
)
