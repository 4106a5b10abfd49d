/** What is remembered of clients is bounded: 100,000 keys leave the last 10,000 of them, or nothing. Source: rules.md, rate
 *  limits and authentication cache. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { LruMap } from '../../../runtime/lru.ts'
import { createAuthCache } from '../../../runtime/mcp/auth/auth-cache.ts'
import { callerOfAddress, callerOfUser } from '../../../runtime/mcp/auth/caller.ts'
import { createLimits } from '../../../runtime/mcp/limits/limits.ts'
import { createFindAuthInfo } from '../../../runtime/oauth/tokens/access-tokens.ts'
import { createScopes } from '../../../runtime/scopes.ts'
import { requestOf } from '../support/support.ts'

t.setTimeout(240_000) // a busy machine

const keys = 100_000
const kept = 10_000

/** Which of four are known: the first and the last key, and the two at the edge. */
const edges = (isKnown: (key: number) => boolean): readonly boolean[] =>
  [0, keys - kept - 1, keys - kept, keys - 1].map(isKnown)

const lastOnes = [false, false, true, true]

const ada = { user: { id: 'dev:1', name: 'A', email: null }, grantId: null, clientId: null, scopes: [] }

t.test('one LRU for all: the last 10,000 entries, those that were read among them', async (t) => {
  const map = new LruMap<number, true>(kept)
  for (let key = 0; key < keys; key++) {
    map.set(key, true)
    map.get(7)
  }
  t.equal(map.size, kept)
  t.strictSame(
    [7, keys - kept, keys - kept + 1, keys - 1].map((key) => map.peek(key) === true),
    [true, false, true, true],
  )
  map.clear()
  map.set(1, true)
  t.strictSame([...map], [[1, true]])
})

t.test('one LRU for all: entries that are used again and again take no more memory', async (t) => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const map = new LruMap<number, number>(1000)
  for (let key = 0; key < 500; key++) map.set(key, key)
  collect()
  const before = process.memoryUsage().heapUsed
  for (let use = 0; use < 1_000_000; use++) map.get(use % 500)
  collect()
  const megabytes = (process.memoryUsage().heapUsed - before) / 1e6
  t.ok(megabytes < 5, `${megabytes.toFixed(1)} MB`)
})

t.test('tokens found good: the last 10,000, and none that was refused', async (t) => {
  let verified = 0
  const verify = async (token: string) => {
    verified += 1
    return token.startsWith('good')
      ? { exp: 60, typ: 'access', aud: 'https://a.example', sub: ada.user.id }
      : null
  }
  const holder = { ...ada, allowed: null, readOnly: false, surface: null, isAsked: false, spentAt: null }
  const store = { findUserOfToken: async () => holder }
  const options = {
    baseUrl: 'https://a.example',
    store,
    scopes: createScopes({}),
    coverage: null,
    clientTokens: null,
    clock: () => 0,
  }
  const find = createFindAuthInfo(options, verify)
  for (let key = 0; key < keys; key++) await find(`good ${key}`)
  for (let key = 0; key < keys; key++) await find(`bad ${key}`)
  t.equal(verified, 2 * keys)
  for (let key = keys - kept; key < keys; key++) await find(`good ${key}`)
  t.equal(verified, 2 * keys, 'the last are known')
  await find(`good ${keys - kept - 1}`)
  t.equal(verified, 2 * keys + 1, 'the one before them is not')
})

t.test('tool calls in a minute: the last 10,000 clients', async (t) => {
  const { countCall: count } = createLimits({ toolCallsPerMinute: 1, clock: () => 0, monotonic: () => 0 })
  const caller = (key: number) => callerOfAddress(`10.${key >> 16}.${(key >> 8) & 255}.${key & 255}`)
  const refusals = (from: number, to: number): number => {
    let refused = 0
    for (let key = from; key < to; key++) if (count(caller(key)) !== null) refused += 1
    return refused
  }
  t.equal(refusals(0, keys), 0)
  t.equal(refusals(keys - kept, keys), kept, 'the last are known')
  t.equal(count(caller(keys - kept - 1)), null, 'the one before them was forgotten')
})

t.test('accepted credentials: the last 10,000', async (t) => {
  const cache = createAuthCache({ ttlSeconds: 60, clock: () => 0, judgesUrl: false, forwardHeaders: [] })
  const request = (key: number) => requestOf({ headers: { 'x-api-key': String(key) } })
  const caller = (key: number) => {
    const user = { id: String(key), name: 'A', email: null }
    return callerOfUser({ user, subject: user.id, clientId: null, grantId: null, scopes: [], expiresAt: 1 })
  }
  for (let key = 0; key < keys; key++) cache.add(request(key), caller(key))
  t.strictSame(
    edges((key) => cache.isKnown(request(key))),
    lastOnes,
  )
})
