/** `npm run bench:streams [streams]`: the heap that an open stream costs, in either era, without and with the request log;
 *  exit code 1 above 6 KiB. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { buildApplication } from './mcp-app.ts'
import { ask, startTarget } from './mcp-process.ts'

const [streams = '1000'] = process.argv.slice(2)
const limitKiB = 6
const head = ['Host: 127.0.0.1', 'Authorization: Bearer bench', 'Accept: application/json, text/event-stream']
const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
const params = { notifications: { toolsListChanged: true }, _meta }
const listen = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params })
const requests = {
  'GET, 2025-11-25': `GET /mcp HTTP/1.1\r\n${[...head, 'MCP-Protocol-Version: 2025-11-25'].join('\r\n')}\r\n\r\n`,
  'subscriptions/listen, 2026-07-28': [
    'POST /mcp HTTP/1.1',
    ...head,
    'Content-Type: application/json',
    'MCP-Protocol-Version: 2026-07-28',
    'Mcp-Method: subscriptions/listen',
    `Content-Length: ${listen.length}`,
    '',
    listen,
  ].join('\r\n'),
}

const folder = buildApplication(1)
for (const [name, request] of Object.entries(requests)) {
  for (const log of ['no log', 'log']) await measure(`${name}, ${log}`, request, log)
}

async function measure(name: string, request: string, log: string): Promise<void> {
  const { child, port } = await startTarget(folder, log)
  await Promise.all((await openAll(port, request, 100)).map(close)) // what is made once is made now
  const before = await ask(child, 'heap')
  const sockets = await openAll(port, request, Number(streams))
  const kib = ((await ask(child, 'heap')) - before) / sockets.length / 1024
  const measured = `${kib.toFixed(2)} KiB of heap for each of ${sockets.length} open streams`
  process.stdout.write(`${kib > limitKiB ? 'FAIL' : 'pass'} ${name}: ${measured} (at most ${limitKiB})\n`)
  if (kib > limitKiB) process.exitCode = 1
  for (const socket of sockets) socket.destroy()
  child.disconnect()
}

function openAll(port: number, request: string, count: number): Promise<readonly Socket[]> {
  return Promise.all(Array.from({ length: count }, () => open(port, request)))
}

async function open(port: number, request: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.write(request)
  const [answer] = await once(socket, 'data')
  if (!String(answer).startsWith('HTTP/1.1 200')) throw new Error(String(answer))
  return socket
}

async function close(socket: Socket): Promise<void> {
  socket.destroy()
  await once(socket, 'close')
}
