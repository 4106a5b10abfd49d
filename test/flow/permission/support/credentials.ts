/** Every kind of credential of the table, by the whole flow, with what it should be worth today. */
import { SignJWT } from 'jose'
import type { TestApp, TestClient } from '../../../../runtime/testing.ts'
import { refreshed, type Tick, type Tokens, tokensFor } from './consent-form.ts'
import type { Facts } from './oracle.ts'
import { baseUrl, jwtSecret, openNotes, type World } from './world.ts'

export interface Credential {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  readonly facts: Facts
  /** Only `verifyToken` can say that it is good. */
  readonly isForeign: boolean
}

const nobody: Facts = {
  bearer: 'none',
  hasAuthorization: false,
  grants: [],
  user: '',
  hopeless: ['notes:admin'],
  session: false,
  key: 'none',
}
const api = ['notes:read', 'notes:write', 'notes:share']
const everything = [...api, 'notes:delete', 'notes:audit']
const all = 'api notes:delete notes:audit'
export const developer = 'dev:developer'
export const root = { id: 'dev:root', name: 'Root', email: null }
export const partner = { id: 'partner:7', name: 'Seven', email: null }

/** A credential that is not there. */
const credential = (
  name: string,
  headers: Credential['headers'],
  facts: Partial<Facts>,
  isForeign = false,
): Credential => ({ name, headers, facts: { ...nobody, ...facts }, isForeign })

const valid = (name: string, token: string, grants: readonly string[]): Credential =>
  credential(
    name,
    { authorization: `Bearer ${token}` },
    { bearer: 'valid', hasAuthorization: true, grants, user: developer },
  )

const bad = (name: string, token: string): Credential =>
  credential(name, { authorization: `Bearer ${token}` }, { bearer: 'bad', hasAuthorization: true })

/** Moves the clock: the first of them have expired when the last is made. */
export async function credentialsOf(world: World): Promise<readonly Credential[]> {
  const expired = await inApp(world, {}, (browser) => tokensFor(browser, { scope: all }))
  world.clock.now += 3_601_000
  return [
    bad('an expired token', expired.access),
    bad('a token that is none', 'nonsense'),
    ...(await fromBefore(world)),
    ...(await fromElsewhere(world)),
    ...(await inApp(world, {}, fromToday)),
    ...(await inApp(world, {}, withOthers)),
  ]
}

/** Tokens and cookies of today's declarations. */
async function fromToday(browser: TestClient, app: TestApp): Promise<readonly Credential[]> {
  const ask = async (scope?: string, isTicked?: (tick: Tick) => boolean): Promise<Tokens> =>
    tokensFor(browser, { ...(scope === undefined ? {} : { scope }), ...(isTicked ? { isTicked } : {}) })
  const byPage = (tick: Tick): boolean => tick.isTicked
  const whole = await ask(all)
  const revoked = await ask(all)
  await browser.submit('/oauth/revoke', { client_id: revoked.clientId, token: revoked.refresh })
  const narrowed = await refreshed(browser, await ask(all), 'notes:read')
  const rotated = await refreshed(browser, narrowed)
  const rooted = app.client()
  await rooted.signIn(root)
  const ofRoot = await tokensFor(rooted, { scope: 'notes:admin' })
  return [
    credential('no token', {}, {}),
    valid('a token for everything', whole.access, everything),
    bad('a revoked token', revoked.access),
    valid('one scope', (await ask('notes:read')).access, ['notes:read']),
    valid('an implied scope', (await ask('notes:write')).access, ['notes:read', 'notes:write']),
    valid('a client that asks for nothing more', (await ask()).access, api),
    valid('api with one unticked', (await ask('api', ({ label }) => !label.includes('share'))).access, [
      'notes:read',
      'notes:write',
    ]),
    valid('a sensitive scope, by name', (await ask('notes:delete')).access, ['notes:delete']),
    valid('a sensitive one that nobody ticked', (await ask('notes:read notes:delete', byPage)).access, [
      'notes:read',
    ]),
    valid('a narrowing refresh', narrowed.access, ['notes:read']),
    valid('the refresh after it', rotated.access, everything),
    credential(
      'what only this user may have',
      { authorization: `Bearer ${ofRoot.access}` },
      { bearer: 'valid', hasAuthorization: true, grants: ['notes:admin'], user: root.id, hopeless: [] },
    ),
  ]
}

/** Grants of earlier versions of the application, with other declarations. */
async function fromBefore(world: World): Promise<readonly Credential[]> {
  const read = { 'notes:read': 'See your notes' }
  const write = { 'notes:write': { text: 'Add and change notes', implies: ['notes:read'] } }
  const share = { 'notes:share': 'Share notes' }
  const rest = { 'notes:delete': { text: 'x', sensitive: true }, 'notes:admin': 'x' }
  const scopes = { ...read, ...write, ...share, ...rest, 'notes:audit': 'See who changed what' }
  const requested = (declared: object, scope?: string): Promise<Tokens> =>
    inApp(world, { scopes: declared }, (browser) => tokensFor(browser, scope === undefined ? {} : { scope }))
  const inApi = await requested(scopes, 'api')
  const byName = await requested(scopes, 'notes:audit')
  const smaller = await requested({ ...scopes, 'notes:share': { text: 'Share notes', sensitive: true } })
  const larger = await requested({ ...scopes, 'notes:old': 'Do what was there' }, 'notes:old notes:read')
  const wider = await requested(
    { ...scopes, 'notes:write': { text: 'x', implies: ['notes:share'] } },
    'notes:write',
  )
  const narrower = await requested({ ...scopes, 'notes:write': 'Add and change notes' }, 'notes:write')
  const without = await requested({})
  return [
    valid('a scope made sensitive later, with api', inApi.access, api),
    valid('a scope made sensitive later, by name', byName.access, ['notes:audit']),
    valid('api of when it was less', smaller.access, ['notes:read', 'notes:write']),
    valid('a scope that is no more', larger.access, ['notes:read']),
    valid('a scope that implied more, which was ticked', wider.access, ['notes:write', 'notes:share']),
    valid('a scope that implied less', narrower.access, ['notes:write']),
    valid('a grant from before scopes were declared', without.access, api),
  ]
}

/** Of other audiences, other issuers, and of another holder of the key. */
async function fromElsewhere(world: World): Promise<readonly Credential[]> {
  const databaseUrl = 'sqlite::memory:'
  const scope = all
  const elsewhere = { databaseUrl, baseUrl: 'http://localhost:4000' }
  const audience = await inApp(world, {}, (browser) => tokensFor(browser, { scope }), elsewhere)
  const issuer = await inApp(world, {}, (browser) => tokensFor(browser, { scope }), {
    databaseUrl,
    jwtSecret: 'the key of somebody else, of at least 32 bytes, too',
  })
  return [
    bad('a token for another audience', audience.access),
    credential(
      'a token of another issuer',
      { authorization: `Bearer ${issuer.access}` },
      { bearer: 'bad', hasAuthorization: true },
      true,
    ),
    valid('a token without a scope', await signed(world, {}), []),
    valid('a token of another holder of the key', await signed(world, { scope: 'notes:write api' }), api),
    valid('an unknown scope of another holder', await signed(world, { scope: 'notes:red' }), []),
  ]
}

/** As another service would that has our secret. */
function signed({ clock }: World, claims: Readonly<Record<string, string>>): Promise<string> {
  const now = Math.floor(clock.now / 1000)
  return new SignJWT({ typ: 'access', iss: baseUrl, aud: baseUrl, sub: developer, iat: now, ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime(now + 3600)
    .sign(new TextEncoder().encode(jwtSecret))
}

/** Sessions and keys, alone and beside bearers. */
async function withOthers(browser: TestClient): Promise<readonly Credential[]> {
  const cookie = [...browser.cookies]
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('; ')
  const read = (await tokensFor(browser, { scope: 'notes:read' })).access
  const ofRead = { bearer: 'valid', hasAuthorization: true, grants: ['notes:read'], user: developer } as const
  const bearer = { authorization: `Bearer ${read}` }
  const junk = { authorization: 'Bearer junk' }
  const ofJunk = { bearer: 'bad', hasAuthorization: true } as const
  const key = { 'x-api-key': 'k1' }
  const junkKey = { 'x-api-key': 'junk' }
  const session = { session: true } as const
  return [
    credential('a session', { cookie }, session),
    credential('a key', key, { key: 'known' }),
    credential('a key that is none', junkKey, { key: 'junk' }),
    credential('an empty key', { 'x-api-key': '' }, {}),
    credential('a session and a key', { cookie, ...key }, { ...session, key: 'known' }),
    credential('a session and a key that is none', { cookie, ...junkKey }, { ...session, key: 'junk' }),
    credential('a key that is none beside a bearer', { ...bearer, ...junkKey }, { ...ofRead, key: 'junk' }),
    credential('a key that is none beside a bad bearer', { ...junk, ...junkKey }, { ...ofJunk, key: 'junk' }),
    credential('a key beside a bad bearer', { ...junk, ...key }, { ...ofJunk, key: 'known' }),
    credential('a session beside a bearer', { cookie, ...bearer }, { ...ofRead, ...session }),
    credential('a bad bearer beside a session', { cookie, ...junk }, { ...ofJunk, ...session }),
    credential(
      'a session beside another scheme',
      { cookie, authorization: 'Basic YTpi' },
      { ...session, hasAuthorization: true },
    ),
  ]
}

/** An instance of the application with a browser in which its developer is signed in. */
async function inApp<T>(
  world: World,
  config: object,
  use: (browser: TestClient, app: TestApp) => Promise<T>,
  other: { readonly databaseUrl?: string; readonly baseUrl?: string; readonly jwtSecret?: string } = {},
): Promise<T> {
  const app = await openNotes(world, { config, ...other })
  try {
    const browser = app.client()
    await browser.signIn()
    return await use(browser, app)
  } finally {
    await app.close()
  }
}
