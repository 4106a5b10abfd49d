/** Authorization and token requests in the two profiles. Source: decisions/oauth.md, Profiles; RFC 6749, 5.2; RFC 8707, 2; RFC 3986,
 *  6.2.2.1. */
import t from 'tap'
import { createApplication } from '../../../runtime/boot/application.ts'
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import type { HttpResponse } from '../../../runtime/contract/http.ts'
import { surroundings } from '../../support/surroundings.ts'
import {
  authorizeParameters,
  baseUrl,
  codeForm,
  compatibleWorld,
  jsonOf,
  oauthError,
  query,
  register,
  seen,
  signedInBrowser,
  type World,
  world,
} from '../support/harness.ts'

const token = (w: World, form: Readonly<Record<string, string>> | string): Promise<HttpResponse> =>
  w.call('POST', '/oauth/token', { form })

const without = ({ redirect_uri: _, ...form }: Record<string, string>): Record<string, string> => form

const invalidGrant = oauthError('invalid_grant', 'the code or refresh token is not valid')

t.test(
  'profiles, a token request without redirect_uri: by default invalid_grant, in compatible PKCE is enough',
  async (t) => {
    const strict = await world(t)
    t.strictSame(
      seen(await token(strict, without(await codeForm(strict, await register(strict))))),
      invalidGrant,
    )
    t.match(strict.logged.at(-1), /"reason":"redirect_uri is missing","hint":"oauth\.profile: 'compatible'/)
    const w = await compatibleWorld(t)
    const id = await register(w)
    for (const changes of [{ redirect_uri: 'https://client.example/cb/' }, { code_verifier: 'x'.repeat(43) }])
      t.strictSame(seen(await token(w, { ...(await codeForm(w, id)), ...changes })), invalidGrant)
    const unproven = without(await codeForm(w, id))
    t.strictSame(seen(await token(w, { ...unproven, code_verifier: 'x'.repeat(43) })), invalidGrant)
    t.equal((await token(w, unproven)).status, 200)
    t.equal((await token(w, { ...(await codeForm(w, id)), redirect_uri: '' })).status, 200)
  },
)

t.test(
  'RFC 6749, 5.2: in compatible a client that is not there is invalid_client, whatever else is wrong',
  async (t) => {
    const gone =
      'no client has this id here, or not any more: register again, or compare the id with the one that the owner of this server set up'
    const forms = [
      { grant_type: 'refresh_token', client_id: 'nobody', refresh_token: 'x' },
      { grant_type: 'authorization_code', client_id: 'nobody', code: 'x', code_verifier: 'x' },
    ]
    const [strict, w] = [await world(t), await compatibleWorld(t)]
    for (const form of forms) {
      t.strictSame(seen(await token(strict, form)), invalidGrant)
      t.strictSame(seen(await token(w, form)), oauthError('invalid_client', gone, 401))
    }
    const other = { ...(await codeForm(w, await register(w))), client_id: await register(w) }
    t.strictSame(seen(await token(w, other)), invalidGrant)
  },
)

/** Of resources, what a server at `baseUrl` takes at both endpoints. */
async function takenBy(w: World, resources: readonly string[]): Promise<readonly string[]> {
  const id = await register(w)
  const taken: string[] = []
  const browser = await signedInBrowser(w)
  for (const resource of resources) {
    const sent = resource.split(' ').map((one) => ['resource', one])
    const page = await w.call('GET', `${query(authorizeParameters(id))}&${new URLSearchParams(sent)}`, {
      browser,
    })
    const form = new URLSearchParams([...Object.entries(await codeForm(w, id)), ...sent])
    const outcome = await token(w, String(form))
    const isTaken = outcome.status === 200
    t.equal(page.status === 200, isTaken, resource)
    if (isTaken) taken.push(resource)
    else t.match(jsonOf(outcome).error, /^invalid_(target|request)$/, resource)
  }
  return taken
}

const onBase = 'https://app.example'
const written = ['', onBase, `${onBase}/`, `${onBase}/mcp`, `${onBase}/mcp/notes?x=1`]
const sameHost = ['HTTPS://APP.example', 'https://App.Example/mcp']
const several = [`${onBase} ${onBase}/mcp`, `${onBase} ${onBase}`]
const foreign = [
  'https://app.example.org',
  'https://app.example:444/mcp',
  'https://app.example@evil.example/',
  'https://evil.example#https://app.example/',
  'http://app.example',
  'app.example',
  `${onBase} https://other.example`,
  `https://other.example ${onBase}`,
  'HTTPS://OTHER.example',
]

t.test(
  'RFC 8707, 2; RFC 3986, 6.2.2.1: resource as written and once, in compatible without case of the host and several',
  async (t) => {
    const all = [...written, ...sameHost, ...several, ...foreign, `${onBase}/ `, 'https://app.EXAMPLE/MCP']
    t.strictSame(await takenBy(await world(t), all), written)
    t.strictSame(await takenBy(await compatibleWorld(t), all), [
      ...written,
      ...sameHost,
      ...several,
      `${onBase}/ `,
      'https://app.EXAMPLE/MCP',
    ])
  },
)

t.test(
  'profiles, refusals of the token endpoint: in compatible described, in specification the log names what is taken',
  async (t) => {
    const [strict, w] = [await world(t), await compatibleWorld(t)]
    const foreign = 'https://other.example/mcp'
    for (const [change, error, description, isLifted] of [
      [
        { grant_type: 'password' },
        'unsupported_grant_type',
        "this server has no grant type 'password'",
        false,
      ],
      [
        { resource: foreign },
        'invalid_target',
        `resource must be ${baseUrl} or below it, not '${foreign}'`,
        false,
      ],
      [{ resource: baseUrl.toUpperCase() }, 'invalid_target', null, true],
      [{ resource: `${baseUrl} ${baseUrl}/mcp` }, 'invalid_target', null, true],
    ] as const) {
      const form = { ...(await codeForm(strict, await register(strict))), ...change }
      strict.logged.length = 0
      t.strictSame(seen(await token(strict, form)), oauthError(error))
      t.equal(
        strict.logged.join('').includes("oauth.profile: 'compatible'"),
        isLifted,
        JSON.stringify(change),
      )
      const answer = seen(await token(w, { ...(await codeForm(w, await register(w))), ...change }))
      if (description !== null) t.strictSame(answer, oauthError(error, description))
    }
    const twice = new URLSearchParams([...Object.entries(await codeForm(strict, await register(strict)))])
    twice.append('resource', baseUrl)
    twice.append('resource', baseUrl)
    strict.logged.length = 0
    t.equal((await token(strict, String(twice))).status, 400)
    t.match(strict.logged[0], "oauth.profile: 'compatible'")
    twice.delete('resource')
    twice.append('code', 'x')
    t.equal((await token(strict, String(twice))).status, 400)
    t.equal(strict.logged.filter((line) => line.includes('hint')).length, 1)
  },
)

t.test(
  'profiles, loopback: the name that a request asks for is in metadata and challenges of compatible',
  async (t) => {
    const bundle = await loadBundle(process.cwd())
    const served = async (profile: string) => {
      const config = { ...(bundle.config as object), oauth: { profile } } // a plain object
      const { server, close } = await createApplication(
        { ...bundle, config },
        surroundings('http://localhost:3000'),
      )
      t.teardown(close)
      return async (host: string): Promise<readonly unknown[]> => {
        const get = (url: string) => server.inject({ url, headers: { host } })
        const metadataOf = (text: unknown) => /resource_metadata="([^"]*)"/.exec(String(text))?.[1]
        const document = await get('/.well-known/oauth-protected-resource/mcp')
        const challenged = await server.inject({ method: 'POST', url: '/mcp', headers: { host } })
        const { resource, authorization_servers: servers } = document.json()
        const issuer = (await get('/.well-known/oauth-authorization-server')).json().issuer
        return [resource, metadataOf(challenged.headers['www-authenticate']), servers, issuer]
      }
    }
    const base = 'http://localhost:3000'
    const named = (by: string): readonly unknown[] => [
      `${by}/mcp`,
      `${by}/.well-known/oauth-protected-resource/mcp`,
      [base],
      base,
    ]
    const hosts = [
      'localhost:3000',
      '127.0.0.1:3000',
      '[::1]:3000',
      'LocalHost:3000',
      '127.0.0.1:3001',
      '127.0.0.1',
    ]
    const strict = await served('specification')
    for (const host of hosts) t.strictSame(await strict(host), named(base), host)
    const compatible = await served('compatible')
    const [, v4, v6] = [base, 'http://127.0.0.1:3000', 'http://[::1]:3000']
    const expected = [base, v4, v6, base, base, base]
    for (const [index, host] of hosts.entries())
      t.strictSame(await compatible(host), named(String(expected[index])), host)
  },
)

t.test(
  'profiles, loopback: in compatible resource is ours by every loopback name, on our port',
  async (t) => {
    const base = 'http://127.0.0.1:3000'
    const names = [`${base}/mcp`, 'http://localhost:3000/mcp', 'http://[::1]:3000', 'http://LOCALHOST:3000/']
    const others = [
      'http://localhost:3001',
      'https://localhost:3000',
      'http://127.0.0.2:3000',
      'http://localhost',
    ]
    t.strictSame(await takenBy(await world(t, { baseUrl: base }), [...names, ...others]), [`${base}/mcp`])
    t.strictSame(await takenBy(await compatibleWorld(t, { baseUrl: base }), [...names, ...others]), names)
  },
)
