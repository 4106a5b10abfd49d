/** Access to an operation, in OpenAPI's words: security schemes, what an operation needs of them, and what the guard of scopes
 *  answers. Source: OpenAPI 3.1, Security Scheme Object; decisions/compiler.md, OpenAPI. */
import { docOf } from '../../ir/docs.ts'
import type { Action, ActionScope, Model } from '../../ir/model.ts'
import type { Schema } from '../../ir/schema.ts'
import type { Handler, Result } from '../../ir/steps.ts'
import type { Json } from './json.ts'
import { errorObject, handlerOf } from './plain-errors.ts'

type SchemeName = 'bearerAuth' | 'oauth2' | 'sessionCookie' | 'apiKey'

/** The alternatives of an operation; the last, empty one stands for any caller. */
type Requirements = readonly Readonly<Partial<Record<SchemeName, readonly string[]>>>[]

const requirements: Readonly<Record<Action['guard'], Requirements>> = {
  required: [{ bearerAuth: [] }],
  optional: [{ bearerAuth: [] }, {}],
  none: [],
}

const others: Readonly<Record<ActionScope['unless'][number], SchemeName>> = {
  session: 'sessionCookie',
  key: 'apiKey',
}

function requirementsOf({ scope, guard }: Action): Requirements {
  if (scope === null) return requirements[guard]
  return [{ oauth2: scope.names }, ...scope.unless.map((item) => ({ [others[item]]: [] }))]
}

/** The field of an operation; nothing where no credentials are asked for. */
export function securityOf(action: Action): Json {
  const security = requirementsOf(action)
  return security.length === 0 ? {} : { security }
}

/** The names of the schemes that an operation speaks of. */
export const schemesOf = (action: Action): readonly string[] => requirementsOf(action).flatMap(Object.keys)

/** The schemes that operations name; what the application declares stands there with its words. */
export function securitySchemes({ scopes }: Model, named: ReadonlySet<string>): Json {
  const all: Readonly<Record<SchemeName, Json>> = {
    bearerAuth: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
    oauth2: { type: 'oauth2', flows: { authorizationCode: { ...addresses, scopes: textsOf(scopes) } } },
    sessionCookie: {
      type: 'apiKey',
      in: 'cookie',
      name: '__Host-acmcp_session',
      description: 'The session of somebody who is signed in. Its cookie may have another name.',
    },
    apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
  }
  const isThere = ([name]: readonly [string, Json]): boolean =>
    named.has(name) || (name === 'oauth2' && scopes.length > 0)
  return Object.fromEntries(Object.entries(all).filter(isThere))
}

/** Relative to the document's server, as OpenAPI allows every address to be. Source: rules.md, Authorization server settings. */
const addresses = {
  authorizationUrl: '/oauth/authorize',
  tokenUrl: '/oauth/token',
  refreshUrl: '/oauth/token',
}

/** Every scope that a client may ask for, with its words. */
function textsOf(scopes: Model['scopes']): Readonly<Record<string, string>> {
  const ofApi = scopes.filter(({ sensitive }) => !sensitive).map(({ name }) => name)
  const api = ofApi.length === 0 ? 'no scope: each must be asked for by name' : ofApi.join(', ')
  return Object.fromEntries([
    ['api', `Stands for ${api}`],
    ...scopes.map(({ name, text }) => [name, text] as const),
  ])
}

/** What the guard answers, whatever the route itself does. */
export function guardResults(
  { scopes }: Model,
  { scope }: Action,
  handlers: readonly Handler[],
): readonly Result[] {
  if (scope === null) return []
  const own = handlerOf('Forbidden', handlers)
  const mayBeForbidden = scopes.some(
    (declaredScope) => scope.names.includes(declaredScope.name) && isForSome(declaredScope, scopes),
  )
  return [
    { ...errorResponse('invalid_token'), status: 401, doc: docOf('There is no valid access token.') },
    {
      ...(own ?? errorResponse('insufficient_scope', ...(mayBeForbidden ? ['forbidden'] : []))),
      status: 403,
      doc: docOf(`The access token must grant ${scope.names.join(', ')}.`),
    },
  ]
}

/** Whether only some users may have it, or what it implies. */
export const isForSome = (
  { hasMayHave, implies }: Model['scopes'][number],
  scopes: Model['scopes'],
): boolean =>
  hasMayHave ||
  scopes.some((scope) => implies.some(({ name }) => name === scope.name) && isForSome(scope, scopes))

/** The names of the scopes as part of a name: `desk:admin` → `DeskAdmin`. */
export const scopeLabel = ({ names }: ActionScope): string =>
  names
    .flatMap((name) => name.split(/[^A-Za-z0-9]+/))
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')

/** The body whose `error` is one of these codes. */
function errorResponse(first: string, ...others: readonly string[]): Pick<Result, 'contentType' | 'schema'> {
  const word: Schema =
    others.length === 0
      ? { kind: 'literal', value: first, ofEnum: false }
      : { kind: 'enum', values: [first, ...others], ofEnum: false }
  return { contentType: 'application/json', schema: errorObject(word) }
}
