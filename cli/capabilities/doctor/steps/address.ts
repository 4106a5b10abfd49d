/** DNS, TCP and TLS: whether a server is there, under the right name. */
import { once } from 'node:events'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { trustedAuthorities } from '../request.ts'
import { broken, type Finding, ok, type Visit } from '../step.ts'
import { addressFacts, type Trouble, type TroubleName, trouble } from '../troubles.ts'

export async function reach({ options, signal }: Visit): Promise<Finding> {
  const { url, ca, clock } = options
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (url.protocol === 'http:') {
    const socket = connect({ host, port: portOf(url, 80) })
    return whenConnected(socket, 'connect', signal, () => ok(`${socket.remoteAddress} answers`))
  }
  const servername = isIP(host) === 0 ? { servername: host } : {}
  // every certificate is taken here, to tell what is wrong with this one; nothing is sent
  const tls = { ...servername, ...trustedAuthorities(ca), rejectUnauthorized: false }
  const socket = connectTls({ host, port: portOf(url, 443), ...tls })
  return whenConnected(socket, 'secureConnect', signal, () => judgeCertificate(socket, url, clock()))
}

const portOf = ({ port }: URL, usual: number): number => (port === '' ? usual : Number(port))

/** Rejects when the connection is refused or the step's time is over. */
async function whenConnected(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
  judge: () => Finding,
): Promise<Finding> {
  try {
    await once(socket, event, { signal })
    return judge()
  } finally {
    socket.destroy()
  }
}

/** By what Node says of a certificate that clients refuse. */
const certificateTroubles: Troubles<'wrongCertificateName' | 'expiredCertificate' | 'earlyCertificate'> =
  new Map([
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'wrongCertificateName'],
    ['CERT_HAS_EXPIRED', 'expiredCertificate'],
    ['CERT_NOT_YET_VALID', 'earlyCertificate'],
  ])

type Troubles<Name extends TroubleName> = ReadonlyMap<string, Name>

function judgeCertificate(socket: TLSSocket, url: URL, now: number): Finding {
  const { subjectaltname, subject, valid_from, valid_to } = socket.getPeerCertificate()
  const names = (subjectaltname ?? String(subject?.CN)).replace(/DNS:|IP Address:/g, '')
  const until = dayOf(valid_to)
  if (socket.authorized) {
    const days = Math.floor((Date.parse(valid_to) - now) / 86_400_000)
    return ok(`${socket.remoteAddress}, certificate until ${until} (${days} days)`)
  }
  const code = String(socket.authorizationError)
  const name = certificateTroubles.get(code) ?? 'untrustedCertificate'
  return broken('TLS', trouble(name, { ...addressFacts(url), names, from: dayOf(valid_from), until, code }))
}

const dayOf = (text: string): string => new Date(text).toISOString().slice(0, 10)

/** By the codes of Node and OpenSSL. */
const connectionTroubles: Troubles<'nothingListens' | 'nameNotInDns' | 'hungUp' | 'noTls'> = new Map([
  ['ECONNREFUSED', 'nothingListens'],
  ['ENOTFOUND', 'nameNotInDns'],
  ['ECONNRESET', 'hungUp'],
  ['EPIPE', 'hungUp'],
  ['EPROTO', 'noTls'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'noTls'],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'noTls'],
  ['HPE_INVALID_CONSTANT', 'hungUp'],
])

/** Why there was no answer at all. */
export function connectionTrouble(url: URL, error: unknown, timeoutMs: number): Trouble {
  const place = addressFacts(url)
  if (!(error instanceof Error)) return trouble('unreachable', { ...place, reason: String(error) })
  if (error.name === 'AbortError' || error.name === 'TimeoutError')
    return trouble('noAnswer', { ...place, seconds: timeoutMs / 1000 })
  const [first] = error instanceof AggregateError ? error.errors : [error] // one for each address of the name
  const code = first instanceof Error && 'code' in first ? String(first.code) : error.message
  const reason = code === 'EAI_AGAIN' ? 'the DNS does not answer' : code
  return trouble(connectionTroubles.get(code) ?? 'unreachable', { ...place, reason })
}
