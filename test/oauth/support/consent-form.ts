/** The consent page as a browser without scripts has it: its hidden fields, its ticks, and its answer. */
import type { HttpResponse } from '../../../runtime/contract/http.ts'
import {
  authorizeParameters,
  type Browser,
  jsonOf,
  location,
  query,
  redirectUri,
  register,
  signedInBrowser,
  verifier,
  type World,
} from './harness.ts'

type Form = Record<string, string>

export interface Tick {
  /** The legend that it stands under. */
  readonly under: string
  readonly field: string
  readonly isTicked: boolean
  /** What one reads beside it. */
  readonly text: string
}

export interface ConsentForm {
  readonly body: string
  readonly hidden: Form
  readonly ticks: readonly Tick[]
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
const unescaped = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => entities[name] ?? '')
const textOf = (markup: string): string =>
  unescaped(markup.replace(/<[^>]+>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim()

export function readConsent({ status, body }: HttpResponse): ConsentForm {
  if (status !== 200) throw new Error(`no page: ${status} ${body}`)
  const page = String(body)
  const [form = ''] = /<form method="post" action="\/oauth\/authorize">.*?<\/form>/s.exec(page) ?? []
  const hidden = [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
  const groups = [...form.matchAll(/<fieldset class="choices">\n<legend>(.*?)<\/legend>(.*?)<\/fieldset>/gs)]
  return {
    body: page,
    hidden: Object.fromEntries(
      hidden.map(([, name = '', value = '']) => [unescaped(name), unescaped(value)]),
    ),
    ticks: groups.flatMap(([, legend = '', list = '']) => ticksIn(legend, list)),
  }
}

function ticksIn(legend: string, list: string): readonly Tick[] {
  const boxes = list.matchAll(
    /<input type="checkbox" name="([^"]*)" value="on" data-implies="[^"]*"( checked)?>\n<span>(.*?)<\/span><\/label>/gs,
  )
  return [...boxes].map(([, field = '', checked, text = '']) => ({
    under: textOf(legend),
    field: unescaped(field),
    isTicked: checked !== undefined,
    text: textOf(text),
  }))
}

/** The field of a scope. */
export const fieldOf = (name: string): string => `allow:${name}`

/** A client, and a browser that somebody is signed in to. */
export interface Visit {
  readonly world: World
  readonly browser: Browser
  readonly clientId: string
}

export async function visit(world: World, clientId: string | null = null): Promise<Visit> {
  return { world, browser: await signedInBrowser(world), clientId: clientId ?? (await register(world)) }
}

export const parametersOf = ({ clientId }: Visit, scope: string | null): Form => ({
  ...authorizeParameters(clientId),
  ...(scope === null ? {} : { scope }),
})

export const open = ({ world, browser }: Visit, parameters: Form): Promise<HttpResponse> =>
  world.call('GET', query(parameters), { browser })

export async function consentFor(item: Visit, scope: string | null): Promise<ConsentForm> {
  return readConsent(await open(item, parametersOf(item, scope)))
}

/** The form as a browser sends it: with `ticked`, or with what is ticked at first; a pressed button; other fields. */
export function answer(
  { world, browser }: Visit,
  { hidden, ticks }: ConsentForm,
  { ticked = null, others = {} }: { readonly ticked?: readonly string[] | null; readonly others?: Form } = {},
): Promise<HttpResponse> {
  const fields = ticked?.map(fieldOf) ?? ticks.filter(({ isTicked }) => isTicked).map(({ field }) => field)
  const on = Object.fromEntries(fields.map((field) => [field, 'on']))
  const form = { ...hidden, ...on, decision: 'allow', ...others }
  return world.call('POST', '/oauth/authorize', { browser, form })
}

export interface Tokens {
  readonly access: string
  readonly refresh: string
  readonly scope: string
}

/** Redeems the code of an answer. */
export async function redeemed({ world, clientId }: Visit, outcome: HttpResponse): Promise<Tokens> {
  const code = new URL(location(outcome)).searchParams.get('code') ?? ''
  const form = {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  }
  return tokensIn(await world.call('POST', '/oauth/token', { form }))
}

export function tokensIn(outcome: HttpResponse): Tokens {
  const { access_token, refresh_token, scope } = jsonOf(outcome)
  if (outcome.status !== 200) throw new Error(String(outcome.body))
  return { access: String(access_token), refresh: String(refresh_token), scope: String(scope) }
}

/** From the page to tokens. */
export async function signIn(
  item: Visit,
  scope: string | null,
  ticked: readonly string[] | null = null,
): Promise<Tokens> {
  return redeemed(item, await answer(item, await consentFor(item, scope), { ticked }))
}

export const refreshed = (
  { world, clientId }: Visit,
  refresh: string,
  others: Form = {},
): Promise<HttpResponse> =>
  world.call('POST', '/oauth/token', {
    form: { grant_type: 'refresh_token', client_id: clientId, refresh_token: refresh, ...others },
  })

/** What a token grants; null when it is not valid. */
export const grantedBy = async ({ world }: Visit, access: string): Promise<readonly string[] | null> =>
  (await world.server.findAuthInfo(access))?.scopes ?? null
