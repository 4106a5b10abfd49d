/** What the consent page shows: plain values, and the ticks of its form. Source: rules.md, Authorize 7; decisions/oauth.md, Scopes
 *  and consent. */
import type { ConsentTicks, ConsentView } from '../../../templates/pages/consent.ts'
import type { ConsentChoice, ConsentGroup } from '../../../templates/pages/consent-ticks.ts'
import type { HttpRequest } from '../../contract/http.ts'
import { lazy } from '../../lazy.ts'
import { apiScope, type Scope, type Scopes } from '../../scopes.ts'
import type { HeldGrant } from '../../store/store.ts'
import { documentHost } from '../clients/document-id.ts'
import { ownPagesClientId } from '../clients/own-pages.ts'
import { isLoopbackRedirectUri, isSafeRedirectUri, schemeOf } from '../clients/redirect-uri.ts'
import { type SigningOptions, serviceOf } from '../options.ts'
import { type Parameters, parameter } from '../parameters.ts'
import type { Offer } from './offer.ts'
import { type ConsentSubject, shownDigest } from './shown-digest.ts'

/** A page to be shown. */
export interface ConsentRequest extends ConsentSubject {
  readonly options: SigningOptions
  readonly request: HttpRequest
  readonly parameters: Parameters
  readonly csrfToken: string
  /** Why it is shown again; null = it is not. */
  readonly again: ConsentView['again']
  /** The address of this very request. */
  readonly returnTo: string
}

export async function consentView(consent: ConsentRequest): Promise<ConsentView> {
  const { options, client, user, redirectUri, again, returnTo } = consent
  const isOwnPage = client.id === ownPagesClientId // of which more is true than it says itself
  return {
    service: serviceOf(options),
    userName: user.name,
    clientName: client.name ?? client.id,
    clientHost: isOwnPage ? new URL(options.baseUrl).host : documentHost(client.id),
    isSetUpHere: options.confidentialClients.has(client.id),
    scopes: wordsOfApi(consent.offer, options.scopes),
    ticks: await ticksOf(consent),
    redirectUri,
    redirectHost: new URL(redirectUri).host,
    isLoopback: isLoopbackRedirectUri(redirectUri) && !isOwnPage,
    nativeScheme: isSafeRedirectUri(redirectUri) ? null : schemeOf(redirectUri),
    again,
    fields: fieldsOf(consent),
    returnTo,
  }
}

/** `api` where it stands for no declared scope: there is nothing of it to tick. */
function wordsOfApi({ requested }: Offer, scopes: Scopes): ConsentView['scopes'] {
  if (scopes.declared.length === 0)
    return [{ name: apiScope, text: 'use everything that you may use here, as you' }]
  if (!requested.includes(apiScope) || scopes.resolve([apiScope]).length > 0) return []
  return [{ name: apiScope, text: 'use what needs no further permission here, as you' }]
}

function fieldsOf(consent: ConsentRequest): ConsentView['fields'] {
  const { parameters, options, request, offer, csrfToken } = consent
  return [
    ['client_id', consent.client.id],
    ['redirect_uri', consent.redirectUri],
    ['response_type', 'code'],
    ['code_challenge', consent.challenge],
    ['code_challenge_method', 'S256'],
    ['scope', offer.requested.join(' ')],
    ['state', parameter(parameters, 'state')],
    ['resource', consent.resource],
    ['csrf_token', csrfToken],
    ...(options.scopes.declared.length === 0
      ? []
      : [['shown', shownDigest(consent, request.session, options)] as const]),
  ]
}

/** A name of the form that no parameter of the request has. */
const fieldOf = (name: string): string => `allow:${name}`

/** Those of the offer that are ticked in a form. */
export const tickedIn = (parameters: Parameters, { shown }: Offer): readonly string[] =>
  shown.map(({ name }) => name).filter((name) => parameter(parameters, fieldOf(name)) === 'on')

const readOnlyField = 'read_only'

/** Whether a form says that the client may look, and change nothing. */
export const isReadOnlyTicked = (parameters: Parameters): boolean =>
  parameter(parameters, readOnlyField) === 'on'

/** Loaded with the first page that has ticks. */
const ticksPage = lazy(() => import('../../../templates/pages/consent-ticks.ts'))

async function ticksOf(consent: ConsentRequest): Promise<ConsentTicks | null> {
  const { options, held, joined, parameters, again } = consent
  if (options.scopes.declared.length === 0) return null
  const { consentTicks } = await ticksPage()
  const isReadOnly =
    again === null ? held.length > 0 && held.every(({ readOnly }) => readOnly) : isReadOnlyTicked(parameters)
  return consentTicks(groupsOf(consent), {
    joined: joined.map(({ title }) => title),
    readOnly: { field: readOnlyField, isTicked: isReadOnly },
  })
}

/** New ones first, and of each the sensitive ones apart. Where this user has allowed the client nothing yet that is asked for,
 *  nothing is new. */
function groupsOf(consent: ConsentRequest): readonly ConsentGroup[] {
  const { options, offer, held } = consent
  const already = allowedBy(held, options.scopes)
  const isStepUp = offer.shown.some(({ name }) => already.has(name))
  const choices = offer.shown.map((scope) => ({
    ...scope,
    mark: isStepUp ? (already.has(scope.name) ? ('allowed' as const) : ('new' as const)) : null,
  }))
  const ticked = new Set(tickedAtFirst(consent, already))
  return (['new', null, 'allowed'] as const).flatMap((mark) =>
    [false, true].flatMap((isSensitive) => {
      const group = choices.filter((choice) => choice.mark === mark && choice.sensitive === isSensitive)
      if (group.length === 0) return []
      return [{ mark, isSensitive, choices: group.map((item) => choiceOf(item, ticked, consent)) }]
    }),
  )
}

/** Sensitive ones are ticked by hand, once; after an answer without a tick none is. */
function tickedAtFirst(
  { again, offer, options }: ConsentRequest,
  already: ReadonlySet<string>,
): readonly string[] {
  if (again === 'nothing') return []
  const ticked = offer.shown.filter(({ name, sensitive }) => !sensitive || already.has(name))
  return options.scopes.resolve(ticked.map(({ name }) => name))
}

function choiceOf(
  { name, text }: Scope,
  ticked: ReadonlySet<string>,
  { offer, options: { scopes } }: ConsentRequest,
): ConsentChoice {
  const shown = offer.shown.filter((scope) => scope.name !== name)
  const implied = scopes.comingWith(name)
  return {
    field: fieldOf(name),
    name,
    text,
    isTicked: ticked.has(name),
    implies: shown.filter((scope) => implied.has(scope.name)).map((scope) => fieldOf(scope.name)),
    comesWith: shown.filter((scope) => scopes.comingWith(scope.name).has(name)).map((scope) => scope.text),
  }
}

const allowedBy = (
  grants: readonly Pick<HeldGrant, 'scope' | 'allowed'>[],
  scopes: Scopes,
): ReadonlySet<string> =>
  new Set(grants.flatMap(({ scope, allowed }) => scopes.granted(scope.split(' '), allowed)))
