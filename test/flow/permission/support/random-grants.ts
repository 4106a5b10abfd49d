/** Random grants in a browser, and their refresh, each step judged. */
import type { TestApp, TestClient } from '../../../../runtime/testing.ts'
import { newClient, refreshed, type Tokens, tokensFor } from './consent-form.ts'
import { type Chance, type Drawn, type Granted, grantedToday, resolved } from './random-scopes.ts'

/** Where grants are given: what is declared, and what users may not have. */
export interface Declarations {
  readonly drawn: readonly Drawn[]
  readonly hopeless: ReadonlySet<string>
}

export interface Grant extends Granted {
  readonly tokens: Tokens
}

/** A token with what the grant behind it is. */
export interface Held extends Granted {
  readonly access: string
}

/** What is not as it must be; nothing to do with one another. */
export type Breaches = string[]

/** Some grants of the developer, of new clients and of the same again. */
export async function drawGrants(
  app: TestApp,
  declarations: Declarations,
  { chance, breaches }: { readonly chance: Chance; readonly breaches: Breaches },
): Promise<readonly Grant[]> {
  const browser = app.client()
  await browser.signIn()
  const clientId = await newClient(browser)
  const grants: Grant[] = []
  for (let count = 0; count < 3; count += 1) {
    const requested = ['api', ...declarations.drawn.map(({ name }) => name)].filter(() => chance.isOneIn(3))
    const grant = await allow(browser, requested, { declarations, chance, breaches, clientId })
    if (grant !== null) grants.push(grant)
  }
  return grants
}

interface Allowing {
  readonly declarations: Declarations
  readonly chance: Chance
  readonly breaches: Breaches
  readonly clientId: string
}

/** Null where there would be nothing to allow. */
async function allow(
  browser: TestClient,
  requested: readonly string[],
  { declarations: { drawn, hopeless }, chance, breaches, clientId }: Allowing,
): Promise<Grant | null> {
  const meant = resolved(requested.length === 0 ? ['api'] : requested, drawn)
  const offered = meant.filter((name) => !resolved([name], drawn).some((text) => hopeless.has(text)))
  if (offered.length === 0) return null
  const always = chance.pick(offered)
  const ticked = new Set([always, ...chance.some(offered), ...(chance.isOneIn(2) ? offered : [])])
  const tokens = await tokensFor(browser, {
    ...(requested.length === 0 ? {} : { scope: requested.join(' ') }),
    ...(chance.isOneIn(2) ? { clientId } : {}),
    isTicked: ({ scope }) => ticked.has(scope),
  })
  const shown = tokens.form?.ticks.map(({ scope }) => scope) ?? []
  const allowed = resolved([...ticked], drawn)
  const granted = { named: tokens.scope.split(' '), allowed }
  const requests = `asked ${requested.join(' ')}, ticked ${[...ticked].join(' ')} of ${JSON.stringify(drawn)}`
  if ([...shown].sort().join() !== [...offered].sort().join()) breaches.push(`shown ${shown}: ${requests}`)
  if (grantedToday(granted, drawn).join() !== allowed.join())
    breaches.push(`named ${tokens.scope}: ${requests}`)
  const ofApi = resolved(['api'], drawn)
  const offeredOfApi = ofApi.filter((name) => offered.includes(name))
  const isOffered = requested.length === 0 || requested.includes('api')
  const isWhole = ofApi.length === 0 || offeredOfApi.length > 0 // it may stand for nothing, and still pass where nothing is asked
  const isAllowed = offeredOfApi.every((name) => allowed.includes(name))
  if (granted.named.includes('api') !== (isOffered && isWhole && isAllowed))
    breaches.push(`api in ${tokens.scope}: ${requests}`)
  return { ...granted, tokens }
}

/** Tokens that refreshing gives: narrowed, then whole again; none may do more than the grant. */
export async function refreshAll(
  app: TestApp,
  grants: readonly Grant[],
  declarations: Declarations,
  { chance, breaches }: { readonly chance: Chance; readonly breaches: Breaches },
): Promise<readonly Held[]> {
  const held: Held[] = []
  for (const grant of grants)
    held.push(...(await refreshOne(app.client(), grant, { declarations, chance, breaches })))
  return held
}

async function refreshOne(
  browser: TestClient,
  grant: Grant,
  { declarations: { drawn, hopeless }, chance, breaches }: Omit<Allowing, 'clientId'>,
): Promise<readonly Held[]> {
  const today = grantedToday(grant, drawn)
  const left = today.filter((name) => !resolved([name], drawn).some((text) => hopeless.has(text)))
  const more = drawn.map(({ name }) => name).filter((name) => !today.includes(name))
  if (more.length > 0) await refused(browser, grant, [...today, chance.pick(more)], breaches)
  if (left.length === 0) return []
  const narrow = [chance.pick(left), ...chance.some(left)]
  const first = await refreshed(browser, grant.tokens, narrow.join(' '))
  const second = await refreshed(browser, first)
  const mine = (tokens: Tokens): Granted => ({ named: tokens.scope.split(' '), allowed: grant.allowed })
  const [narrowed, whole] = [grantedToday(mine(first), drawn), grantedToday(mine(second), drawn)]
  const reported = `of ${grant.named} (${grant.allowed}), without ${[...hopeless]}, among ${JSON.stringify(drawn)}`
  const expected = resolved(narrow, drawn).filter((name) => today.includes(name))
  if (narrowed.join() !== expected.join()) breaches.push(`narrowed to ${narrow}: ${first.scope} ${reported}`)
  if (whole.some((name) => !today.includes(name) || hopeless.has(name)))
    breaches.push(`whole again: ${second.scope} ${reported}`)
  if (hopeless.size === 0 && whole.join() !== today.join()) breaches.push(`less: ${second.scope} ${reported}`)
  return [first, second].map((tokens) => ({ ...mine(tokens), access: tokens.access }))
}

/** More than the grant is refused, and spends nothing. */
async function refused(
  browser: TestClient,
  { tokens }: Grant,
  names: readonly string[],
  breaches: Breaches,
): Promise<void> {
  const answer = await browser.submit('/oauth/token', {
    grant_type: 'refresh_token',
    client_id: tokens.clientId,
    refresh_token: tokens.refresh,
    scope: names.join(' '),
  })
  if (answer.statusCode !== 400 || answer.json().error !== 'invalid_scope')
    breaches.push(`a refresh that asks for ${names}, beyond ${tokens.scope}: ${answer.body}`)
}
