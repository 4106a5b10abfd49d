/** Which of the clients that people have would be refused, and why: the server is asked as they would ask it. */
import { type Finding, notTried, ok, type ServerDocument, type Visit } from '../step.ts'
import { type Trouble, trouble } from '../troubles.ts'
import { type AskedHost, askWay } from './ask-way.ts'
import type { KnownHost, Way } from './host.ts'
import type { HostsByReach } from './known-hosts.ts'

/** What a client would come to; a refusal breaks no link, for the server may mean it. */
export type HostFinding =
  | Finding
  | { readonly state: 'refused'; readonly detail: string; readonly trouble: Trouble }

/** Reports one after the other: servers fetch few client documents at once for an address. When the visit's time is over the rest is
 *  not tried. */
export async function examineHosts(
  visit: Visit,
  { near, far }: HostsByReach,
  onHost: (name: string, finding: HostFinding) => void,
): Promise<void> {
  const { server } = visit.known
  if (server === null) return
  for (const host of near) {
    const finding = visit.signal.aborted
      ? late
      : await examineHost(host, { visit, server }).catch(noAnswerFrom)
    onHost(host.name, finding)
  }
  if (far.length > 0) onHost('other clients', outOfReach(far))
}

const outOfReach = (hosts: readonly KnownHost[]): Finding =>
  notTried(`${hosts.map(({ name }) => name).join(', ')} reach no loopback address: ask at the public one`)

const late = notTried('no time is left')

/** What went well a moment ago is no broken link. */
const noAnswerFrom = (error: unknown): Finding =>
  notTried(`no answer (${error instanceof Error ? error.name : 'error'})`)

async function examineHost(host: KnownHost, target: Omit<AskedHost, 'host'>): Promise<HostFinding> {
  const ways = offeredWays(host, target.server)
  if (ways.length === 0) return refused(labelsOf(host.ways), [noWay(target.server)])
  const taken: Way[] = []
  const refusals: { way: Way; causes: readonly Trouble[] }[] = []
  for (const way of ways) {
    const causes = await askWay(way, { ...target, host })
    if (causes.length === 0) taken.push(way)
    else refusals.push({ way, causes })
  }
  if (refusals.length === 0) return ok(labelsOf(taken))
  const others = taken.length === 0 ? '' : `; takes ${labelsOf(taken)}`
  const causes = refusals.flatMap((refusal) => refusal.causes)
  return refused(`refuses ${labelsOf(refusals.map(({ way }) => way))}${others}`, causes)
}

/** A host comes by hand only if it has no other way; one without PKCE is refused by every server of MCP. */
function offeredWays({ ways }: KnownHost, server: ServerDocument): readonly Way[] {
  const own = ways.filter(({ by }) => by !== 'hand')
  if (own.length === 0) return ways
  return own.filter(({ by }) =>
    by === 'document' ? server.takesClientDocuments : server.registrationEndpoint !== null,
  )
}

function refused(detail: string, troubles: readonly Trouble[]): HostFinding {
  const joined = (part: keyof Trouble): string => [...new Set(troubles.map((item) => item[part]))].join(' ')
  return { state: 'refused', detail, trouble: { cause: joined('cause'), change: joined('change') } }
}

const words = { registration: 'registration', document: 'document', hand: 'client id and secret' } as const

const labelsOf = (ways: readonly Way[]): string =>
  [...new Set(ways.map(({ by, of }) => (of === null ? words[by] : `${words[by]} (${of})`)))].join(', ')

const noWay = ({ registrationEndpoint }: ServerDocument): Trouble =>
  trouble(registrationEndpoint === null ? 'noWayIn' : 'documentsNotTaken')
