/** The parameters of an OAuth request: query and form together, each at most once, but for what the profile lets repeat. Source: RFC 6749, 3.1
 *  and 3.2; RFC 8707, 2; rules.md, OAuth. */
import type { HttpRequest } from '../contract/http.ts'
import { PayloadTooLarge } from '../errors.ts'
import { essence } from '../http/input/media-type.ts'
import { decodeUtf8 } from '../utf8.ts'
import { OAuthError, refused } from './oauth-error.ts'
import { liftedBy, type Profile, profiles } from './profile.ts'

/** Parameters by name. What is given without a value has the empty text (rules.md, missing required OAuth parameter). */
export type Parameters = ReadonlyMap<string, string>

const formType = 'application/x-www-form-urlencoded'
const limitBytes = 32 * 1024

type Repeating = Pick<Profile, 'repeatedParameters'>

const once: Repeating = { repeatedParameters: new Set() }

/** Reads query and, on POST, form body. Throws `invalid_request` on another content type, a parameter given twice, text
 *  that is not UTF-8, or a NUL character; `PayloadTooLarge` above 32 KB. Values of `repeatedParameters` are joined by blanks. */
export async function readParameters(request: HttpRequest, profile: Repeating = once): Promise<Parameters> {
  const form = request.method === 'POST' ? await readForm(request) : new URLSearchParams()
  const parameters = new Map<string, string>()
  for (const [name, value] of [...request.query, ...form]) {
    const earlier = parameters.get(name)
    if (earlier !== undefined && !profile.repeatedParameters.has(name)) throw givenTwice(name)
    // PostgreSQL cannot hold it, and no parameter has a use for it.
    if (value.includes('\0')) throw new OAuthError('invalid_request', 'a parameter contains a NUL character')
    parameters.set(name, earlier === undefined ? value : `${earlier} ${value}`)
  }
  return parameters
}

function givenTwice(name: string): OAuthError {
  const reason = 'a parameter is given more than once'
  return refused(
    'invalid_request',
    { reason, hint: profiles.compatible.repeatedParameters.has(name) ? liftedBy : null },
    reason,
  )
}

/** What proves the client's identity, and an assertion: a thief may use it elsewhere, and addresses stand in the logs of proxies. */
const onlyInBody = ['assertion', 'client_assertion', 'client_secret']

/** The same of endpoints to which clients send such things. Throws `invalid_request` for one in the address. Source: RFC 6749, 2.3.1. */
export async function readWithSecrets(request: HttpRequest, profile: Repeating = once): Promise<Parameters> {
  const inAddress = onlyInBody.find((name) => request.query.has(name))
  if (inAddress !== undefined)
    throw new OAuthError('invalid_request', `${inAddress} must not stand in the address`)
  return readParameters(request, profile)
}

/** The value of `name`, or the empty text. */
export function parameter(parameters: Parameters, name: string): string {
  return parameters.get(name) ?? ''
}

/** The value of `name`, which may be empty; throws `invalid_request` when it is absent. */
export function requiredParameter(parameters: Parameters, name: string): string {
  const value = parameters.get(name)
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is required`)
  return value
}

async function readForm(request: HttpRequest): Promise<URLSearchParams> {
  const { body } = request
  if (body.kind !== 'bytes') throw wrongType()
  if (body.contentType !== null && essence(body.contentType) !== formType) throw wrongType()
  const bytes = await body.read()
  if (bytes.length > limitBytes) throw new PayloadTooLarge(limitBytes)
  if (body.contentType === null && bytes.length > 0) throw wrongType()
  return new URLSearchParams(decodeUtf8(bytes, notUtf8))
}

const notUtf8 = (): OAuthError => new OAuthError('invalid_request', 'the request body is not UTF-8')

function wrongType(): OAuthError {
  return new OAuthError('invalid_request', `the request body must be ${formType}`)
}
