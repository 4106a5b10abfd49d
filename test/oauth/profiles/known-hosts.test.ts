/** Known clients in both profiles, from the 401 to the second call with a refreshed token, and the page that is made of it.
 *  `ACMCP_UPDATE_GOLDEN=1` writes the table of the page anew. */
import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import type { KnownHost, Way } from '../../../cli/capabilities/doctor/hosts/host.ts'
import { hostsByReach, knownHosts } from '../../../cli/capabilities/doctor/hosts/known-hosts.ts'
import { profiles } from '../../../runtime/oauth/profile.ts'
import { clientEntries } from '../../../templates/pages/clients.ts'
import { openDocumentHost } from '../support/document-host.ts'
import { replay, replayServer, type StepName, stepNames, yes } from '../support/replay.ts'

t.setTimeout(120_000)

type ProfileName = keyof typeof profiles

const clients = knownHosts.flatMap((host) => host.ways.map((way) => ({ host, way })))
const labels = { registration: 'registers itself', document: 'by its document', hand: 'by hand' } as const

const labelOf = ({ by, of }: Way): string => (of === null ? labels[by] : `${labels[by]}, ${of}`)
const rowOf = (host: KnownHost, way: Way): string =>
  way.by === 'hand' && way.of === null
    ? `${host.name} ${labels.hand}, ${way.authentication}`
    : `${host.name} ${labelOf(way)}`

interface Replayed {
  readonly found: readonly (readonly string[])[]
  /** At the address of the endpoint, as a browser gets it. */
  readonly page: string
}

/** The clients of the page with an obstacle, and the first setting that its line names. */
const obstacles = (page: string): readonly string[] =>
  page.split('<label ').flatMap((tab) => {
    const [, client] = /^[^>]*>([^<]+)</.exec(tab) ?? []
    const [, setting] = /<strong>[^<]*?(oauth\.\w+)/.exec(tab) ?? []
    return setting === undefined ? [] : [`${client}: ${setting}`]
  })

/** The same by what their ways came to: those that `compatible` takes and this server refuses. */
function refusedWays(rows: Table, profile: ProfileName): readonly string[] {
  const isTaken = (of: ProfileName, place: number): boolean =>
    rows[of][place]?.length === stepNames.length && rows[of][place]?.at(-1) === yes
  const refused = clients.flatMap(({ host, way }, place) =>
    isTaken('compatible', place) && !isTaken(profile, place)
      ? [`${host.name}: oauth.${way.by === 'hand' ? 'confidentialClients' : 'profile'}`]
      : [],
  )
  return [...new Set(refused)].sort()
}

/** The table host × profile × step: of each client what each step came to, as far as it came. */
type Table = Readonly<Record<ProfileName, readonly (readonly string[])[]>>

async function replayAll(profile: ProfileName): Promise<Replayed> {
  const documents = await openDocumentHost()
  t.teardown(documents.close)
  const baseUrl = await replayServer(t, profile, documents)
  const found: (readonly string[])[] = []
  for (const { host, way } of clients) found.push(await replay({ baseUrl, host, way, documents }))
  const headers = { accept: 'text/html' }
  return { found, page: await (await fetch(`${baseUrl}/mcp`, { headers })).text() }
}

const onlySafe = 'redirect_uris must be https, or http on loopback, without a fragment'
const onlyOurs = 'grant_types may only be authorization_code and refresh_token'
const noSecrets = 'no clients with a secret'

/** Where each client that does not come in stops; all others take every step in both profiles. */
const stops: Readonly<Record<ProfileName, Readonly<Record<string, readonly [StepName, string]>>>> = {
  specification: {
    'Cursor registers itself, to 3.23': ['client', `invalid_client_metadata: ${onlySafe}`],
    'Claude registers itself, asking for a secret': ['authorization', 'invalid_scope'],
    'Claude registers itself, asking for none': ['client', `invalid_client_metadata: ${onlyOurs}`],
    'Claude by its document': ['authorization', 'invalid_scope'],
    'Perplexity by hand, client_secret_post': ['client', noSecrets],
    'Perplexity by hand, client_secret_basic': ['client', noSecrets],
    'Copilot Studio by hand, manual OAuth': ['client', noSecrets],
  },
  compatible: {
    'Copilot Studio by hand, manual OAuth': ['authorization', 'invalid_request: PKCE with S256 is required'],
  },
}

const expected = (profile: ProfileName): readonly (readonly string[])[] =>
  clients.map(({ host, way }) => {
    const [step, reason] = stops[profile][rowOf(host, way)] ?? [null, '']
    const place = step === null ? -1 : stepNames.indexOf(step)
    const taken = stepNames.slice(0, place === -1 ? stepNames.length : place).map(() => yes)
    return place === -1 ? taken : [...taken, reason]
  })

/** The columns of the page, each with the last step that it stands for. */
const columns: readonly (readonly [string, StepName])[] = [
  ['registers', 'client'],
  ['signs in', 'token'],
  ['stays signed in', 'call after that'],
  ['lists', 'list'],
  ['calls', 'call'],
]

const elicitations = {
  'not published': 'not published',
  none: 'none',
  form: 'forms',
  'form and url': 'forms',
}

function pageTable({ specification, compatible }: Table): string {
  const head = ['client', 'becomes known', ...columns.map(([name]) => name), 'questions', 'approval']
  const rows = clients.map(({ host, way }, place) => {
    const takes = (found: readonly (readonly string[])[], step: StepName): boolean =>
      found[place]?.[stepNames.indexOf(step)] === yes
    const cells = columns.map(([, step]) => {
      if (takes(specification, step)) return 'yes'
      return takes(compatible, step) ? '`compatible`' : 'no'
    })
    const { elicitation, revision } = host
    const asks = elicitation === 'form and url' && revision === '2026-07-28'
    const approval = asks ? 'its own question' : 'link'
    return [host.name, labelOf(way), ...cells, elicitations[elicitation], approval]
  })
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`)
  return [...new Set(lines)].join('')
}

t.test('known clients: each step of each client in each profile, and the table of the page', async (t) => {
  const replayed = {
    specification: await replayAll('specification'),
    compatible: await replayAll('compatible'),
  }
  const found: Table = {
    specification: replayed.specification.found,
    compatible: replayed.compatible.found,
  }
  for (const profile of Object.keys(profiles) as ProfileName[]) {
    const shown = (rows: readonly (readonly string[])[]): readonly string[] =>
      rows.map((steps, place) => {
        const { host, way } = clients[place] ?? {}
        const cells = steps.map((outcome, at) => `${stepNames[at]} ${outcome}`)
        return `${host && way ? rowOf(host, way) : ''} | ${cells.join(' | ')}`
      })
    t.strictSame(shown(found[profile]), shown(expected(profile)), profile)
    t.strictSame(
      [...obstacles(replayed[profile].page)].sort(),
      refusedWays(found, profile),
      'the connect page',
    )
    for (const line of shown(found[profile])) t.comment(`${profile} | ${line}`)
  }
  const page = 'templates/docs/clients.md'
  const text = readFileSync(page, 'utf8')
  const now = text.replace(/^\| client \| becomes known.*\n(?:\|.*\n)*/m, pageTable(found))
  if (process.env.ACMCP_UPDATE_GOLDEN === '1') writeFileSync(page, now)
  t.equal(text, now, `${page} says what the clients came to`)
})

t.test(
  'each way lists its redirect address, and answers of ours reach the model of each client',
  async (t) => {
    const withoutPort = (uri: string): string => uri.replace(/^(http:\/\/[^:/]+):\d+/, '$1')
    for (const { host, way } of clients) {
      const listed = way.by === 'hand' ? way.redirectUris : way.metadata.redirect_uris
      t.ok(listed.map(withoutPort).includes(withoutPort(way.redirectUri)), rowOf(host, way))
      t.ok(host.answerCharacters === 'not published' || host.answerCharacters >= 48_000, host.name)
    }
  },
)

t.test(
  'the connect page has a tab for each known client, and knows which of them are in the cloud',
  async (t) => {
    const address = 'http://localhost:3000/mcp'
    const tabs = clientEntries({ name: 'notes', address, isOpen: false, admits: null })
    const clientsOf = (entries: typeof tabs): readonly string[] => entries.map(({ client }) => client).sort()
    const namesOf = (hosts: readonly KnownHost[]): readonly string[] => hosts.map(({ name }) => name).sort()
    t.strictSame(clientsOf(tabs.filter(({ client }) => client !== 'curl')), namesOf(knownHosts))
    const { far } = hostsByReach(new URL(address))
    t.strictSame(clientsOf(tabs.filter(({ steps }) => steps.includes('does not reach'))), namesOf(far))
  },
)
