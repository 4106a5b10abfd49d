/** Every code, verifier, token, state, cookie, CSRF token and key of a full flow is searched for in all log output.
 *  Source: rules.md, Security requirements. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import t from 'tap'

interface Ran {
  readonly exitCode: number
  readonly output: string
  readonly secrets: readonly string[]
}

/** Runs the server's whole flow in a process of its own and reads all of its output. */
async function run(): Promise<Ran> {
  const child = fork(new URL('./log-leak-server.js', import.meta.url), { silent: true })
  const chunks: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8')
    stream?.on('data', (chunk: string) => void chunks.push(chunk))
  }
  const secrets: string[] = []
  child.on('message', (message) => void secrets.push(...(message as string[]))) // what its last line sends
  const [exitCode] = await once(child, 'close')
  return { exitCode, output: chunks.join(''), secrets }
}

/** How a text may stand in a line: as it is, escaped for an address, or cut after 20 characters. */
const spellings = (secret: string): readonly string[] => [
  secret,
  encodeURIComponent(secret),
  decodeURIComponent(secret),
  secret.slice(0, Math.max(20, secret.length / 2)),
]

const ran = run()

t.test('log leak: not one of the secrets of a full flow stands in the log', async (t) => {
  const { exitCode, output, secrets } = await ran
  t.equal(exitCode, 0, `exit code ${exitCode}`)
  const distinctive = secrets.filter((secret) => secret.length >= 16)
  t.ok(distinctive.length >= 20, `${distinctive.length} secrets were collected`)
  const header = /^eyJ[A-Za-z0-9_-]+\.eyJ/
  const isJwt = (secret: string): boolean => header.test(secret)
  // all JWTs begin alike: what is theirs alone is the signature
  const wanted = distinctive.flatMap((secret) =>
    isJwt(secret) ? [secret, secret.slice(secret.lastIndexOf('.') + 1)] : spellings(secret),
  )
  t.strictSame(
    wanted.filter((text) => output.includes(text)),
    [],
  )
  t.ok(distinctive.some(isJwt), 'JWTs were among them')
})

t.test(
  'log leak: the log was on: a line per request, every kind of audit event, masked values',
  async (t) => {
    const { output } = await ran
    const lines = output.split('\n').filter((line) => line.startsWith('{'))
    const events = lines.map((line) => JSON.parse(line))
    const audits = new Set(events.filter(({ msg }) => msg === 'audit').map(({ event }) => event))
    t.strictSame([...audits].sort(), [
      'consent',
      'issue',
      'refresh',
      'registration',
      'reuse',
      'revocation',
      'sign-in',
    ])
    const requests = events.filter(({ event }) => event === 'response').length
    t.ok(requests >= 25, `${requests} requests`)
    t.match(output, 'code=[FILTERED]')
    t.match(output, 'state=[FILTERED]')
  },
)
