/** Browser sessions around a sign-in, over HTTP. Source: rules.md, Sign-in; rules.md, Easy to miss. */
import t from 'tap'
import { openTestApp, type TestApp, type TestClient } from '../../runtime/testing.ts'
import { authorizeUrl, registered } from '../oauth/support/scene.ts'

interface Opened {
  readonly app: TestApp
  readonly client: TestClient
  readonly url: string
}

async function open(t: { teardown(f: () => unknown): void }): Promise<Opened> {
  const app = await openTestApp()
  t.teardown(app.close)
  const client = app.client()
  const { request } = await registered(client)
  return { app, client, url: authorizeUrl(request) }
}

t.test(
  'spec, Sign-in: a new session id at sign-in, keeping only return_to; the old id is dead',
  async (t) => {
    const { app, client, url } = await open(t)
    const sent = await client.get(url)
    t.strictSame([sent.statusCode, sent.headers.location], [303, '/auth'])
    const [before] = sent.cookies
    const signedIn = await client.get('/auth/dev')
    t.strictSame([signedIn.statusCode, signedIn.headers.location], [303, url])
    const [after] = signedIn.cookies
    t.equal(after?.name, before?.name)
    t.not(after?.value, before?.value)
    t.equal((await client.get(url)).statusCode, 200, 'the new id is signed in')

    const cookies = { [before?.name ?? '']: before?.value ?? '' }
    const old = await app.client().request({ method: 'GET', url, cookies })
    t.strictSame([old.statusCode, old.headers.location], [303, '/auth'], 'the old one is not')
    const fixated = await app.client().request({ method: 'GET', url: '/auth', cookies })
    t.notMatch(fixated.body, 'signed in as')
  },
)

t.test('spec, Sign-in: return_to is removed on use', async (t) => {
  const { client, url } = await open(t)
  await client.get(url)
  t.equal((await client.get('/auth/dev')).headers.location, url)
  t.equal((await client.get('/auth/dev')).headers.location, '/auth')
})

t.test(
  'spec, Authorization server settings: the cookie is HttpOnly, SameSite=Lax, and Secure on https',
  async (t) => {
    const { client } = await open(t)
    const [cookie] = (await client.get('/auth/dev')).cookies
    t.match(cookie, { name: 'acmcp_session', httpOnly: true, sameSite: 'Lax', path: '/' })
    t.equal(cookie?.secure, undefined)
    const app = await openTestApp({ environment: { baseUrl: 'https://app.example' } })
    t.teardown(app.close)
    const [secure] = (await app.client().get('/auth/dev')).cookies
    t.match(secure, {
      name: '__Host-acmcp_session',
      httpOnly: true,
      sameSite: 'Lax',
      path: '/',
      secure: true,
    })
    t.equal(secure?.domain, undefined)
  },
)

t.test('sessions: an id that we did not sign, or a cut one, is no session', async (t) => {
  const { app, client, url } = await open(t)
  const [cookie] = (await client.get('/auth/dev')).cookies
  const { name = '', value = '' } = cookie ?? {}
  const [id = '', signature = ''] = value.split('.')
  const forged = [
    id,
    `${id}.`,
    `${id}.${'A'.repeat(43)}`,
    `x${id}.${signature}`,
    value.slice(0, -2),
    '',
    '.',
    '%00',
    'a'.repeat(4000),
  ]
  for (const wrong of forged) {
    const answer = await app.client().request({ method: 'GET', url, cookies: { [name]: wrong } })
    t.strictSame([answer.statusCode, answer.headers.location], [303, '/auth'], wrong.slice(0, 20))
  }
  t.equal((await app.client().request({ method: 'GET', url, cookies: { [name]: value } })).statusCode, 200)
})
