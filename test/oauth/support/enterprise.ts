/** An enterprise: an identity provider on loopback that signs ID-JAGs, and a world that trusts it. */
import type { EnterpriseConfig } from '../../../runtime/capabilities/enterprise/settings.ts'
import { enterpriseParts } from '../../../runtime/capabilities/enterprise/start.ts'
import type { AuditEntry } from '../../../runtime/contract/calls.ts'
import type { Scopes } from '../../../runtime/scopes.ts'
import { type FaultProvider, openFaultProvider } from './fault-provider.ts'
import { baseUrl, jsonOf } from './harness.ts'
import {
  assertionType,
  claims as clientClaims,
  jwkOf,
  jwt,
  type KeyPair,
  type MachineWorld,
  machineWorld,
  p256,
  seconds,
} from './machine.ts'

export const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
export const jagHeader = { alg: 'ES256', typ: 'oauth-id-jag+jwt', kid: 'okta-1' }

type Form = Readonly<Record<string, string>>

export interface EnterpriseWorld extends MachineWorld {
  readonly okta: FaultProvider
  /** With which it signs; `acme` is a provider too, and no enterprise. */
  readonly oktaKey: KeyPair
  readonly acmeKey: KeyPair
  readonly rows: AuditEntry[]
  /** What the provider says; undefined = without that claim. */
  readonly claims: (changes?: object) => Record<string, unknown>
  readonly jag: (changes?: object, header?: object) => string
  /** Of `ci-bot`, with a fresh assertion of its own; undefined = without that parameter. */
  readonly form: (assertion: string, more?: Readonly<Record<string, string | undefined>>) => Form
  readonly ask: (form: Form) => Promise<readonly [number, Record<string, unknown>]>
}

type Test = { teardown(f: () => unknown): void }

type Changes = Parameters<typeof machineWorld>[1] & {
  readonly entry?: Partial<EnterpriseConfig>
  readonly declared?: Scopes
  readonly okta?: FaultProvider
  readonly oktaKey?: KeyPair
}

let made = 0

/** Publishes keys in place of those that the provider would have. */
export function publishKeys(provider: FaultProvider, keys: () => readonly unknown[]): void {
  provider.faults.set('/jwks', (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ keys: keys() }))
  })
}

export async function enterpriseWorld(t: Test, changes: Changes = {}): Promise<EnterpriseWorld> {
  const { entry = {}, okta: opened, oktaKey = p256(), ...others } = changes
  const acmeKey = p256()
  const open = async (key: KeyPair, kid: string): Promise<FaultProvider> => {
    const provider = await openFaultProvider()
    t.teardown(provider.close)
    publishKeys(provider, () => [jwkOf(key, { kid, alg: 'ES256', use: 'sig' })])
    return provider
  }
  const okta = opened ?? (await open(oktaKey, 'okta-1'))
  const acme = await open(acmeKey, 'acme-1')
  const rows: AuditEntry[] = []
  const provider = ({ issuer }: FaultProvider) => ({ issuer, clientId: 'us', clientSecret: 'secret' })
  const w = await machineWorld(t, {
    providers: { okta: provider(okta), acme: provider(acme) },
    parts: [enterpriseParts([{ provider: 'okta', ...entry }])],
    auditTrail: {
      record: (row) => void rows.push(row),
      recordDurably: async () => {},
      flush: async () => {},
    },
    ...others,
  })
  const claims: EnterpriseWorld['claims'] = (changes = {}) => {
    made += 1
    const all = {
      ...{ iss: okta.issuer, sub: '00u1', aud: baseUrl, client_id: 'ci-bot', jti: `jag-${made}` },
      ...{ iat: seconds, exp: seconds + 300, resource: `${baseUrl}/mcp` },
      ...changes,
    }
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
  }
  return {
    ...w,
    ...{ okta, oktaKey, acmeKey, rows, claims },
    jag: (changes, header = jagHeader) => jwt(claims(changes), oktaKey, header),
    form: (assertion, more = {}) => {
      const all = {
        grant_type: jwtBearer,
        assertion,
        client_assertion_type: assertionType,
        client_assertion: jwt(clientClaims(), w.key),
        ...more,
      }
      const sent = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined)
      return Object.fromEntries(sent)
    },
    ask: async (form) => {
      const outcome = await w.call('POST', '/oauth/token', { form })
      return [outcome.status, jsonOf(outcome)]
    },
  }
}
