/** Clients that we did not write ask for more by themselves, and those that cannot do with `api`. */
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client'
import t, { type Test } from 'tap'
import { freePort } from '../../support/free-port.ts'
import { answerOf, clientKinds, signedIn } from '../client-kinds.ts'
import { recordingProvider } from '../support.ts'
import { type Tick, tokensFor } from './support/consent-form.ts'
import { buildNotes } from './support/notes-app.ts'
import { Person } from './support/scripted-browser.ts'
import { newWorld, openNotes } from './support/world.ts'

t.setTimeout(180_000) // a busy machine

const root = await buildNotes()
const mcp = { authProbe: 'guests_me', resourceMetadata: (): object => ({ scopesSupported: ['api'] }) }
const all = (): boolean => true
const developer = 'dev:developer'
const api = ['notes:read', 'notes:write', 'notes:share']

/** On a real socket, until the end of the test. */
async function served(t: Test): Promise<string> {
  const port = await freePort()
  const baseUrl = `http://localhost:${port}`
  const app = await openNotes(newWorld(root), { baseUrl, mcp })
  t.teardown(app.close)
  await app.application.server.listen({ port, host: 'localhost' })
  return baseUrl
}

const shown = ({ ticks }: { readonly ticks: readonly Tick[] }): object =>
  ticks.map(({ legend, label, isTicked }) => [legend, label, isTicked])

for (const mode of ['auto', 'legacy'] as const)
  for (const through of [null, 'call_tool'])
    t.test(
      `a real client: the SDK's v2 client steps up by itself (${mode}, ${through ?? 'a direct call'})`,
      async (t) => {
        const baseUrl = await served(t)
        const person = new Person()
        const provider = recordingProvider()
        const endpoint = new URL(`${baseUrl}/mcp`)
        const unknown = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode } })
        const first = new StreamableHTTPClientTransport(endpoint, { authProvider: provider })
        await t.rejects(unknown.connect(first), UnauthorizedError)
        t.equal(provider.authorizationUrl?.searchParams.get('scope'), 'api')
        const signIn = await person.consent(provider.authorizationUrl, all)
        t.strictSame(shown(signIn.form), [
          ['It may', 'See your notes notes:read Comes with: Add and change notes', true],
          ['It may', 'Add and change notes notes:write', true],
          ['It may', 'Share notes notes:share', true],
        ])
        await first.finishAuth(signIn.callback.searchParams)

        const transport = new StreamableHTTPClientTransport(endpoint, { authProvider: provider })
        const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode } })
        await client.connect(transport)
        t.teardown(() => client.close())
        const call = async (name: string): Promise<object> => {
          const inner = { name, arguments: {} }
          return answerOf(
            await client.callTool(through === null ? inner : { name: through, arguments: inner }),
          )
        }
        const ran = (did: string, scopes: readonly string[]): object => ({
          structured: { did, by: developer, scopes },
          isError: false,
        })
        t.strictSame(await call('notes_create'), ran('notes_create', api))
        const before = (await provider.tokens())?.access_token

        await t.rejects(call('notes_clear'), UnauthorizedError)
        t.equal(provider.authorizationUrl?.searchParams.get('scope'), 'api notes:delete')
        const stepUp = await person.consent(provider.authorizationUrl, all)
        t.strictSame(shown(stepUp.form), [
          ['New: it may, only if you tick it', 'Delete notes notes:delete New', false],
          [
            'Already allowed',
            'See your notes notes:read Already allowed Comes with: Add and change notes',
            true,
          ],
          ['Already allowed', 'Add and change notes notes:write Already allowed', true],
          ['Already allowed', 'Share notes notes:share Already allowed', true],
        ])
        await transport.finishAuth(stepUp.callback.searchParams)
        t.strictSame(await call('notes_clear'), ran('notes_clear', [...api, 'notes:delete']))
        t.equal((await provider.tokens())?.scope, 'api notes:delete')

        const old = await fetch(`${baseUrl}/notes/all`, {
          method: 'DELETE',
          headers: { authorization: `Bearer ${before}` },
        })
        t.equal(old.status, 403, 'a token keeps what it had')
      },
    )

for (const kind of clientKinds)
  t.test(`${kind.name} works with api`, async (t) => {
    const baseUrl = await served(t)
    const { client } = await signedIn(kind, baseUrl)
    t.teardown(() => client.close())
    const { tools } = await client.listTools()
    t.strictSame(
      tools.map(({ name }) => name),
      ['list_toolboxes', 'open_toolbox', 'find_tools', 'call_read_only', 'call_tool'],
    )
    for (const did of ['notes_index', 'notes_create', 'notes_move']) {
      const answer = await client.callTool({ name: did, arguments: {} })
      t.strictSame(answerOf(answer), { structured: { did, by: developer, scopes: api }, isError: false })
    }
  })

t.test('a client that ignores challenges works with api', async (t) => {
  const app = await openNotes(newWorld(root), { mcp })
  t.teardown(app.close)
  const browser = app.client()
  await browser.signIn()
  const { access, scope } = await tokensFor(browser)
  t.equal(scope, 'api')
  const client = browser.withBearer(access)
  await t.rejects(client.tool('notes_clear'), /403/)
  const { structuredContent } = await client.tool('notes_move')
  t.strictSame(structuredContent, { did: 'notes_move', by: developer, scopes: api })
})
