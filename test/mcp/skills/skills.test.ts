/** Skills over HTTP, in both eras, with their digests. Source: SEP-2640. */
import { createHash } from 'node:crypto'
import t, { type Test } from 'tap'
import type { TestClient } from '../../../runtime/testing.ts'
import { ask, buildTrips, type Reported } from '../prompts/trips.ts'
import { openGuarded } from '../support/guarded.ts'
import type { Era } from '../support/support.ts'
import { buildLibrary } from './library.ts'

t.setTimeout(240_000) // a busy machine

const { bundle, reviewed } = await buildLibrary()
const eras: readonly Era[] = ['legacy', 'modern']
const everything = 'books:read books:write staff'

const open = (t: Test, mcp: object = {}) =>
  openGuarded(t, bundle, { config: { mcp: { authProbe: 'people_me', ...mcp } } })

type Asks = (method: string, params?: Readonly<Record<string, unknown>>) => Promise<Reported['said']>

const asking =
  (client: TestClient, era: Era): Asks =>
  async (method, params = {}) =>
    (await ask(client, { era, method, params })).said

const sent = (era: Era): object => (era === 'legacy' ? {} : { ttlMs: 300_000, cacheScope: 'private' })

/** What a manifest says of the text that the endpoint serves at the address. */
const entryOf = (uri: string, text: string): object => ({
  uri,
  digest: `sha256:${createHash('sha256').update(text).digest('hex')}`,
  size: Buffer.byteLength(text),
})

const skillOf = (name: string, description: string, texts: ReadonlyMap<string, string>): object => ({
  uri: `skill://${name}/SKILL.md`,
  frontmatter: { name, description },
  resources: [...texts]
    .filter(([uri]) => uri.startsWith(`skill://${name}/`))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([uri, text]) => entryOf(uri, text)),
})

const aboutBooks = 'Books of the library. Use it when "somebody" looks for a book.'
const aboutLoans = 'Who has which book.'

t.test('a manifest names the file with its size and digest, and it is read', async (t) => {
  const { app, tokenOf } = await open(t)
  const client = app.client().withBearer(await tokenOf(everything))
  for (const era of eras) {
    const requests = asking(client, era)
    const [first, second] = [
      skillOf('books', aboutBooks, reviewed),
      skillOf('loan-cards', aboutLoans, reviewed),
    ]
    t.strictSame(await requests('skills/list'), { skills: [first, second], ...sent(era) }, era)
    const uri = 'skill://loan-cards/SKILL.md'
    t.strictSame(await requests('skills/get', { uri }), { skill: second, ...sent(era) }, era)
    for (const [uri, text] of reviewed)
      t.strictSame(
        await requests('resources/read', { uri }),
        { contents: [{ uri, mimeType: 'text/markdown', text }], ...sent(era) },
        `${era}: ${uri} is what was reviewed`,
      )
  }
  t.strictSame([...reviewed.keys()], ['skill://books/SKILL.md', 'skill://loan-cards/SKILL.md'])
})

t.test('the folder of each holds its file', async (t) => {
  const { app, tokenOf } = await open(t)
  const client = app.client().withBearer(await tokenOf(everything))
  const sizeOf = (uri: string): number => Buffer.byteLength(reviewed.get(uri) ?? '')
  const manifest = (name: string, description: string): object => {
    const uri = `skill://${name}/SKILL.md`
    return { uri, name, description, mimeType: 'text/markdown', size: sizeOf(uri) }
  }
  const uri = 'skill://books/SKILL.md'
  const child = { uri, name: 'SKILL.md', mimeType: 'text/markdown', size: sizeOf(uri) }
  for (const era of eras) {
    const requests = asking(client, era)
    const read = (uri: unknown): Promise<Reported['said']> => requests('resources/directory/read', { uri })
    t.strictSame(await read('skill://books'), { resources: [child], ...sent(era) }, era)
    const hall = { uri: 'library://hall', name: 'people_hall', description: 'Where they meet.' }
    t.match((await requests('resources/list')).resources, [
      hall,
      manifest('books', aboutBooks),
      manifest('loan-cards', aboutLoans),
    ])
    const wrong = ['skill://books/SKILL.md', 'skill://books/', 'skill://', 'skill://nobody', '', 7]
    for (const uri of wrong) t.equal((await read(uri)).code, -32602, `${era}: ${uri}`)
    for (const uri of ['skill://nobody/SKILL.md', 'skill://books', 'SKILL.md', null])
      t.equal((await requests('skills/get', { uri })).code, -32602, `${era}: ${uri}`)
    const missing = 'skill://books/none.md'
    const { code } = await requests('resources/read', { uri: missing })
    t.equal(code, era === 'legacy' ? -32002 : -32602)
    t.equal((await requests('skills/list', { cursor: 'x' })).code, -32602)
    t.equal((await requests('skills/list', { cursor: 7 })).code, -32602)
  }
})

t.test('pages hold whole entries', async (t) => {
  const { app, tokenOf } = await open(t, { listPageSize: 1 })
  const requests = asking(app.client().withBearer(await tokenOf(everything)), 'modern')
  const { skills, nextCursor } = await requests('skills/list')
  const next = await requests('skills/list', { cursor: nextCursor })
  t.strictSame(
    [...skills, ...next.skills],
    [skillOf('books', aboutBooks, reviewed), skillOf('loan-cards', aboutLoans, reviewed)],
  )
  t.equal(next.nextCursor, undefined)
  const wrong = await requests('resources/directory/read', { uri: 'skill://books', cursor: nextCursor })
  t.equal(wrong.code, -32602, 'a cursor is good for its own list')
})

t.test('who may not call a tool reads nothing of it', async (t) => {
  const { app, tokenOf } = await open(t)
  const client = app.client().withBearer(await tokenOf('books:read'))
  for (const era of eras) {
    const requests = asking(client, era)
    const { skills } = await requests('skills/list')
    const texts = new Map<string, string>()
    for (const { uri } of skills[0].resources)
      texts.set(uri, (await requests('resources/read', { uri })).contents[0].text)
    t.strictSame(skills, [skillOf('books', aboutBooks, texts)], `${era}: digests are those of what is read`)
    for (const [uri, text] of texts) {
      t.notMatch(text, /books_create|books_remove|Adds|Removes/, `${era}: ${uri}`)
      t.not(text, reviewed.get(uri), `${era}: ${uri} is shorter`)
      const lines = new Set(reviewed.get(uri)?.split('\n'))
      const own = text.split('\n').filter((line) => !lines.has(line))
      t.strictSame(own, [], 'lines of what was reviewed')
    }
    for (const [method, uri] of [
      ['skills/get', 'skill://loan-cards/SKILL.md'],
      ['resources/directory/read', 'skill://loan-cards'],
      ['resources/read', 'skill://loan-cards/SKILL.md'],
    ] as const)
      t.match(
        (await requests(method, { uri })).code,
        era === 'legacy' && method === 'resources/read' ? -32002 : -32602,
      )
  }
  const nothing = asking(app.client().withBearer(await tokenOf('staff')), 'modern')
  t.strictSame(
    (await nothing('skills/list')).skills.map(({ uri }: { uri: string }) => uri),
    ['skill://loan-cards/SKILL.md'],
  )
  for (const text of reviewed.values()) t.notMatch(text, /burn/i, 'a hidden tool is in no skill')
})

t.test('who has none says nothing of them', async (t) => {
  const trips = await openGuarded(t, await buildTrips(), { config: { mcp: { authProbe: 'trips_me' } } })
  const library = await open(t)
  const extensions = { 'io.modelcontextprotocol/skills': { directoryRead: true } }
  for (const [{ app, tokenOf }, expected] of [
    [library, extensions],
    [trips, undefined],
  ] as const) {
    const client = app.client().withBearer(await tokenOf('api'))
    const { capabilities } = await asking(client, 'modern')('server/discover')
    t.strictSame(capabilities.extensions, expected)
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    }
    const legacy = await asking(client, 'legacy')('initialize', params)
    t.strictSame(legacy.capabilities.extensions, expected)
  }
  const client = trips.app.client().withBearer(await trips.tokenOf('api'))
  for (const era of eras)
    for (const method of ['skills/list', 'skills/get', 'resources/directory/read'])
      t.equal((await asking(client, era)(method, { uri: 'skill://books' })).code, -32601, `${era}: ${method}`)
})
