/** `acmcp doctor` at a real nginx that keeps clients from signing in. */
import t, { type Test } from 'tap'
import { freePort } from '../../support/free-port.ts'
import { nginxProgram, startNginx } from '../../support/nginx.ts'
import { examine, exampleBehind, failuresOf } from '../support/doctor.ts'

t.setTimeout(120_000)

const failuresBehind = async (t: Test, program: string, location: string) => {
  const port = await freePort()
  const address = `http://localhost:${port}`
  const { upstream } = await exampleBehind(t, { believes: () => address })
  const http = `
  server {
    listen 127.0.0.1:${port};
    location = /checked { internal; return 401; }
    location / {
      proxy_pass ${upstream.replace('localhost', '127.0.0.1')};
      proxy_set_header Host $http_host;
      ${location}
    }
  }`
  await startNginx(t, program, { http, port })
  const plain = (text: string): string => text.replaceAll(address, 'ADDRESS')
  return failuresOf(await examine(`${address}/mcp`)).map((failure) => failure.map(plain))
}

const program = nginxProgram
if (program === null) {
  t.comment('nginx is not installed: acmcp doctor is not tried behind a real one')
} else {
  t.test('a sign-in of nginx itself (auth_request) is named as such', async (t) => {
    t.strictSame(await failuresBehind(t, program, 'auth_request /checked;'), [
      [
        'endpoint',
        'A web page (“401 Authorization Required”) answers 401 at ADDRESS/mcp: a sign-in, or an error page, of the proxy itself.',
        'Let /mcp through without it (nginx: no auth_request, no proxy_intercept_errors): clients sign in at the server.',
      ],
    ])
  })

  t.test('an nginx that takes WWW-Authenticate out, or writes its own, is named', async (t) => {
    const pass = 'Pass it on: clients learn from it that, and where, they can sign in.'
    t.strictSame(await failuresBehind(t, program, 'proxy_hide_header WWW-Authenticate;'), [
      [
        'endpoint',
        'The 401 comes without WWW-Authenticate: the proxy takes that header out of answers.',
        pass,
      ],
    ])
    const own = 'proxy_hide_header WWW-Authenticate; add_header WWW-Authenticate'
    t.strictSame(await failuresBehind(t, program, `${own} Negotiate always;`), [
      [
        'endpoint',
        "The server's 401 comes with WWW-Authenticate: Negotiate: the proxy writes another challenge in its place.",
        'Pass on the one of the server: clients learn from it where they can sign in, and know Bearer alone.',
      ],
    ])
    t.strictSame(await failuresBehind(t, program, `${own} Bearer always;`), [
      [
        'resource metadata',
        'The challenge names no resource_metadata, though the document is there: the proxy rewrites WWW-Authenticate.',
        pass,
      ],
    ])
  })

  t.test('an nginx that passes everything on is no trouble', async (t) => {
    t.strictSame(await failuresBehind(t, program, 'client_max_body_size 11m; proxy_buffering off;'), [])
  })
}
