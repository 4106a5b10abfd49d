/** The hostile side of the load test, a process of its own: sends to the port of its first argument, with the access token of its
 *  second, all attacks but those that its third names, between `go` and `pause`; at `stop` it tells what it sent and got. */
import { connect, type Socket } from 'node:net'
import { hostileRequests } from './hostile-requests.ts'

const perSecond = 300
/** Every 5 ms: what a busy machine kept it from sending is made up for, but not all at once. */
const maxAtOnce = 6
const connections = 40 // and about ten that are dropped

const [port = '', token = '', without = ''] = process.argv.slice(2)
const left = new Set(without.split(','))
const attacks = [...hostileRequests({ host: `localhost:${port}`, token })].filter(([name]) => !left.has(name))
const sockets: (Socket | null)[] = Array.from({ length: connections }, () => null)
const sent = new Map<string, number>()
const answers = new Map<string, number>()
let turn = 0
let goneAt: { readonly ms: number; readonly turn: number } | null = null

setInterval(() => {
  if (goneAt === null) return
  const due = goneAt.turn + Math.floor(((performance.now() - goneAt.ms) / 1000) * perSecond)
  for (let end = Math.min(due, turn + maxAtOnce); turn < end; turn += 1) send(turn)
}, 5)
process.on('message', (order) => {
  goneAt = order === 'go' ? { ms: performance.now(), turn } : null
  if (order === 'stop') {
    process.send?.(`sent: ${list(sent)}\n  answered: ${list(answers)}`, () => process.exit())
  }
})
process.on('disconnect', () => process.exit())

/** Each attack in turn. What is dropped has a connection of its own; some are dropped at once, some when the answer has begun. */
function send(at: number): void {
  const [name, attack] = attacks[at % attacks.length] ?? ['', () => '']
  const isDropped = name.endsWith('dropped')
  const socket = isDropped ? dial() : kept(Math.floor(Math.random() * connections))
  socket.write(attack(at))
  count(sent, name)
  if (isDropped) setTimeout(() => socket.resetAndDestroy(), at % 2 === 0 ? 0 : 50)
}

/** One of the connections, opened again when it has been closed. */
function kept(place: number): Socket {
  const known = sockets[place] ?? null
  const socket = known === null || known.destroyed ? dial() : known
  sockets[place] = socket
  return socket
}

function dial(): Socket {
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk) => {
    const status = /^HTTP\/1\.1 (\d{3})/.exec(chunk.toString('latin1', 0, 16))?.[1]
    if (status !== undefined) count(answers, status)
  })
  return socket
}

const count = (counts: Map<string, number>, name: string): void =>
  void counts.set(name, (counts.get(name) ?? 0) + 1)

const list = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([name, times]) => `${times} ${name}`).join(', ')
