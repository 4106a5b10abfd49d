/** HEAD is GET without the body. Source: RFC 9110, 9.3.2. */
import t from 'tap'
import { openTestApp } from '../../../runtime/testing.ts'

const addresses = [
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-protected-resource/mcp',
  '/.well-known/jwks.json',
  '/auth/',
  '/auth/nope',
  '/auth/dev',
  '/health',
  '/nowhere',
  '/livez',
]

t.test('HEAD sends the headers of GET, the charset and the length among them, and no body', async (t) => {
  const app = await openTestApp()
  t.teardown(app.close)
  const ask = async (method: 'GET' | 'HEAD', url: string): Promise<readonly [object, number]> => {
    const { statusCode, headers, payload } = await app.application.server.inject({ method, url })
    // what differs from request to request
    const { date: _date, 'set-cookie': _cookie, location: _location, ...alike } = headers
    const length = Number(alike['content-length'])
    return [{ statusCode, ...alike, 'content-length': length }, payload.length]
  }
  for (const url of addresses) {
    const [get] = await ask('GET', url)
    const [head, length] = await ask('HEAD', url)
    t.strictSame(head, get, url)
    t.equal(length, 0)
  }
})
