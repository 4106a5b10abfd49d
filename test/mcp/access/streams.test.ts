/** Open streams hear when their user and client may do something else. */
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
const reportedOf = (stream: OpenedStream): number =>
  stream.text().split('"method":"notifications/tools/list_changed"').length - 1

t.test('list_changed: the streams of that user and client, once for another set', async (t) => {
  for (const isOn of [true, false]) {
    const { open, accessChanged } = serveAll(scopedApp(isOn).options)
    const streamOf = (sent: Sent, token: string) => open(withCredential(sent, token))
    const reader = tokenOf(['notes:read'])
    const own = [await streamOf(get, reader), await streamOf(listen, reader)]
    const wider = await streamOf(get, tokenOf(['notes:write']))
    const others = [
      await streamOf(get, tokenOf(['notes:read'], { user: 'dev:eve' })),
      await streamOf(listen, tokenOf(['notes:read'], { client: 'client-2' })),
      await streamOf(get, 'key'),
    ]
    const reported = () => [...own, wider, ...others].map(reportedOf)
    const granted = { userId: 'dev:ada', clientId: 'client-1' }
    accessChanged({ ...granted, scopes: ['notes:read'] })
    t.strictSame(reported(), [0, 0, 1, 0, 0, 0], 'who had the same set is not told')
    accessChanged({ ...granted, scopes: ['notes:read', 'notes:write'] })
    accessChanged({ ...granted, scopes: ['notes:write', 'notes:read'] })
    t.strictSame(reported(), [1, 1, 2, 0, 0, 0])
    accessChanged({ ...granted, scopes: [] })
    t.strictSame(reported(), [2, 2, 3, 0, 0, 0], 'less is another set too')
  }
})

t.test('list_changed: before the endpoint is loaded there is nobody to tell', async (t) => {
  const { options } = scopedApp(true)
  const mcp = createMcpServer({ ...endpointOptions(), ...options })
  t.doesNotThrow(() => mcp.accessChanged({ userId: 'dev:ada', clientId: 'client-1', scopes: [] }))
})

t.test(
  'scopes and list_changed: who comes back with another set hears at once, on any instance',
  async (t) => {
    const instance = () => serveAll(scopedApp(true).options)
    const reader = tokenOf(['notes:read'])
    const before = await instance().open(withCredential(get, reader))
    const [, lastEventId = ''] = /^id: (.*)$/m.exec(before.text()) ?? []
    const back = { ...get, headers: { ...get.headers, 'last-event-id': lastEventId } }
    t.equal(reportedOf(await instance().open(withCredential(back, reader))), 0)
    t.equal(reportedOf(await instance().open(withCredential(back, tokenOf(['notes:write'])))), 1)
  },
)
