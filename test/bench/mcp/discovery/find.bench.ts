/** `npm run bench:find [-- --missed]`: whether `find_tools` finds what people ask of the help desk, and what finding costs a client of
 *  500 generated routes. Queries are what a model searches for, requests what its user said; one half of the pairs is for tuning,
 *  the other is held out. */
import { createFind } from '../../../../runtime/mcp/finding/find-tools.ts'
import { compileDesk, type DeskRequest, readDeskRequests, recallOf } from './desk-recall.ts'

const showsMissed = process.argv.includes('--missed')
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`

const { tools } = compileDesk()
const find = createFind(tools, [])
const names = async (query: string): Promise<readonly string[]> => find(query).tools.map(({ name }) => name)
const { tuning, heldOut } = readDeskRequests()
const uninformed = heldOut.filter(({ isInformed }) => !isInformed)
console.log(`desk: ${tools.length} tools, ${tuning.length + heldOut.length} pairs`)
for (const [half, requests] of [
  ['tuning', tuning],
  ['held out', heldOut],
  ['held out, written before any name was known', uninformed],
] as const) {
  for (const [kind, textOf] of [
    ['queries', (one: DeskRequest) => one.query],
    ['requests', (one: DeskRequest) => one.request],
  ] as const) {
    const { first, five, missed } = await recallOf(requests, textOf, names)
    console.log(`${half}, ${kind} (${requests.length}): recall@1 ${percent(first)}, @5 ${percent(five)}`)
    if (showsMissed && half === 'tuning')
      for (const one of missed) console.log(`  ${one.tools} <- ${one.text}`)
  }
}
