/** Clients that we did not write: the SDK's version 2 steps up by itself, version 1 works with what it has. */
import t from 'tap'
import { answerOf, clientKinds, signedIn } from '../../flow/client-kinds.ts'
import { allowInBrowser, Browser } from '../../flow/support.ts'
import { freePort } from '../../support/free-port.ts'
import { buildGuarded, openGuarded } from '../support/guarded.ts'

t.setTimeout(240_000) // a busy machine

const bundle = await buildGuarded()

/** The application at an address of its own, whose clients ask for these scopes at first. */
async function served(
  t: { teardown(clean: () => Promise<void>): void },
  scopesSupported: readonly string[],
): Promise<string> {
  const port = await freePort()
  const baseUrl = `http://localhost:${port}`
  const resourceMetadata = () => ({ authorizationServers: [baseUrl], scopesSupported })
  const { app } = await openGuarded(t, bundle, { baseUrl, config: { mcp: { resourceMetadata } } })
  await app.application.server.listen({ port, host: 'localhost' })
  return baseUrl
}

interface Listed {
  readonly tools: readonly { readonly name: string }[]
}

const namesOf = ({ tools }: Listed): readonly string[] => tools.map(({ name }) => name)
const song = { name: 'songs_create', arguments: { title: 'new' } }

for (const kind of clientKinds.filter(({ name }) => name.includes('v2'))) {
  t.test(`step-up: ${kind.name} asks for more by itself, and makes the same call`, async (t) => {
    const baseUrl = await served(t, ['songs:read'])
    const { client, provider } = await signedIn(kind, baseUrl)
    t.equal((await provider.tokens())?.scope, 'songs:read')
    const reported = answerOf(await client.callTool({ name: 'list_toolboxes', arguments: {} })).structured
    t.match(reported, { morePermission: [{ scope: 'songs:write', tools: ['songs_create', 'songs_delete'] }] })
    await t.rejects(client.callTool(song), kind.unauthorized)
    const requested = provider.authorizationUrl
    t.equal(requested?.searchParams.get('scope'), 'songs:read songs:write')
    if (requested === null) throw new Error('nobody was asked')
    const callback = await allowInBrowser(new Browser(), requested)
    const again = await kind.connect(new URL(`${baseUrl}/mcp`), provider, callback)
    t.strictSame(answerOf(await again.callTool(song)), { structured: { title: 'new' }, isError: false })
    t.equal((await provider.tokens())?.scope, 'songs:read songs:write')
    await client.close()
    await again.close()
  })
}

for (const kind of clientKinds) {
  t.test(`api: ${kind.name} works with what api stands for`, async (t) => {
    const { client } = await signedIn(kind, await served(t, ['api']))
    t.ok(namesOf(await client.listTools()).includes('call_tool'))
    t.strictSame(answerOf(await client.callTool(song)), { structured: { title: 'new' }, isError: false })
    const closed = { name: 'call_tool', arguments: { name: 'charts_decide', arguments: { first: 'a' } } }
    t.equal(
      answerOf(await client.callTool(closed)).isError,
      true,
      'what its user cannot have is a failed call',
    )
    await client.close()
  })
}
