/** A client that acts for no user: its key, its assertions, and a world in which it is configured. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createMachines } from '../../../runtime/capabilities/machines/machines.ts'
import type { ClientConfig } from '../../../runtime/capabilities/machines/settings.ts'
import { machineParts } from '../../../runtime/capabilities/machines/start.ts'
import { createScopes, type Scopes } from '../../../runtime/scopes.ts'
import { baseUrl, start, type World, type WorldChanges, world } from './harness.ts'

export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

export interface KeyPair {
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

export const p256 = (): KeyPair => generateKeyPairSync('ec', { namedCurve: 'P-256' })

export const jwkOf = ({ publicKey }: KeyPair, more: object = {}): Record<string, unknown> => ({
  ...publicKey.export({ format: 'jwk' }),
  ...more,
})

export const seconds: number = start / 1000

let made = 0

export const claims = (changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => {
  made += 1
  const all = {
    iss: 'ci-bot',
    sub: 'ci-bot',
    aud: baseUrl,
    iat: seconds,
    exp: seconds + 60,
    jti: `jti-${made}`,
  }
  return Object.fromEntries(Object.entries({ ...all, ...changes }).filter(([, value]) => value !== undefined))
}

const part = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

/** Texts are taken as they are. ES256 unless `signature` says otherwise. */
export function jwt(
  payload: unknown,
  { privateKey }: Pick<KeyPair, 'privateKey'>,
  header: unknown = { alg: 'ES256', typ: 'JWT' },
): string {
  const signed = `${part(header)}.${part(payload)}`
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return `${signed}.${signature.toString('base64url')}`
}

export const form = (
  assertion: string,
  more: Readonly<Record<string, string>> = {},
): Record<string, string> => ({
  grant_type: 'client_credentials',
  client_assertion_type: assertionType,
  client_assertion: assertion,
  ...more,
})

export interface MachineWorld extends World {
  readonly key: KeyPair
  /** The reasons in the log, since it was asked last. */
  readonly reasons: () => readonly string[]
}

type Test = { teardown(f: () => unknown): void }

/** `ci-bot` has `key`; its scopes are `api` without declared ones, else `notes:write`. */
export async function machineWorld(
  t: Test,
  {
    declared = createScopes({}),
    clients,
    key = p256(),
    parts = [],
    ...changes
  }: {
    readonly declared?: Scopes
    readonly clients?: Readonly<Record<string, ClientConfig>>
    readonly key?: KeyPair
  } & WorldChanges = {},
): Promise<MachineWorld> {
  const scopes = declared.declared.length === 0 ? ['api'] : ['notes:write']
  const configured = clients ?? { 'ci-bot': { jwks: { keys: [jwkOf(key)] }, scopes } }
  const silent = { info: () => {}, warn: () => {}, error: () => {} }
  const network = { ...nowhere, documentTimeoutMs: 1000, providerTimeoutMs: 1000 }
  const machines = createMachines(configured, {
    ...{ network, allowLoopback: true, scopes: declared, clock: () => w.clock.now, log: silent },
  })
  const w: World = await world(t, {
    parts: machines.size === 0 ? parts : [machineParts(machines), ...parts],
    scopes: declared,
    ...changes,
  })
  const reasons = (): readonly string[] =>
    w.logged.splice(0).flatMap((line) => /assertion refused.*"reason":"(\w+)"/.exec(line)?.[1] ?? [])
  return { ...w, key, reasons }
}

const nowhere = { resolve: async () => [], certificateAuthorities: null }
