/** Mutated requests over all OAuth endpoints, and mutated JWTs against the API and the token endpoint, seeded so that a
 *  failure repeats. */
import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import type { InjectOptions } from 'fastify'
import {
  answerOf,
  authorizeUrl,
  breaches,
  callApi,
  codeOf,
  consentForm,
  jwtSecret,
  openScene,
  postToken,
  redemption,
  refreshing,
  type Scene,
  send,
  type Tokens,
  tokensOf,
} from './scene.ts'

export interface Run {
  readonly count: number
  readonly seed: number
}

type Test = Parameters<typeof openScene>[0]
type Form = Readonly<Record<string, string>>

/** A scene with a code and tokens that no mutated request may spend, revoke or turn into others. */
interface Prize {
  readonly s: Scene
  readonly consent: Form
  readonly redeem: Form
  readonly tokens: Tokens
  readonly cookie: string
}

async function prizeScene(t: Test): Promise<Prize> {
  const s = await openScene(t)
  const tokens = await tokensOf(s)
  const redeem = redemption(s, await codeOf(s))
  const consent = await consentForm(s)
  const signedIn = await send(s, { url: '/auth/dev' })
  return { s, consent, redeem, tokens, cookie: signedIn.cookies[0]?.value ?? '' }
}

/** What is left over when the mutated requests are through: everything still works, once. */
async function isUntouched({ s, redeem, tokens }: Prize): Promise<boolean> {
  const statuses = [
    (await callApi(s, tokens.access)).statusCode,
    (await postToken(s, refreshing(s, tokens.refresh))).statusCode,
    (await postToken(s, redeem)).statusCode,
  ]
  return statuses.every((status) => status === 200)
}

const hostile = fc.constantFrom(
  ...[
    '',
    ' ',
    '\0',
    '%',
    '%zz',
    '%00',
    '../..',
    '//evil.example',
    'https://evil.example/cb',
    'javascript:alert(1)',
  ],
  ...[
    '__proto__',
    'constructor',
    'null',
    'undefined',
    'true',
    '[]',
    '{}',
    "' or '1'='1",
    '$ne',
    '<script>',
    '\r\nx: y',
  ],
  ...[
    'http://127.0.0.1',
    'http://localhost@evil.example',
    'http://127.1/callback',
    'allow',
    'deny',
    'S256',
    'plain',
  ],
  ...[
    'code',
    'token',
    'api',
    'api api',
    'admin',
    '🙂',
    '\ud800',
    'é'.repeat(300),
    'x'.repeat(3000),
    'x'.repeat(40_000),
  ],
)

const anyText = fc.oneof(hostile, fc.string({ unit: 'binary', maxLength: 200 }), fc.string({ maxLength: 50 }))

/** How one parameter is sent. */
type Fate =
  | { readonly kind: 'drop' | 'twice' | 'elsewhere' | 'cut' | 'keep' }
  | { readonly kind: 'other'; readonly value: string }
  | { readonly kind: 'flip'; readonly at: number; readonly by: number }

const mutation: fc.Arbitrary<Fate> = fc.oneof(
  fc.constantFrom({ kind: 'drop' }, { kind: 'twice' }, { kind: 'cut' } as const),
  fc.record({ kind: fc.constant('other' as const), value: anyText }),
  fc.record({ kind: fc.constant('flip' as const), at: fc.nat(2000), by: fc.integer({ min: 1, max: 60 }) }),
) as fc.Arbitrary<Fate> // the literals of the constants

const fate: fc.Arbitrary<Fate> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: 'keep' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'elsewhere' } as const) },
  { weight: 1, arbitrary: mutation },
)

const targets = ['consent', 'redeem', 'refresh', 'revoke', 'register', 'page', 'raw'] as const

interface Mutated {
  readonly target: (typeof targets)[number]
  /** The fate of every parameter, and a sure change to one that decides. */
  readonly fates: readonly Fate[]
  readonly sure: { readonly index: number; readonly fate: Fate }
  readonly extra: readonly (readonly [string, string])[]
  readonly method: string
  readonly type: string
  readonly cookie: string
  readonly json: unknown
  readonly path: string
  readonly raw: string
}

const often = <Value>(usual: Value, others: fc.Arbitrary<Value>): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: others })

const formType = 'application/x-www-form-urlencoded'
const rawText = fc.string({
  unit: fc.constantFrom(...'abc=&%+;?/:@[]{}<>"\\^`|~!$\'()*,.-_0123456789'),
  maxLength: 80,
})
const parameterName = fc.constantFrom(
  ...[
    'client_id',
    'code',
    'state',
    'scope',
    'resource',
    'decision',
    'csrf_token',
    'x',
    '__proto__',
    'client_id[]',
  ],
)

const mutated: fc.Arbitrary<Mutated> = fc.record({
  target: fc.constantFrom(...targets),
  fates: fc.array(fate, { minLength: 12, maxLength: 12 }),
  sure: fc.record({ index: fc.nat(10), fate: mutation }),
  extra: fc.array(fc.tuple(parameterName, anyText), { maxLength: 2 }),
  method: often('usual', fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS')),
  type: often(
    formType,
    fc.oneof(fc.constantFrom('application/json', 'multipart/form-data', '', 'x'), rawText),
  ),
  cookie: often('good', rawText),
  json: fc.oneof(fc.object({ maxDepth: 2 }), fc.jsonValue()),
  path: fc.constantFrom(
    ...[
      '/auth',
      '/auth/dev',
      '/auth/dev/callback',
      '/auth/nobody',
      '/auth/__proto__/callback',
      '/oauth/authorize',
    ],
    ...[
      '/oauth',
      '/oauth/token',
      '/oauth/revoke',
      '/oauth/register',
      '/oauth/authorize/x',
      '/.well-known/jwks.json',
    ],
    ...['/.well-known/oauth-authorization-server', '/.well-known/oauth-authorization-server/x/y'],
    ...['/.well-known/openid-configuration', '/.well-known/oauth-protected-resource/mcp'],
  ),
  raw: rawText,
})

type Pairs = readonly (readonly [string, string])[]

/** Query and body of a form whose parameters met their fates. */
function meet(form: Form, deciding: readonly string[], m: Mutated): { query: Pairs; body: Pairs } {
  const sureName = deciding[m.sure.index % Math.max(1, deciding.length)] ?? ''
  const query: (readonly [string, string])[] = []
  const body: (readonly [string, string])[] = [...m.extra]
  for (const [index, [name, value]] of Object.entries(form).entries()) {
    const met = name === sureName ? m.sure.fate : (m.fates[index] ?? { kind: 'keep' })
    if (met.kind === 'drop') continue
    const pair = [name, changed(value, met)] as const
    ;(met.kind === 'elsewhere' ? query : body).push(pair)
    if (met.kind === 'twice') body.push(pair)
  }
  return { query, body }
}

function changed(value: string, met: Fate): string {
  if (met.kind === 'other') return met.value
  if (met.kind === 'cut') return value.slice(0, Math.floor(value.length / 2))
  if (met.kind !== 'flip' || value === '') return value
  const at = met.at % value.length
  const flipped = String.fromCharCode(32 + ((value.charCodeAt(at) - 32 + met.by) % 95))
  return value.slice(0, at) + flipped + value.slice(at + 1)
}

const encode = (pairs: Pairs): string =>
  new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString()

function requestOf(prize: Prize, m: Mutated): InjectOptions {
  const { s, consent, redeem, tokens } = prize
  const revoke = { client_id: s.clientId, token: tokens.refresh, token_type_hint: 'refresh_token' }
  const grant = ['grant_type', 'client_id']
  switch (m.target) {
    case 'consent':
      return formRequest('/oauth/authorize', meet({ ...consent, decision: 'allow' }, [], m), prize, m)
    case 'redeem': {
      const deciding = [...grant, 'redirect_uri', 'code', 'code_verifier']
      return formRequest('/oauth/token', meet(redeem, deciding, m), prize, m)
    }
    case 'refresh': {
      const form = refreshing(s, tokens.refresh)
      return formRequest('/oauth/token', meet(form, [...grant, 'refresh_token'], m), prize, m)
    }
    case 'revoke':
      return formRequest('/oauth/revoke', meet(revoke, ['client_id', 'token'], m), prize, m)
    case 'register':
      return {
        method: 'POST',
        url: '/oauth/register',
        headers: { 'content-type': m.type === formType ? 'application/json' : m.type },
        payload: JSON.stringify(metadataOf(m)),
      }
    case 'page':
      return { method: methodOf(m, 'GET'), url: `${m.path}?${encode(m.extra)}`, cookies: cookiesOf(prize, m) }
    case 'raw':
      return {
        method: methodOf(m, 'POST'),
        url: `${m.path}?${m.raw.replaceAll('#', '')}`,
        headers: { 'content-type': m.type },
        payload: methodOf(m, 'POST') === 'GET' ? '' : m.raw,
        cookies: cookiesOf(prize, m),
      }
  }
}

/** Registration metadata in which single members, or all of it, are something else. */
function metadataOf({ json, fates, extra }: Mutated): unknown {
  if (fates[0]?.kind === 'other') return json
  const uris = fates.flatMap((met) => (met.kind === 'other' ? [met.value] : []))
  return {
    redirect_uris: fates[1]?.kind === 'drop' ? json : ['https://client.example/cb', ...uris],
    client_name: fates[2]?.kind === 'keep' ? 'fuzz' : json,
    ...(fates[3]?.kind === 'keep' ? {} : { grant_types: [json, 'authorization_code'] }),
    ...Object.fromEntries(extra),
  }
}

function formRequest(
  path: string,
  { query, body }: { readonly query: Pairs; readonly body: Pairs },
  prize: Prize,
  m: Mutated,
): InjectOptions {
  const method = methodOf(m, 'POST')
  const search = query.length === 0 ? '' : `?${encode(query)}`
  return {
    method,
    url: path + search,
    headers: { 'content-type': m.type },
    payload: method === 'GET' || method === 'HEAD' ? '' : encode(body),
    cookies: cookiesOf(prize, m),
  }
}

const methodOf = ({ method }: Mutated, usual: string): NonNullable<InjectOptions['method']> =>
  (method === 'usual' ? usual : method) as NonNullable<InjectOptions['method']> // one of the names above

const cookiesOf = ({ cookie }: Prize, m: Mutated): Record<string, string> => ({
  acmcp_session: m.cookie === 'good' ? cookie : encodeURIComponent(m.cookie),
})

/** Sends `count` mutated requests. Throws with the smallest breach that it can find: a 5xx, a stack trace, a `Location`
 *  off the registered list, an answer of the authorization server that a cache may keep, or a token given away. */
export async function fuzzRequests(t: Test, { count, seed }: Run): Promise<void> {
  const prize = await prizeScene(t)
  const property = fc.asyncProperty(mutated, async (m) => {
    const request = requestOf(prize, m)
    const answer = await send(prize.s, request)
    const found = breaches(request, answer)
    if (found.length > 0) throw new Error(`${found.join('; ')}: ${JSON.stringify(request).slice(0, 2000)}`)
    if (answer.body.includes('access_token')) throw new Error(`accepted: ${JSON.stringify(request)}`)
  })
  await fc.assert(property, { numRuns: count, seed })
  if (!(await isUntouched(prize))) throw new Error('a mutated request spent or revoked something')
}

/** One mutated JWT: which token it is made of, and how. */
interface MutatedToken {
  readonly of: number
  readonly other: number
  readonly how: (typeof ways)[number]
  readonly at: number
  readonly by: number
  readonly text: string
}

const ways = [
  ...['flip', 'insert', 'remove', 'cut', 'repeat', 'pad', 'pad-part', 'standard', 'trailing-bits', 'space'],
  ...['reserialise', 'claim', 'header', 'none', 'empty-key', 'mix', 'swap', 'case', 'escape', 'parts'],
] as const

const mutatedToken: fc.Arbitrary<MutatedToken> = fc.record({
  of: fc.nat(2),
  other: fc.nat(2),
  how: fc.constantFrom(...ways),
  at: fc.nat(5000),
  by: fc.integer({ min: 1, max: 60 }),
  text: fc.oneof(anyText, fc.constantFrom('sub', 'aud', 'exp', 'typ', 'iss', 'jti', 'kid', 'alg')),
})

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const decode = (part: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(part, 'base64url').toString())
const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const hmac = (input: string, key: string): string =>
  createHmac('sha256', key).update(input).digest('base64url')

function mutateToken(tokens: readonly string[], m: MutatedToken): string {
  const token = tokens[m.of] ?? ''
  const other = tokens[m.other] ?? ''
  const parts = token.split('.')
  const [header = '', payload = '', signature = ''] = parts
  const index = m.at % 3
  const at = m.at % token.length
  const replaced = (part: string): string => parts.map((old, i) => (i === index ? part : old)).join('.')
  const part = parts[index] ?? ''
  switch (m.how) {
    case 'flip':
      return (
        token.slice(0, at) +
        alphabet[(alphabet.indexOf(token[at] ?? '') + m.by + 64) % 64] +
        token.slice(at + 1)
      )
    case 'insert':
      return token.slice(0, at) + (m.text || 'A') + token.slice(at)
    case 'remove':
      return token.slice(0, at) + token.slice(at + m.by)
    case 'cut':
      return token.slice(0, at)
    case 'repeat':
      return token + token.slice(at)
    case 'pad':
      return token + '='.repeat(1 + (m.by % 3))
    case 'pad-part':
      return replaced(part + '='.repeat(1 + (m.by % 3)))
    case 'standard':
      return replaced(part.replaceAll('-', '+').replaceAll('_', '/'))
    case 'trailing-bits':
      return replaced(
        part.slice(0, -1) + alphabet[(alphabet.indexOf(part.at(-1) ?? '') + 1 + (m.by % 3)) % 64],
      )
    case 'space':
      return replaced([' ', '\t', '\n', '\r\n'][m.by % 4] + part)
    case 'reserialise':
      return [
        base64url(decode(header)),
        Buffer.from(JSON.stringify(decode(payload), null, 1)).toString('base64url'),
        signature,
      ].join('.')
    case 'claim':
      return [header, base64url({ ...decode(payload), [m.text]: m.by }), signature].join('.')
    case 'header':
      return [base64url({ ...decode(header), [m.text]: m.by }), payload, signature].join('.')
    case 'none':
      return `${base64url({ alg: ['none', 'None', 'NONE', 'nOnE'][m.by % 4] })}.${payload}.${m.by % 2 ? signature : ''}`
    case 'empty-key': {
      const input = `${base64url({ alg: 'HS256' })}.${payload}`
      return `${input}.${hmac(input, ['', 'secret', jwtSecret.slice(0, -1), `${jwtSecret} `][m.by % 4] ?? '')}`
    }
    case 'mix': {
      const others = other.split('.')
      return replaced(others[index] ?? '')
    }
    case 'swap':
      return [parts[index], parts[(index + 1) % 3], parts[(index + 2) % 3]].join('.')
    case 'case':
      return m.by % 2 ? token.toUpperCase() : token.toLowerCase()
    case 'escape':
      return replaced(
        encodeURIComponent(part).replace(/[A-Z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
      )
    default:
      return `${token}.${m.text}`
  }
}

/** Sends `count` mutated JWTs, each to the API and as code or refresh token. Throws when one is accepted, answered
 *  otherwise than every other wrong one, or touches the tokens it was made of. */
export async function fuzzTokens(t: Test, { count, seed }: Run): Promise<void> {
  const prize = await prizeScene(t)
  const { s, redeem, tokens } = prize
  const originals = [tokens.access, tokens.refresh, redeem.code ?? '']
  const invalid = 'the code or refresh token is not valid'
  const property = fc.asyncProperty(mutatedToken, async (m) => {
    const token = mutateToken(originals, m)
    // A header carries no NUL and no space at its ends: Node's parser refuses the one and drops the other.
    fc.pre(!originals.includes(token) && token.trim() === token && !token.includes('\0'))
    // a header's characters are bytes: what else a text holds goes as its UTF-8
    const api = await callApi(s, Buffer.from(token).toString('latin1'))
    const form = m.by % 2 === 0 ? refreshing(s, token) : { ...redeem, code: token }
    const grant = await postToken(s, form)
    const isRefused = api.statusCode === 401 && api.body === '{"error":"invalid_token"}'
    const [status, body] = answerOf(grant)
    const { error, error_description } = body as Record<string, unknown> // a JSON object, or this throws
    const isTooLarge = status === 413 && error === 'invalid_request'
    const isInvalidGrant = status === 400 && error === 'invalid_grant' && error_description === invalid
    if (!isRefused || !(isInvalidGrant || isTooLarge))
      throw new Error(`${m.how}: ${api.statusCode} ${api.body}, ${status} ${grant.body}: ${token}`)
  })
  await fc.assert(property, { numRuns: count, seed })
  if (!(await isUntouched(prize))) throw new Error('a mutated token spent or revoked something')
}

/** Whether the unmutated forms do what the mutated ones must not: without this, the fuzzing would prove nothing. */
export async function provesSomething(t: Test): Promise<boolean> {
  const prize = await prizeScene(t)
  const { s, consent, cookie } = prize
  const page = await send(s, { url: authorizeUrl(s.request), cookies: { acmcp_session: cookie } })
  const allowed = await s.client.submit('/oauth/authorize', { ...consent, decision: 'allow' })
  return page.statusCode === 200 && allowed.statusCode === 303 && (await isUntouched(prize))
}
