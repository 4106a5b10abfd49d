/** `acmcp serve` is killed with SIGKILL: what it had acknowledged is there after the restart. */
import { once } from 'node:events'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { freePort } from '../support/free-port.ts'
import {
  allowInBrowser,
  authorizationRequest,
  Browser,
  redirectUri,
  spawnServe,
  temporaryFolder,
} from './support.ts'

interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

const post = (url: string, fields: Readonly<Record<string, string>>): Promise<Response> =>
  fetch(url, { method: 'POST', body: new URLSearchParams(fields) })

t.test(
  'after SIGKILL the note is there, the refresh token works and the spent code stays spent',
  async (t) => {
    const folder = temporaryFolder()
    for (const name of ['.acmcp', 'generated']) symlinkSync(join(process.cwd(), name), join(folder, name))
    const env = { PORT: String(await freePort()), DEV_LOGIN: '1' }
    const first = await spawnServe(folder, env)
    t.teardown(() => first.process.kill('SIGKILL'))
    const { baseUrl } = first
    const api = (token: string, init: RequestInit = {}): Promise<Response> =>
      fetch(`${baseUrl}/api/notes/`, {
        ...init,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      })

    const { url: authorizeUrl, clientId, verifier } = await authorizationRequest(baseUrl)
    const callback = await allowInBrowser(new Browser(), authorizeUrl)
    const redemption = {
      grant_type: 'authorization_code',
      client_id: clientId,
      redirect_uri: redirectUri,
      code: callback.searchParams.get('code') ?? '',
      code_verifier: verifier,
    }
    const redeemed = await post(`${baseUrl}/oauth/token`, redemption)
    t.equal(redeemed.status, 200)
    const tokens: Tokens = await redeemed.json()
    const noted = await api(tokens.access_token, {
      method: 'POST',
      body: JSON.stringify({ text: 'survives' }),
    })
    t.equal(noted.status, 201)

    first.process.kill('SIGKILL')
    await once(first.process, 'exit')
    const second = await spawnServe(folder, env)
    t.teardown(() => second.process.kill('SIGKILL'))

    t.strictSame(await (await api(tokens.access_token)).json(), ['survives'])
    const refreshed = await post(`${baseUrl}/oauth/token`, {
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token: tokens.refresh_token,
    })
    t.equal(refreshed.status, 200)
    const spent = await post(`${baseUrl}/oauth/token`, redemption)
    t.strictSame(
      [spent.status, await spent.json()],
      [400, { error: 'invalid_grant', error_description: 'already used' }],
    )
  },
)
