/** Every way in of a user who is blocked, before and after they may sign in again. */

import t, { type Test } from 'tap'
import { leavingVerbs } from '../../runtime/capabilities/leaving/leaving-verbs.ts'
import { createSigner } from '../../runtime/oauth/tokens/jwt.ts'
import { secretKey } from '../../runtime/oauth/tokens/keys.ts'
import { auditAt } from '../audit/support/vault.ts'
import { readConsent } from '../oauth/support/consent-form.ts'
import {
  answerOf,
  baseUrl,
  callApi,
  codeOf,
  consentForm,
  jwtSecret,
  openScene,
  postToken,
  redemption,
  refreshing,
  refused,
  type Scene,
  start,
  tokensOf,
} from '../oauth/support/scene.ts'
import { freshStores } from './team.ts'

t.setTimeout(240_000)

const engines = await freshStores(t)
const id = 'dev:developer'
const blocked = { message: 'the user is blocked', error: 'access_denied', status: 403 }
const invalidGrant = refused('invalid_grant', 'the code or refresh token is not valid')
const plain401 = [401, 'sign in failed']

const open = async (t: Test, databaseUrl: string): Promise<Scene> =>
  openScene(t, { environment: { databaseUrl } })

for (const [engine, fresh] of Object.entries(engines)) {
  t.test(
    `${engine}, block: code, refresh, access token, session, consent and sign-in are refused`,
    async (t) => {
      const scene = await open(t, await fresh())
      const { users } = scene.app.services
      const { access, refresh } = await tokensOf(scene)
      const code = await codeOf(scene)
      const consent = await consentForm(scene)
      t.equal((await callApi(scene, access)).statusCode, 200)
      t.equal(await users.block(id), true)
      t.equal(await users.block(id), true, 'again changes nothing')
      const refuse = async (): Promise<void> => {
        t.equal((await callApi(scene, access)).statusCode, 401)
        t.strictSame(answerOf(await postToken(scene, refreshing(scene, refresh))), invalidGrant)
        t.strictSame(answerOf(await postToken(scene, redemption(scene, code))), invalidGrant)
        const page = await scene.client.get('/auth/')
        t.notMatch(page.body, 'signed in as')
      }
      await refuse()
      const allowed = await scene.client.submit('/oauth/authorize', { ...consent, decision: 'allow' })
      t.notMatch(String(allowed.headers.location), 'code=')
      t.strictSame(answerOf(await scene.client.get('/auth/dev')), plain401)
      t.equal((await users.show(id))?.blockedAt, start)
      t.equal(await users.unblock(id), true)
      t.equal(await users.unblock(id), true, 'again changes nothing')
      await refuse()
      scene.at(1)
      const again = await tokensOf(scene)
      t.equal((await callApi(scene, again.access)).statusCode, 200)
      t.equal((await callApi(scene, access)).statusCode, 401)
      t.equal((await postToken(scene, refreshing(scene, again.refresh))).statusCode, 200)
      t.strictSame(answerOf(await postToken(scene, refreshing(scene, refresh))), invalidGrant)
      t.strictSame([await users.block('dev:nobody'), await users.unblock('dev:nobody')], [false, false])
      t.equal(await users.show('dev:nobody'), null)
    },
  )

  t.test(`${engine}, block: the verbs refuse what was under way when it came`, async (t) => {
    const scene = await open(t, await fresh())
    const { store } = scene.app.application
    const user = { id, name: 'Developer', email: null }
    const grant = {
      id: 'late',
      userId: id,
      clientId: scene.clientId,
      scope: 'api',
      resource: '',
      allowed: null,
    }
    const code = { jti: 'late', expiresAt: start + 60_000 }
    await store.saveSignIn(user, null, start)
    await store.verbs(leavingVerbs).blockUser(id)
    await t.rejects(store.saveSignIn(user, null, start), blocked)
    await t.rejects(store.saveUser(user), blocked)
    await t.rejects(store.issueCode(grant, code), blocked)
    t.strictSame(await store.findGone([id, 'dev:nobody']), [id, 'dev:nobody'])
    // a sign-in that was written by then leaves a session
    await store.writeSession('late', { user_id: id }, start + 60_000)
    await scene.app.services.users.unblock(id)
    t.equal(await store.readSession('late'), null, 'it does not come back')
  })

  t.test(
    `${engine}, block: a token that another holder of the key signed counts again only when it is newer`,
    async (t) => {
      const scene = await open(t, await fresh())
      const { store } = scene.app.application
      await store.saveUser({ id, name: 'Developer', email: null })
      const signer = createSigner(baseUrl, [secretKey(jwtSecret)], () => start)
      const signed = (seconds: number): Promise<string> => {
        const iat = start / 1000 + seconds
        const claims = { typ: 'access', iss: baseUrl, aud: baseUrl, sub: id, iat, exp: iat + 3600 }
        return signer.sign({ ...claims, jti: `foreign ${seconds}` })
      }
      const old = await signed(-10)
      t.equal((await callApi(scene, old)).statusCode, 200)
      await scene.app.services.users.block(id)
      t.equal((await callApi(scene, old)).statusCode, 401)
      scene.at(1)
      await scene.app.services.users.unblock(id)
      t.strictSame(
        [(await callApi(scene, old)).statusCode, (await callApi(scene, await signed(1))).statusCode],
        [401, 200],
      )
    },
  )

  t.test(`${engine}, a consent that is under way when its session ends connects nobody`, async (t) => {
    let meanwhile = async (): Promise<unknown> => null
    const mayHave = async (): Promise<boolean> => {
      await meanwhile()
      return true
    }
    const scene = await openScene(t, {
      environment: { databaseUrl: await fresh() },
      change: (bundle) => ({
        ...bundle,
        config: { ...(bundle.config as object), scopes: { read: { text: 'Read', mayHave } } }, // defineApp's object
      }),
    })
    const { store } = scene.app.application
    const { users } = scene.app.services
    const answered = async (during: () => Promise<unknown>): Promise<string> => {
      meanwhile = async () => null
      await scene.client.get('/auth/dev')
      const page = await scene.client.get(`/oauth/authorize?${new URLSearchParams(scene.request)}`)
      const { hidden, ticks } = readConsent({ status: page.statusCode, headers: {}, body: page.body })
      const ticked = Object.fromEntries(ticks.map(({ field }) => [field, 'on']))
      meanwhile = during
      const answer = await scene.client.submit('/oauth/authorize', {
        ...{ ...hidden, ...ticked, decision: 'allow' },
      })
      return String(answer.headers.location)
    }
    t.match(await answered(async () => null), 'code=')
    const signedOut = await answered(() => store.endSessions(id, null))
    const unblocked = await answered(async () => [await users.block(id), await users.unblock(id)])
    t.strictSame([signedOut, unblocked], ['/auth', '/auth'])
    t.match(await answered(async () => null), 'code=', 'afterwards they may again')
  })

  t.test(`${engine}, block: the audit says who was blocked, what ended, and who tried`, async (t) => {
    const url = await fresh()
    const scene = await open(t, url)
    await tokensOf(scene)
    const { users } = scene.app.services
    await users.block(id)
    await scene.client.get('/auth/dev')
    await users.unblock(id)
    await scene.app.close()
    const rows = (await auditAt(url)).filter(({ event }) => ['block', 'unblock', 'sign-in'].includes(event))
    const by = 'application'
    t.strictSame(
      rows.map(({ event, user, detail }) => [event, user, detail]),
      [
        ['sign-in', id, { provider: 'dev' }],
        ['block', id, { by, connections: 1, sessions: 1, tasks: 0 }],
        ['sign-in', id, { provider: 'dev', outcome: 'refused', reason: 'the user is blocked' }],
        ['unblock', id, { by }],
      ],
    )
  })
}
