/** What the addresses of clients cost: in proportion to their length. */
import t from 'tap'
import { growth } from '../../support/report/growth.ts'
import { baseUrl, jsonOf, world } from '../support/harness.ts'

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
