/** What is remembered of clients is bounded: 100,000 keys leave the last 10,000 of them, or nothing. Source: decisions.md, rate
 *  limits (bounded memory) and authentication cache. */
import t from 'tap'
import { createAuthCache } from '../../../runtime/mcp/auth/auth-cache.ts'
import { callerOfAddress, callerOfUser } from '../../../runtime/mcp/auth/caller.ts'
import { createLimits } from '../../../runtime/mcp/limits/limits.ts'
import { createKnownHolders } from '../../../runtime/oauth/tokens/known-holders.ts'
import { rememberVerified } from '../../../runtime/oauth/tokens/verified-tokens.ts'
import { requestOf } from '../support/support.ts'

t.setTimeout(240_000) // a busy machine

const keys = 100_000
const kept = 10_000

/** Which of four are known: the first and the last key, and the two at the edge. */
const edges = (isKnown: (key: number) => boolean): readonly boolean[] =>
  [0, keys - kept - 1, keys - kept, keys - 1].map(isKnown)

const lastOnes = [false, false, true, true]

t.test('whose a token is: the last 10,000 tokens', async (t) => {
  const holders = createKnownHolders()
  const user = { id: 'dev:1', name: 'A', email: null }
  const holder = { user, grantId: null, clientId: null }
  for (let key = 0; key < keys; key++) holders.note(`token ${key}`, holder)
  t.strictSame(
    edges((key) => holders.of(`token ${key}`) !== null),
    lastOnes,
  )
})

t.test('tokens found good: the last 10,000, and none that was refused', async (t) => {
  let verified = 0
  const verify = rememberVerified(
    async (token) => {
      verified += 1
      return token.startsWith('good') ? { exp: 60 } : null
    },
    () => 0,
  )
  for (let key = 0; key < keys; key++) await verify(`good ${key}`)
  for (let key = 0; key < keys; key++) await verify(`bad ${key}`)
  t.equal(verified, 2 * keys)
  for (let key = keys - kept; key < keys; key++) await verify(`good ${key}`)
  t.equal(verified, 2 * keys, 'the last are known')
  await verify(`good ${keys - kept - 1}`)
  t.equal(verified, 2 * keys + 1, 'the one before them is not')
})

t.test('tool calls in a minute: the last 10,000 clients', async (t) => {
  const { countCall: count } = createLimits({ toolCallsPerMinute: 1, clock: () => 0 })
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
  const cache = createAuthCache({ ttlSeconds: 60, clock: () => 0, judgesUrl: false })
  const request = (key: number) => requestOf({ headers: { 'x-api-key': String(key) } })
  for (let key = 0; key < keys; key++) cache.add(request(key), callerOfUser(String(key)))
  t.strictSame(
    edges((key) => cache.isKnown(request(key))),
    lastOnes,
  )
})
