/** The complete flow over real sockets with MCP clients that we did not write. Source: rules.md, OAuth sign-in flow. */
import t from 'tap'
import { answerOf, clientKinds, listOf } from './client-kinds.ts'
import { allowInBrowser, Browser, recordingProvider, serveExample } from './support.ts'

const developer = { id: 'dev:developer', name: 'Developer', email: 'developer@localhost' }

for (const kind of clientKinds) {
  t.test(
    `spec, What the service does 4 and OAuth sign-in flow 1 to 2: ${kind.name} signs in, lists, calls and refreshes an expired token`,
    async (t) => {
      const { application, baseUrl, advance } = await serveExample()
      t.teardown(application.close)
      const endpoint = new URL(`${baseUrl}/mcp`)
      const provider = recordingProvider()
      const refused = await kind.connect(endpoint, provider, null).catch((error: unknown) => error)
      t.ok(refused instanceof kind.unauthorized)
      const { authorizationUrl } = provider
      if (authorizationUrl === null) throw new Error('the client did not send the user to sign in')
      t.equal(authorizationUrl.origin + authorizationUrl.pathname, `${baseUrl}/oauth/authorize`)
      t.equal(authorizationUrl.searchParams.get('resource'), `${baseUrl}/mcp`)

      const callback = await allowInBrowser(new Browser(), authorizationUrl)
      t.equal(callback.searchParams.get('state'), 'some state')
      t.equal(callback.searchParams.get('iss'), baseUrl)

      const client = await kind.connect(endpoint, provider, callback)
      t.teardown(() => client.close())
      const { tools } = await client.listTools()
      t.strictSame(
        tools.map((tool) => tool.name),
        ['users_current', 'list_toolboxes', 'open_toolbox', 'find_tools', 'call_read_only', 'call_tool'],
      )
      const current = await client.callTool({ name: 'users_current', arguments: {} })
      t.strictSame(answerOf(current), { structured: developer, isError: false })

      const added = await client.callTool({ name: 'notes_create', arguments: { text: 'first' } })
      t.strictSame(listOf(answerOf(added).structured), ['first'])
      const again = await client.callTool({
        name: 'call_tool',
        arguments: { name: 'notes_create', arguments: { text: 'second' } },
      })
      t.strictSame(listOf(answerOf(again).structured), ['first', 'second'])
      const listed = await client.callTool({
        name: 'call_read_only',
        arguments: { name: 'notes_index', arguments: {} },
      })
      t.strictSame(listOf(answerOf(listed).structured), ['first', 'second'])

      t.equal(provider.refreshes, 0)
      advance(3601)
      const refreshed = await client.callTool({ name: 'notes_index', arguments: {} })
      t.strictSame([listOf(answerOf(refreshed).structured), provider.refreshes], [['first', 'second'], 1])
    },
  )
}
