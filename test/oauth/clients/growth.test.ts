/** What clients, and providers, send to the authorization server takes time in proportion to its length. */
import t from 'tap'
import { growth } from '../../support/report/growth.ts'
import { enterpriseWorld } from '../support/enterprise.ts'
import { baseUrl, jsonOf, world } from '../support/harness.ts'
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
