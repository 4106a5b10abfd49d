/** Open streams hear when their user and client may do something else. Source: issue 15, MCP. */
import t from 'tap'
import { createMcpServer } from '../../../runtime/mcp/server.ts'
import { scopedApp, tokenOf, withCredential } from '../support/scoped.ts'
import { endpointOptions, message, type OpenedStream, type Sent, serveAll } from '../support/support.ts'

const get: Sent = {
  method: 'GET',
  headers: { accept: 'text/event-stream', 'mcp-protocol-version': '2025-11-25' },
}
const listen = message('modern', 'subscriptions/listen', { notifications: { toolsListChanged: true } })

/** How often the stream was told that the list has changed. */
const toldOf = (stream: OpenedStream): number =>
  stream.text().split('"method":"notifications/tools/list_changed"').length - 1

t.test('issue 15, list_changed: the streams of that user and client, once for another set', async (t) => {
  for (const isOn of [true, false]) {
    for (const isSdkOnly of [false, true]) {
      const { open, accessChanged } = serveAll(scopedApp(isOn, { isSdkOnly }).options)
      const streamOf = (sent: Sent, token: string) => open(withCredential(sent, token))
      const reader = tokenOf(['notes:read'])
      const modern = isSdkOnly ? get : listen // the SDK's own subscriptions are not ours to tell
      const own = [await streamOf(get, reader), await streamOf(modern, reader)]
      const others = [
        await streamOf(get, tokenOf(['notes:read'], { user: 'dev:eve' })),
        await streamOf(modern, tokenOf(['notes:read'], { client: 'client-2' })),
        await streamOf(get, tokenOf(['notes:write'])),
        await streamOf(get, 'key'),
      ]
      const granted = { userId: 'dev:ada', clientId: 'client-1' }
      accessChanged({ ...granted, scopes: ['notes:read'] })
      t.strictSame(own.map(toldOf), [0, 0], 'the same set')
      accessChanged({ ...granted, scopes: ['notes:read', 'notes:write'] })
      accessChanged({ ...granted, scopes: ['notes:write', 'notes:read'] })
      t.strictSame(
        [own.map(toldOf), others.map(toldOf)],
        [
          [1, 1],
          [0, 0, 0, 0],
        ],
      )
      accessChanged({ ...granted, scopes: [] })
      t.strictSame(
        [own.map(toldOf), others.map(toldOf)],
        [
          [2, 2],
          [0, 0, 1, 0],
        ],
        'less is another set too',
      )
    }
  }
})

t.test('issue 15, list_changed: before the endpoint is loaded there is nobody to tell', async (t) => {
  const { options } = scopedApp(true)
  const mcp = createMcpServer({ ...endpointOptions(), ...options })
  t.doesNotThrow(() => mcp.accessChanged({ userId: 'dev:ada', clientId: 'client-1', scopes: [] }))
})

t.test(
  'issue 15, list_changed: who comes back with another set hears at once, on any instance',
  async (t) => {
    const instance = () => serveAll(scopedApp(true).options)
    const reader = tokenOf(['notes:read'])
    const before = await instance().open(withCredential(get, reader))
    const [, lastEventId = ''] = /^id: (.*)$/m.exec(before.text()) ?? []
    const back = { ...get, headers: { ...get.headers, 'last-event-id': lastEventId } }
    t.equal(toldOf(await instance().open(withCredential(back, reader))), 0)
    t.equal(toldOf(await instance().open(withCredential(back, tokenOf(['notes:write'])))), 1)
  },
)
