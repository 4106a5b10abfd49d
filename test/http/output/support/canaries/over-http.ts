/** The entrances over HTTP, by caller. */
import type { TestClient } from '../../../../../runtime/testing.ts'
import { type Caller, type Callers, type Leaving, ofYaml } from './leaving.ts'

const callers: readonly Caller[] = ['session', 'nobody', 'key', 'token']

interface Way {
  readonly path: string
  readonly accept?: string
  readonly method?: 'POST'
  readonly status?: number
  /** The answer in what is sent. */
  readonly jsonOf: (body: string) => string | null
}

const asIs = (body: string): string => body
/** A text alone has no quotes there. */
const ofText = (body: string): string => (/^[[{]/.test(body) ? body : JSON.stringify(body))
const noJson = (): null => null

/** Both are of the same value. */
function ofEvents(body: string): string {
  const [first, second, ...more] = body.split('\n\n')
  return first === second && more.join() === '' ? String(first).replace('data: ', '') : `events: ${body}`
}

const ways: readonly Way[] = [
  { path: 'plain', jsonOf: asIs },
  { path: 'later', method: 'POST', jsonOf: asIs },
  { path: 'plain', accept: 'application/yaml', jsonOf: ofYaml },
  { path: 'plain', accept: 'text/plain', jsonOf: ofText },
  { path: 'plain', accept: 'text/csv', jsonOf: noJson },
  { path: 'rendered', status: 202, jsonOf: asIs },
  { path: 'yaml', jsonOf: ofYaml },
  { path: 'events', jsonOf: ofEvents },
  { path: 'failed', status: 404, jsonOf: asIs },
  { path: 'failed', status: 404, accept: 'application/yaml', jsonOf: ofYaml },
  { path: 'closed', status: 409, jsonOf: asIs },
]

/** By every caller; `delegated` get no secrets. */
export async function overHttp(
  clients: Callers,
  base: string,
  delegated: readonly Caller[],
): Promise<readonly Leaving[]> {
  const all = ways.flatMap((way) => callers.map((caller) => ({ way, caller })))
  return Promise.all(
    all.map(async ({ way, caller }) => {
      const left = await leavingByHttp(clients[caller], { base, way, caller })
      return { ...left, isDelegated: delegated.includes(caller) }
    }),
  )
}

async function leavingByHttp(
  client: TestClient,
  { base, way, caller }: { readonly base: string; readonly way: Way; readonly caller: Caller },
): Promise<Omit<Leaving, 'isDelegated'>> {
  const { path, accept = 'application/json', method = 'GET', status = 200, jsonOf } = way
  const entrance = `${method} ${base}/${path} ${accept} by ${caller}`
  const answer = await client.request({ method, url: `/${base}/${path}`, headers: { accept } })
  const { statusCode, body } = answer
  if (statusCode !== status) throw new Error(`${entrance}: ${statusCode} ${body}`)
  return { entrance, sent: body, json: jsonOf(body) }
}

/** Whether who has the entity tag of one value is told that the other is the same. */
export async function isUnchanged(
  { key }: Callers,
  base: string,
  handOver: { readonly first: () => void; readonly other: () => void },
): Promise<boolean> {
  handOver.first()
  const { etag } = (await key.get(`/${base}/plain`)).headers
  handOver.other()
  const answer = await key.get(`/${base}/plain`, { 'if-none-match': String(etag) })
  return etag !== undefined && answer.statusCode === 304
}
