/** Known clients in both profiles, from the 401 to the second call with a refreshed token, and the page that is made of it.
 *  `ACMCP_UPDATE_GOLDEN=1` writes the table of the page anew. */
import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import type { Host } from '../../../cli/doctor/hosts/host.ts'
import { knownHosts } from '../../../cli/doctor/hosts/known-hosts.ts'
import type { ProfileName } from '../../../runtime/oauth/profile.ts'
import { openDocumentHost } from '../support/document-host.ts'
import { publicServer, type Replayed, replay, stepNames } from '../support/replay.ts'

t.setTimeout(120_000)

const page = 'templates/docs/clients.md'
const columns = ['registers', 'signs in', 'stays signed in', 'lists', 'calls'] as const
const ways = { registration: 'registers itself', document: 'by its document', hand: 'by hand' } as const

async function outcomes(profile: ProfileName): Promise<readonly Replayed[]> {
  const documents = await openDocumentHost()
  t.teardown(documents.close)
  const application = await publicServer(t, profile, documents)
  const found: Replayed[] = []
  for (const host of knownHosts)
    for (const way of host.ways) found.push(await replay(application, { host, way, documents }))
  return found
}

const isThrough = ({ steps }: Replayed): boolean => stepNames.every((name) => steps[name] === 'yes')

/** Why somebody did not come in, with the client and the step. */
const refusals = (found: readonly Replayed[]): readonly string[] =>
  found
    .filter((one) => !isThrough(one))
    .map(({ host, way, steps }) => `${host}, ${way}: ${Object.entries(steps).at(-1)?.join(' ')}`)

function tableOf(specification: readonly Replayed[], compatible: readonly Replayed[]): string {
  const head = ['client', 'becomes known', ...columns, 'questions', 'approval']
  const rows = compatible.map((wide, place) => {
    const cells = columns.map((step) => {
      if (specification[place]?.steps[step] === 'yes') return 'yes'
      return wide.steps[step] === 'yes' ? '`compatible`' : (wide.steps[step] ?? 'not tried')
    })
    const { asksQuestions } = knownHosts.find(({ name }) => name === wide.host) as Host // it was replayed
    const questions = asksQuestions === true ? 'forms' : 'not published'
    return [wide.host, ways[wide.way], ...cells, questions, 'link']
  })
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

t.test('known clients: who comes in, in each profile, and where the others stop', async (t) => {
  const specification = await outcomes('specification')
  const compatible = await outcomes('compatible')
  t.strictSame(refusals(specification), [
    'Cursor, registration: registers invalid_client_metadata (400)',
    'Claude, registration: signs in invalid_scope (400)',
    'Claude, registration: registers invalid_client_metadata (400)',
    'Claude, document: signs in invalid_scope (400)',
    'Perplexity, hand: registers only by hand',
  ])
  t.strictSame(refusals(compatible), ['Perplexity, hand: registers only by hand'])
  const text = readFileSync(page, 'utf8')
  const table = /^\| client \|.*\n(?:\|.*\n)*/m
  const now = text.replace(table, tableOf(specification, compatible))
  if (process.env.ACMCP_UPDATE_GOLDEN === '1') writeFileSync(page, now)
  t.equal(text, now, `${page} says what the clients came to`)
})

t.test('each record names its sources, and a redirect address that it registers', async (t) => {
  for (const { name, sources, ways: all, redirectUri } of knownHosts) {
    t.not(sources.length, 0, name)
    for (const way of all) {
      const listed = way.by === 'hand' ? way.redirectUris : Object(way.metadata).redirect_uris
      const withoutPort = (uri: string): string => uri.replace(/^(http:\/\/[^:/]+):\d+/, '$1')
      t.ok(listed.map(withoutPort).includes(withoutPort(redirectUri)), `${name}, ${way.by}`)
    }
  }
})
