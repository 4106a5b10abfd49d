/** `clients` of the configuration: each mistake is told at the start, by name. */
import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { resolveConfig } from '../../../runtime/boot/resolve-config.ts'
import { ConfigError } from '../../../runtime/boot/settings/checks.ts'
import { jwkOf, p256 } from '../support/machine.ts'

const key = p256()
const jwk = jwkOf(key)
const jwks = { keys: [jwk] }
const scopes = ['api']

function mistakesOf(config: object): readonly string[] {
  try {
    resolveConfig(config)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.mistakes.map(({ text }) => text)
  }
}

const ofClient = (client: unknown, id = 'ci-bot'): readonly string[] =>
  mistakesOf({ clients: { [id]: client } })

t.test('clients: what is right, and what is wrong', async (t) => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 })
  const strong = generateKeyPairSync('rsa', { modulusLength: 2048 })
  t.strictSame(ofClient({ jwks, scopes }), [])
  t.strictSame(ofClient({ jwksUri: 'https://ci.example/jwks', scopes }), [])
  t.strictSame(ofClient({ jwksUri: 'http://127.0.0.1:9/jwks', scopes }), [])
  t.strictSame(mistakesOf({ scopes: { run: 'run' }, clients: { c: { jwks, scopes: ['run'] } } }), [])
  const at = 'config.clients.ci-bot'
  const notAnAddress = `${at}.jwksUri must be an https address, or http on loopback in development`
  const wrong: readonly (readonly [unknown, string])[] = [
    [{ jwks }, `${at}.scopes must be a list of at least one scope`],
    [{ jwks, scopes: [] }, `${at}.scopes must be a list of at least one scope`],
    [{ jwks, scopes: ['run'] }, `${at}.scopes must be 'api' alone, for none are declared`],
    [{ scopes }, `${at} must have exactly one of jwks and jwksUri`],
    [{ jwks, jwksUri: 'https://ci.example', scopes }, `${at} must have exactly one of jwks and jwksUri`],
    [{ jwksUri: 'http://ci.example', scopes }, notAnAddress],
    [{ jwksUri: 'https://u:p@ci.example', scopes }, notAnAddress],
    [{ jwksUri: 'file:///keys', scopes }, notAnAddress],
    [{ jwks: {}, scopes }, `${at}.jwks must be a JWK set: { keys: [ … ] }, with a public key at least`],
    [{ jwks: { keys: [7] }, scopes }, `${at}.jwks.keys[0] is no JSON Web Key`],
    [
      { jwks: { keys: [jwk, key.privateKey.export({ format: 'jwk' })] }, scopes },
      `${at}.jwks.keys[1] is a private or secret key`,
    ],
    [{ jwks: { keys: [{ kty: 'oct', k: 'YQ' }] }, scopes }, `${at}.jwks.keys[0] is a private or secret key`],
    [{ jwks: { keys: [{ ...jwk, use: 'enc' }] }, scopes }, `${at}.jwks.keys[0] is not for signatures`],
    [{ jwks: { keys: [{ ...jwk, x: 'AA' }] }, scopes }, `${at}.jwks.keys[0] is no public key`],
    [{ jwks: { keys: [{ ...jwk, kid: 1 }] }, scopes }, `${at}.jwks.keys[0] has a kid that is no text`],
    ...[jwkOf(rsa), { ...jwkOf(strong), e: 'AQ' }, { ...jwk, alg: 'HS256' }].map(
      (weak) =>
        [
          { jwks: { keys: [weak] }, scopes },
          `${at}.jwks.keys[0] must be P-256, P-384, P-521, Ed25519, or RSA of at least 2048 bits, and its alg fit`,
        ] as const,
    ),
    [{ jwks, scopes, secret: 'x' }, `${at} has no setting secret`],
    [7, `${at} must be an object`],
  ]
  for (const [client, text] of wrong) t.strictSame(ofClient(client), [text])
  for (const id of ['Ci', 'a b', '', 'x'.repeat(65)])
    t.strictSame(ofClient({ jwks, scopes }, id), [
      `config.clients.${id} must be named with 1 to 64 of a-z, 0-9 and -`,
    ])
  t.match(ofClient({ jwks, scopes }, 'acmcp-pages'), [/names that begin with acmcp- are ours/])
  const undeclared = { scopes: { run: 'run' }, clients: { c: { jwks, scopes: ['api'] } } }
  t.strictSame(mistakesOf(undeclared), ['config.clients.c.scopes must be declared scopes'])
})

t.test('no provider is called client', async (t) => {
  const client = { issuer: 'https://id.example', clientId: 'a', clientSecret: 'b' }
  t.strictSame(mistakesOf({ providers: { client } }), [
    'config.providers.client must be called otherwise: client: begins the subjects of clients',
  ])
})
