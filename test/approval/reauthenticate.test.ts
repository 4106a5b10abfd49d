/** Approving by a sign-in of just now: `approval: { reauthenticate }`. Source: decisions/oauth.md, Approval. */
import t, { type Test } from 'tap'
import type { AppConfig } from '../../runtime/capabilities/exports.ts'
import type { SigningIn } from '../../runtime/contract/application.ts'
import { attributesOf, SignInRefused } from '../../runtime/index.ts'
import type { Store } from '../../runtime/store/store.ts'
import type { TestClient } from '../../runtime/testing.ts'
import { type FaultProvider, openFaultProvider } from '../oauth/support/fault-provider.ts'
import { ada, openOrders } from './orders.ts'

t.setTimeout(240_000) // a busy machine

interface Scene {
  readonly provider: FaultProvider
  readonly clock: { now: number }
  readonly browser: TestClient
  /** The path of its page. */
  readonly path: string
  readonly call: () => Promise<number>
  /** What the page says that it is opened now. */
  readonly words: () => Promise<string>
  readonly approve: () => ReturnType<TestClient['submit']>
  readonly store: Store
  /** Goes to the provider and back. */
  readonly signInAt: (address: unknown) => Promise<unknown>
}

async function open(t: Test, user = { ...ada, id: 'acme:uid-1' }, more: AppConfig = {}): Promise<Scene> {
  const provider = await openFaultProvider()
  t.teardown(provider.close)
  const acme = { issuer: provider.issuer, clientId: 'us', clientSecret: 'secret' }
  const git = { preset: 'github', clientId: 'us', clientSecret: 'secret' } as const
  const config: AppConfig = { providers: { acme, git }, approval: { reauthenticate: '5m' }, ...more }
  const { app, clock } = await openOrders({ config })
  t.teardown(() => app.close())
  const client = app.client().withBearer(await app.accessToken(user))
  const call = () => client.request({ method: 'DELETE', url: '/orders/5?amount=300' })
  const path = new URL((await call()).json().approval.url).pathname
  const browser = app.client()
  await browser.signIn(user)
  const signInAt = async (address: unknown): Promise<unknown> => {
    const url = new URL(String(address))
    provider.nonce = url.searchParams.get('nonce') ?? ''
    const back = new URLSearchParams({ code: 'c', state: url.searchParams.get('state') ?? '' })
    return (await browser.get(`/auth/acme/callback?${back}`)).headers.location
  }
  return {
    ...{ provider, clock, browser, path, signInAt, store: app.application.store },
    call: async () => (await call()).statusCode,
    words: async () => wordsOf((await browser.get(path)).body),
    approve: async () => {
      const shown = /name="shown" value="([^"]*)"/.exec((await browser.get(path)).body)?.[1] ?? ''
      return browser.submit(path, { shown, decision: 'approve' })
    },
  }
}

const wordsOf = (page: string): string =>
  page
    .replace(/<head>.*<\/head>|<script.*?<\/script>/gs, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

const seconds = (ms: number): number => Math.floor(ms / 1000)

t.test('to the provider, which asks anew; back, it is approved', async (t) => {
  const scene = await open(t)
  t.match(await scene.words(), 'To approve, you may have to sign in again.')
  const away = await scene.approve()
  t.equal(away.statusCode, 303)
  const { searchParams } = new URL(String(away.headers.location))
  t.strictSame([searchParams.get('prompt'), searchParams.get('max_age')], ['login', '0'])
  t.equal(await scene.call(), 428, 'not yet')
  scene.provider.claims = { auth_time: seconds(scene.clock.now) }
  t.equal(await scene.signInAt(away.headers.location), scene.path)
  t.match(await scene.words(), 'Approved You approved this call.')
  t.equal(await scene.call(), 200)
})

t.test('who has just signed in is not asked again', async (t) => {
  const scene = await open(t)
  const start = await scene.browser.get('/auth/acme')
  scene.provider.claims = { auth_time: seconds(scene.clock.now) }
  await scene.signInAt(start.headers.location)
  scene.clock.now += 4 * 60_000
  t.equal((await scene.approve()).headers.location, scene.path)
  t.equal(await scene.call(), 200)
})

const refused: readonly (readonly [string, object, string])[] = [
  ['an old sign-in', { auth_time: -6 * 60 }, 'You were not asked to sign in again'],
  ['one of the future', { auth_time: 6 * 60 }, 'You were not asked to sign in again'],
  ['no time', {}, 'does not say when that was'],
  ['another user', { auth_time: 0, sub: 'uid-2' }, 'You signed in with another account'],
  ['another audience', { auth_time: 0, aud: 'them' }, 'Signing in again failed'],
]

for (const [name, claims, words] of refused)
  t.test(`nothing is approved by ${name}`, async (t) => {
    const scene = await open(t)
    const away = await scene.approve()
    const { auth_time: after, ...others } = claims as { readonly auth_time?: number }
    scene.provider.claims = {
      ...others,
      ...(after === undefined ? {} : { auth_time: seconds(scene.clock.now) + after }),
    }
    if ('sub' in others) scene.provider.userInfo = { sub: others.sub }
    t.equal(await scene.signInAt(away.headers.location), scene.path)
    const shown = await scene.words()
    t.match(shown, 'Nothing was approved.')
    t.match(shown, words)
    t.notMatch(await scene.words(), 'Nothing was approved.', 'said once')
    t.equal(await scene.call(), 428)
  })

t.test(
  'onSignIn is asked by that sign-in, too: roles are renewed, and who is refused approves nothing',
  async (t) => {
    const asked: unknown[] = []
    let isRefused = false
    const onSignIn = ({ user, claims }: SigningIn): object => {
      if (!user.id.startsWith('dev:')) asked.push([user.id, claims.groups])
      if (isRefused) throw new SignInRefused('no longer here')
      return { groups: claims.groups ?? [] }
    }
    const scene = await open(t, undefined, { onSignIn })
    const approve = async (claims: object): Promise<void> => {
      const away = await scene.approve()
      scene.provider.claims = { auth_time: seconds(scene.clock.now), ...claims }
      await scene.signInAt(away.headers.location)
    }
    await approve({ sub: 'uid-1', groups: ['a'] })
    t.strictSame(asked, [['acme:uid-1', ['a']]])
    t.match(await scene.words(), 'Approved You approved this call.')
    const kept = await scene.store.findUser('acme:uid-1')
    t.strictSame(kept && attributesOf(kept), { groups: ['a'] })
    t.equal(await scene.call(), 200)
    const refusing = await open(t, undefined, { onSignIn })
    isRefused = true
    const away = await refusing.approve()
    refusing.provider.claims = { auth_time: seconds(refusing.clock.now), groups: ['b'] }
    await refusing.signInAt(away.headers.location)
    t.match(await refusing.words(), 'Nothing was approved. Signing in again failed')
    t.strictSame(asked.at(-1), ['acme:uid-1', ['b']])
    t.equal(await refusing.call(), 428)
  },
)

t.test('denying asks nobody to sign in; a denial stands against a sign-in that comes later', async (t) => {
  const scene = await open(t)
  const away = await scene.approve()
  const shown = /name="shown" value="([^"]*)"/.exec((await scene.browser.get(scene.path)).body)?.[1] ?? ''
  await scene.browser.submit(scene.path, { shown, decision: 'deny' })
  scene.provider.claims = { auth_time: seconds(scene.clock.now) }
  await scene.signInAt(away.headers.location)
  t.match(await scene.words(), 'Denied It had been decided before.')
  t.equal(await scene.call(), 403)
})

for (const id of ['git:1', 'dev:ada', 'gone:1'])
  t.test(`${id}: no sign-in that says when it was, so no approval`, async (t) => {
    const scene = await open(t, { ...ada, id })
    const answer = await scene.approve()
    t.equal(answer.statusCode, 403)
    t.match(wordsOf(answer.body), 'Nothing was approved. This service asks for a fresh sign-in')
    t.equal(await scene.call(), 428)
  })

t.test('where nobody could approve the application does not start', async (t) => {
  const git = { preset: 'github', clientId: 'us', clientSecret: 'secret' } as const
  for (const providers of [{}, { git }])
    await t.rejects(openOrders({ config: { providers, approval: { reauthenticate: '5m' } } }), {
      message: /approval\.reauthenticate needs an OpenID provider/,
    })
  for (const reauthenticate of ['5', '0m', '25h', '-1m', 'soon'])
    await t.rejects(openOrders({ config: { approval: { reauthenticate } } }), {
      message: /config\.approval\.reauthenticate must be a time in s, m or h up to 24h, as '5m'/,
    })
  const approvals = { issuer: 'https://id.example', clientId: 'us', clientSecret: 'secret' }
  await t.rejects(openOrders({ config: { providers: { approvals } } }), { message: /reserved/ })
})
