/** GitHub's OAuth and HTTP API on loopback, as far as a sign-in uses them. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { GithubAddresses } from '../../../runtime/oauth/providers/presets.ts'

export interface FakeGithub {
  readonly addresses: GithubAddresses
  /** Status and body by path; the test changes them. */
  readonly answers: Map<string, readonly [status: number, body: unknown]>
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string }[]
  readonly close: () => void
}

export async function openFakeGithub(): Promise<FakeGithub> {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const path = request.url ?? ''
    github.requests.push({ path, headers: request.headers, body })
    const [status, value] = github.answers.get(path) ?? [404, { message: 'Not Found' }]
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
    response.end(JSON.stringify(value))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port, not on a pipe
  const at = `http://127.0.0.1:${port}`
  const github: FakeGithub = {
    addresses: {
      issuer: `${at}/login/oauth`,
      authorization: `${at}/login/oauth/authorize`,
      token: `${at}/login/oauth/access_token`,
      profile: `${at}/user`,
      emails: `${at}/user/emails`,
    },
    answers: new Map<string, readonly [number, unknown]>([
      [
        '/login/oauth/access_token',
        [200, { access_token: 'gho_1', token_type: 'bearer', scope: 'read:user,user:email' }],
      ],
      ['/user', [200, { id: 583231, login: 'octocat', name: 'The Octocat', email: 'shown@example.test' }]],
      [
        '/user/emails',
        [
          200,
          [
            { email: 'old@example.test', primary: false, verified: true },
            { email: 'octocat@example.test', primary: true, verified: true },
          ],
        ],
      ],
    ]),
    requests: [],
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
  return github
}
