/** An access token by the whole flow of a client: for `acmcp/testing`. */
import { createHash, randomBytes } from 'node:crypto'
import type { LightMyRequestResponse } from 'fastify'

/** The part of a test client that it takes. */
interface Browser {
  get(url: string): Promise<LightMyRequestResponse>
  json(url: string, value: unknown): Promise<LightMyRequestResponse>
  submit(url: string, fields: Readonly<Record<string, string>>): Promise<LightMyRequestResponse>
}

const redirectUri = 'http://127.0.0.1:7777/callback'

/** Registers a client, consents as the user who is signed in to the browser, and redeems the code. `scope` is what a client would ask
 *  for; empty = nothing. Throws when a scope that it names is not granted, and when there is no tick for `readOnly`. */
export async function tokenByFlow(
  client: Browser,
  { scope = '', readOnly = false }: { readonly scope?: string; readonly readOnly?: boolean },
): Promise<string> {
  const metadata = { client_name: 'test', redirect_uris: [redirectUri] }
  const registered = await client.json('/oauth/register', metadata)
  const verifier = randomBytes(32).toString('base64url')
  const fields = {
    response_type: 'code',
    client_id: String(registered.json().client_id),
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(scope === '' ? {} : { scope }),
  }
  const page = await client.get(`/oauth/authorize?${new URLSearchParams(fields)}`)
  const { read_only, ...ticked } = answersIn(page.body)
  if (readOnly && read_only === undefined)
    throw new Error('no scopes are declared: the consent page has no tick that says read only')
  const answer = { ...fields, ...ticked, ...(readOnly ? { read_only: 'on' } : {}), decision: 'allow' }
  const { headers, body } = await client.submit('/oauth/authorize', answer)
  const code = codeIn(headers.location)
  if (code === null)
    throw new Error(`nothing was granted for scope ${scope || 'api'}: ${headers.location ?? body}`)
  const token = await client.submit('/oauth/token', {
    grant_type: 'authorization_code',
    client_id: fields.client_id,
    redirect_uri: redirectUri,
    code,
    code_verifier: verifier,
  })
  return tokenWith(scope, token.json())
}

/** Null where a redirect tells of an error, or there is none. */
const codeIn = (location: string | undefined): string | null =>
  location === undefined ? null : new URL(location).searchParams.get('code')

/** What the form of a consent page sends when all that it offers is ticked. */
function answersIn(page: string): Readonly<Record<string, string>> {
  const form = /<form [^>]*action="\/oauth\/authorize"[\s\S]*?<\/form>/.exec(page)?.[0] ?? ''
  const inputs = [...form.matchAll(/<input ([^>]*)>/g)].map(([, attributes = '']) => attributes)
  return Object.fromEntries(
    inputs.map((input) => [attribute(input, 'name') ?? '', attribute(input, 'value') ?? 'on']),
  )
}

function attribute(input: string, name: string): string | null {
  const text = new RegExp(`\\b${name}="([^"]*)"`).exec(input)?.[1]
  return text === undefined ? null : written(text)
}

const characters = new Map([
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#39;', "'"],
  ['&amp;', '&'],
])

/** As it stood before it was escaped. */
const written = (text: string): string =>
  text.replace(/&(?:lt|gt|quot|#39|amp);/g, (word) => characters.get(word) ?? word)

/** `api` stands for what the user may have of it. */
function tokenWith(
  scope: string,
  token: { readonly access_token?: string; readonly scope?: string },
): string {
  const granted = token.scope?.split(' ') ?? []
  const missing = scope.split(' ').filter((name) => name !== '' && name !== 'api' && !granted.includes(name))
  if (token.access_token === undefined || missing.length > 0)
    throw new Error(`the token was to grant ${scope || 'api'}: ${token.scope ?? JSON.stringify(token)}`)
  return token.access_token
}
