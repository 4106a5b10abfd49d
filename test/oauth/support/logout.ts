/** A provider that says whom it has signed out: its key, its logout tokens, and a world in which it is configured. */
import type { AuditEntry } from '../../../runtime/contract/calls.ts'
import type { HttpResponse } from '../../../runtime/contract/http.ts'
import type { AuthorizationServerOptions } from '../../../runtime/oauth/options.ts'
import type { BackchannelLogout } from '../../../runtime/oauth/providers/presets.ts'
import { type FaultProvider, openFaultProvider } from './fault-provider.ts'
import { type World, world } from './harness.ts'
import { jwkOf, jwt, type KeyPair, p256, seconds } from './machine.ts'

export const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'
export const logoutPath = '/oauth/backchannel-logout/acme'

export interface LogoutWorld extends World {
  readonly issuer: FaultProvider
  readonly key: KeyPair
  readonly rows: AuditEntry[]
  /** By how often it was told that what is known of a user has changed. */
  readonly told: string[]
  /** Claims of a good token, with changes; undefined = absent. */
  readonly claims: (changes?: Readonly<Record<string, unknown>>) => Record<string, unknown>
  /** A good token, with changes of its claims. */
  readonly token: (changes?: Readonly<Record<string, unknown>>) => string
  readonly post: (token: string) => Promise<HttpResponse>
  /** The reasons in the log, since it was asked last. */
  readonly reasons: () => readonly string[]
}

type Test = { teardown(f: () => unknown): void }

export const header = { alg: 'ES256', typ: 'logout+jwt', kid: 'logout' }

let made = 0

/** `acme` may tell; `other`, the same issuer under another name, may not. */
export async function logoutWorld(
  t: Test,
  {
    logout = {},
    issuer,
    ...changes
  }: {
    readonly logout?: BackchannelLogout
    readonly issuer?: FaultProvider
  } & Partial<AuthorizationServerOptions> = {},
): Promise<LogoutWorld> {
  const at = issuer ?? (await openFaultProvider())
  t.teardown(at.close)
  const key = p256()
  at.keys = [jwkOf(key, { kid: 'logout', use: 'sig' })]
  const [rows, told]: [AuditEntry[], string[]] = [[], []]
  const acme = { issuer: at.issuer, clientId: 'us', clientSecret: 'secret' }
  const w = await world(t, {
    providers: { acme: { ...acme, backchannelLogout: logout }, other: acme },
    onRevoked: (id) => void told.push(id),
    auditTrail: {
      record: (row) => void rows.push(row),
      recordDurably: async () => {},
      flush: async () => {},
    },
    ...changes,
  })
  const claims: LogoutWorld['claims'] = (changed = {}) => {
    made += 1
    const all = {
      ...{ iss: at.issuer, aud: 'us', sub: 'uid-1', sid: 'session-1', jti: `logout-${made}` },
      ...{ iat: seconds, exp: seconds + 120, events: { [logoutEvent]: {} } },
    }
    return Object.fromEntries(
      Object.entries({ ...all, ...changed }).filter(([, value]) => value !== undefined),
    )
  }
  return {
    ...{ ...w, issuer: at, key, rows, told, claims },
    token: (changed) => jwt(claims(changed), key, header),
    post: (token) => w.call('POST', logoutPath, { form: { logout_token: token } }),
    reasons: () =>
      w.logged.splice(0).flatMap((line) => /logout token refused.*"reason":"(\w+)"/.exec(line)?.[1] ?? []),
  }
}
