/** What clients, and providers, send to the authorization server takes time in proportion to its length. */
import t from 'tap'
import { createClientDocuments } from '../../../runtime/capabilities/client-documents/client-documents.ts'
import { profiles } from '../../../runtime/oauth/profile.ts'
import { growth } from '../../support/report/growth.ts'
import { openDocumentHost } from '../support/document-host.ts'
import { enterpriseWorld } from '../support/enterprise.ts'
import { baseUrl, compatibleWorld, jsonOf, world } from '../support/harness.ts'
import { logoutWorld } from '../support/logout.ts'
import { claims, jwt, form as machineForm } from '../support/machine.ts'

t.setTimeout(240_000) // a busy machine

const letters = (count: number): string =>
  String.fromCodePoint(...Array.from({ length: count }, (_, at) => 0x4e00 + at))

/** Of as many bytes. */
const addresses: readonly (readonly [name: string, address: (bytes: number) => string])[] = [
  ['slashes of our own', (bytes) => `${baseUrl}${'/'.repeat(bytes - 24)}a`],
  ['slashes of our own, encoded', (bytes) => `${baseUrl}/${'%2f'.repeat((bytes - 24) / 3)}a`],
  ['slashes of another', (bytes) => `https://client.example${'/'.repeat(bytes - 24)}a`],
  ['a host of any letters', (bytes) => `https://${letters((bytes - 24) / 3)}.example/`],
]

t.test('a registration takes time in proportion to its redirect URIs', async (t) => {
  const w = await world(t)
  const send = (raw: string) => w.call('POST', '/oauth/register', { raw, contentType: 'application/json' })
  for (const [name, address] of addresses)
    await growth(t, {
      name: `seven redirect URIs, ${name}: bytes of each`,
      sizes: [510, 1_020, 2_040],
      input: (bytes) => JSON.stringify({ redirect_uris: Array(7).fill(address(bytes)) }),
      work: send,
      control: (raw) => JSON.parse(raw),
      maxMs: 5,
    })
  const long = await send(JSON.stringify({ redirect_uris: [`https://${letters(254)}.example/`] }))
  t.equal(jsonOf(long).error, 'invalid_client_metadata', 'no host is so long')
})

const filler = (bytes: number): object => ({ note: '\u0001"'.repeat(bytes / 8) })
const members = (bytes: number): object =>
  Object.fromEntries(Array.from({ length: bytes / 14 }, (_, at) => [`m${1_000_000 + at}`, 1]))
const levels = (bytes: number): object => ({
  note: JSON.parse(`${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}`),
})

/** What stands in a JWT or a registration beside what is read of it, by its bytes. */
const additions = { 'an escaped text': filler, 'many members': members, 'many levels': levels }

/** What is read before anything is verified, and what is wrong with the signature is found last: nothing is spent. */
const forged = (token: string): string => token.replace(/\.[^.]*$/, `.${'A'.repeat(86)}`)

t.test('a JWT of somebody else takes time in proportion to what stands in it', async (t) => {
  const logout = await logoutWorld(t)
  const enterprise = await enterpriseWorld(t)
  const tokens = {
    'a logout token': (more: object) => logout.token({ ...more }),
    'a client assertion': (more: object) => jwt(claims({ ...more }), enterprise.key),
    'an identity assertion': (more: object) => enterprise.jag(more),
  }
  const posted = {
    'a logout token': (token: string) => logout.post(token),
    'a client assertion': (token: string) =>
      enterprise.call('POST', '/oauth/token', { form: machineForm(token) }),
    'an identity assertion': (token: string) =>
      enterprise.call('POST', '/oauth/token', { form: enterprise.form(token) }),
  }
  for (const name of Object.keys(tokens) as (keyof typeof tokens)[])
    for (const [what, more] of Object.entries(additions))
      await growth(t, {
        name: `${name}, ${what}: bytes`,
        sizes: [2_500, 5_000],
        input: (bytes) => forged(tokens[name](more(bytes))),
        work: async (token) => {
          const { status } = await posted[name](token)
          if (status !== 400 && status !== 401) throw new Error(`answered ${status}`)
        },
        control: (token) => JSON.stringify(Buffer.from(token, 'base64url').toString()),
      })
  const long = enterprise.jag(filler(8_000))
  t.equal(jsonOf(await posted['an identity assertion'](long)).error, 'invalid_grant')
  t.equal((await posted['a logout token'](logout.token({ ...filler(8_000) }))).status, 400)
})

const repeated = (text: (at: number) => string, bytes: number): string => {
  let all = ''
  for (let at = 0; all.length < bytes; at += 1) all += text(1_000_000 + at)
  return all
}

/** What a request may bring to an endpoint, by its bytes, and how many it may be. */
const requests = {
  'a registration, many members': [16_000, (bytes: number) => JSON.stringify(members(bytes))],
  'a registration, a list': [
    16_000,
    (bytes: number) =>
      JSON.stringify({
        redirect_uris: ['https://a.example'],
        grant_types: Array(bytes / 16).fill('refresh_token'),
      }),
  ],
  'a registration, a name of marks': [
    16_000,
    (bytes: number) => JSON.stringify({ client_name: `a${'\u0301\u0316'.repeat(bytes / 4)}` }),
  ],
  'a token request, many parameters': [32_000, (bytes: number) => repeated((at) => `p${at}=1&`, bytes)],
  'a token request, a scope': [
    32_000,
    (bytes: number) => `grant_type=client_credentials&scope=${repeated((at) => `s${at}+`, bytes - 50)}`,
  ],
  'a token request, a code': [
    32_000,
    (bytes: number) => `grant_type=authorization_code&code=${'a.'.repeat(bytes / 2 - 50)}`,
  ],
  'a consent, a client id whose host has any letters': [
    32_000,
    (bytes: number) => `client_id=https://${letters(Math.floor((bytes - 50) / 3))}.example/`,
  ],
  'a consent, many ticks': [32_000, (bytes: number) => repeated((at) => `allow:s${at}=on&`, bytes)],
  'a revocation, a token': [32_000, (bytes: number) => `token=${'a.'.repeat(bytes / 2 - 50)}`],
} as const
const pathOf = (name: string): string => {
  if (name.startsWith('a registration')) return '/oauth/register'
  if (name.startsWith('a consent')) return '/oauth/authorize'
  return name.startsWith('a revocation') ? '/oauth/revoke' : '/oauth/token'
}

t.test(
  'a request takes time in proportion to its parameters, and more than may come is refused',
  async (t) => {
    const w = await world(t)
    for (const [name, [most, input]] of Object.entries(requests)) {
      const path = pathOf(name)
      const contentType =
        path === '/oauth/register' ? 'application/json' : 'application/x-www-form-urlencoded'
      const send = (raw: string) => w.call('POST', path, { raw, contentType })
      await growth(t, {
        name: `${name}: bytes`,
        sizes: [most / 4, most / 2, most],
        input,
        work: send,
        control: (raw) => JSON.parse(JSON.stringify(raw)),
      })
      const refused = jsonOf(await send(input(most * 1.2)))
      t.match(refused.error_description, /larger than (16 KB|32768 bytes)/, `${name}: what is over the bound`)
    }
  },
)

/** By the bytes of the address behind the path. */
const asked = {
  'many parameters': (bytes: number) => repeated((at) => `p${at}=1&`, bytes),
  'one parameter again and again': (bytes: number) => 'state=s&'.repeat(bytes / 8),
  'several resources': (bytes: number) => 'resource=http://localhost:3000/mcp&'.repeat(bytes / 35),
  'a scope': (bytes: number) => `scope=${repeated((at) => `s${at}+`, Math.min(bytes, 2_040))}`,
  'a redirect address of slashes': (bytes: number) => `redirect_uri=${baseUrl}${'/'.repeat(bytes - 60)}a`,
  'a state of blanks': (bytes: number) => `state=${'+'.repeat(bytes - 10)}x`,
  'what is no encoding': (bytes: number) => `state=${'%zz'.repeat(bytes / 3)}`,
}

t.test('the address of an authorization takes time in proportion to its length', async (t) => {
  for (const [profile, open] of Object.entries({ specification: world, compatible: compatibleWorld })) {
    const w = await open(t)
    const { client_id: id } = jsonOf(
      await w.call('POST', '/oauth/register', {
        raw: JSON.stringify({ redirect_uris: ['https://client.example/cb'] }),
        contentType: 'application/json',
      }),
    )
    const known = `/oauth/authorize?response_type=code&client_id=${id}&redirect_uri=https://client.example/cb&`
    for (const [name, input] of Object.entries(asked))
      await growth(t, {
        name: `${profile}, ${name}: bytes`,
        sizes: [3_000, 6_000, 12_000], // a head has 16 kB
        input: (bytes) => `${known}${input(bytes)}`,
        work: (url) => w.call('GET', url),
        control: (url) => encodeURIComponent(url),
      })
  }
})

/** By the bytes of the document, which are 5 KB at most. */
const documented = {
  'many members': members,
  'many levels': levels,
  'many redirect addresses': (bytes: number) => ({
    redirect_uris: Array.from(
      { length: 20 },
      (_, at) => `https://a.example/${at}${'/'.repeat(bytes / 20 - 30)}`,
    ),
  }),
  'a name of marks': (bytes: number) => ({ client_name: `a${'\u0301\u0316'.repeat(bytes / 4)}` }),
  keys: (bytes: number) => ({
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: Array(Math.floor(bytes / 60)).fill({ kty: 'EC', crv: 'P-256', x: 'a', y: 'b' }) },
  }),
}

t.test('a document that describes a client takes time in proportion to its length', async (t) => {
  const host = await openDocumentHost()
  t.teardown(host.close)
  const documents = createClientDocuments({
    ...{ baseUrl, mcpPath: '/mcp', ownPages: [], nativeSchemes: null, heldAddresses: new Set<string>() },
    ...{ network: host.network, profile: profiles.compatible, allowLoopback: true },
    ...{ hasLiveGrant: async () => false, clock: () => 0 },
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  })
  const id = host.url('/c.json')
  for (const [name, more] of Object.entries(documented))
    await growth(t, {
      name: `a document, ${name}: bytes`,
      sizes: [1_200, 2_400, 4_800],
      input: (bytes) =>
        JSON.stringify({ client_id: id, redirect_uris: ['https://a.example'], ...more(bytes - 100) }),
      work: async (text) => {
        host.answer = (_request, response) =>
          void response
            .writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' })
            .end(text)
        await documents.find(id)
      },
      control: (text) => JSON.parse(text),
    })
})
