/** The form of a consent page, as a browser without scripts has it, and the way of a client to its tokens. */
import { createHash } from 'node:crypto'
import type { TestClient } from '../../../../runtime/testing.ts'

/** A checkbox with its label. */
export interface Tick {
  readonly name: string
  readonly value: string
  readonly isTicked: boolean
  /** What it is about. */
  readonly scope: string
  /** What a person reads beside it, without markup. */
  readonly label: string
  /** The legend of the group that it stands in. */
  readonly legend: string
}

export interface ConsentForm {
  readonly action: string
  readonly hidden: Readonly<Record<string, string>>
  readonly ticks: readonly Tick[]
}

/** Throws when the page asks nothing. */
export function consentFormIn(page: string): ConsentForm {
  const [form = '', action = ''] = /<form[^>]*action="([^"]*)"[^>]*>[\s\S]*?<\/form>/.exec(page) ?? []
  if (!form.includes('name="csrf_token"')) throw new Error(`no consent form in ${page}`)
  const inputs = [...form.matchAll(/<input ([^>]*)>/g)].map(([, text = '']) => text)
  const hidden = inputs.filter((text) => /type="hidden"/.test(text))
  const ticks = [
    ...form.matchAll(/<fieldset[^>]*>\s*<legend>([\s\S]*?)<\/legend>([\s\S]*?)<\/fieldset>/g),
  ].flatMap(([, legend = '', rest = '']) =>
    [...rest.matchAll(/<label[^>]*><input ([^>]*)>([\s\S]*?)<\/label>/g)].map(
      ([, text = '', label = '']) => ({
        name: attribute(text, 'name'),
        value: attribute(text, 'value'),
        isTicked: /\bchecked\b/.test(text),
        scope: plain(/<code>([\s\S]*?)<\/code>/.exec(label)?.[1] ?? ''),
        label: plain(label),
        legend: plain(legend),
      }),
    ),
  )
  return {
    action: unescaped(action),
    hidden: Object.fromEntries(hidden.map((text) => [attribute(text, 'name'), attribute(text, 'value')])),
    ticks,
  }
}

/** What the browser sends when Allow is pressed; `isTicked` answers for each checkbox. */
export const allowedForm = (
  { hidden, ticks }: ConsentForm,
  isTicked: (tick: Tick) => boolean,
): Readonly<Record<string, string>> => ({
  ...hidden,
  ...Object.fromEntries(ticks.filter(isTicked).map(({ name, value }) => [name, value])),
  decision: 'allow',
})

const attribute = (text: string, name: string): string =>
  unescaped(new RegExp(`\\b${name}="([^"]*)"`).exec(text)?.[1] ?? '')

const plain = (markup: string): string =>
  unescaped(markup.replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim()

const unescaped = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

export interface Tokens {
  readonly clientId: string
  readonly access: string
  readonly refresh: string
  /** As the token endpoint named it. */
  readonly scope: string
  /** The page that was allowed; none for a refresh. */
  readonly form: ConsentForm | null
}

const redirect = 'https://client.example/callback'
const verifier = 'a verifier of the permission tests, of 43 characters or more'

export interface Asking {
  /** The `scope` parameter; none when it is left out. */
  readonly scope?: string
  /** Which checkboxes are ticked; default: all. */
  readonly isTicked?: (tick: Tick) => boolean
  /** Default: a new one. */
  readonly clientId?: string
}

export async function newClient(browser: TestClient): Promise<string> {
  const registered = await browser.json('/oauth/register', { client_name: 'C', redirect_uris: [redirect] })
  return String(registered.json().client_id)
}

/** Tokens for who is signed in to the browser, by the whole flow. Throws when nothing is granted. */
export async function tokensFor(browser: TestClient, asking: Asking = {}): Promise<Tokens> {
  const { scope, isTicked = () => true, clientId = await newClient(browser) } = asking
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirect,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(scope === undefined ? {} : { scope }),
  })
  const page = await browser.get(`/oauth/authorize?${query}`)
  const form = consentFormIn(page.body)
  const allowed = await browser.submit(form.action, allowedForm(form, isTicked))
  if (allowed.headers.location === undefined) throw new Error(`nothing was allowed: ${allowed.body}`)
  const code = new URL(allowed.headers.location).searchParams.get('code') ?? ''
  const tokens = await redeemed(browser, clientId, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirect,
    code_verifier: verifier,
  })
  return { ...tokens, form }
}

/** New tokens for a refresh token. Throws when it is refused. */
export const refreshed = (browser: TestClient, tokens: Tokens, scope?: string): Promise<Tokens> =>
  redeemed(browser, tokens.clientId, {
    grant_type: 'refresh_token',
    refresh_token: tokens.refresh,
    ...(scope === undefined ? {} : { scope }),
  })

async function redeemed(
  browser: TestClient,
  clientId: string,
  fields: Readonly<Record<string, string>>,
): Promise<Tokens> {
  const answer = await browser.submit('/oauth/token', { client_id: clientId, ...fields })
  const { access_token, refresh_token, scope, ...rest } = answer.json()
  if (access_token === undefined) throw new Error(JSON.stringify(rest))
  const [access, refresh] = [String(access_token), String(refresh_token)]
  return { clientId, access, refresh, scope: String(scope), form: null }
}
