/** Somebody with one MCP client and one browser: signs in, asks the API, calls tools, renews and revokes tokens, and judges every answer
 *  by what they did before. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { type AnyClient, answerOf, type ClientKind, listOf } from '../../flow/client-kinds.ts'
import { Browser, isCallback, type RecordingProvider, recordingProvider } from '../../flow/support.ts'
import { Ledger } from './ledger.ts'

/** Something was not answered: the connection ended, or the server said that it cannot now. Whether it may is judged elsewhere. */
export class Unanswered extends Error {}

/** A tool answered that it could not. */
export class ToolFailed extends Unanswered {}

export interface SignedIn {
  readonly client: AnyClient
  readonly provider: RecordingProvider
}

const maxVisibleMs = 1000

export class Person {
  readonly kind: ClientKind
  readonly #baseUrl: string
  readonly #browser = new Browser()
  readonly wrong: string[] = []
  ledger: Ledger | null = null
  #signedIn: SignedIn | null = null
  #files: readonly string[] = []
  /** Milliseconds from the answer to a revocation to the first refusal. */
  readonly visibleAfterMs: number[] = []
  /** How often a refresh token was sent twice at once. */
  races = 0
  signIns = 0

  constructor(kind: ClientKind, baseUrl: string) {
    this.kind = kind
    this.#baseUrl = baseUrl
  }

  get isSignedIn(): boolean {
    return this.#signedIn !== null
  }

  /** The whole flow: registration, provider, consent, token, connection. */
  async signIn(): Promise<void> {
    const { kind } = this
    const endpoint = new URL(`${this.#baseUrl}/mcp`)
    const provider = recordingProvider()
    await this.leave()
    await answered(() =>
      kind.connect(endpoint, provider, null).catch((error: unknown) => {
        if (!(error instanceof kind.unauthorized)) throw error
      }),
    )
    if (provider.authorizationUrl === null)
      throw new Unanswered('the client did not send its user to sign in')
    const callback = await answered(() => this.#allow(provider.authorizationUrl ?? endpoint))
    const client = await answered(() => kind.connect(endpoint, provider, callback))
    this.#signedIn = { client, provider }
    this.signIns += 1
    const owner = JSON.parse(await (await this.#api('/api/account/owner')).text())
    this.ledger ??= new Ledger(owner)
    this.#expect(owner, this.ledger.owner, 'the owner')
  }

  async accessToken(): Promise<string> {
    return (await this.#provider.tokens())?.access_token ?? ''
  }

  async leave(): Promise<void> {
    const left = this.#signedIn
    this.#signedIn = null
    await left?.client.close().catch(() => {})
  }

  async #allow(authorizationUrl: URL): Promise<URL> {
    let landing = await this.#browser.follow(authorizationUrl, isCallback)
    if (!isCallback(landing.url) && !landing.page.includes('name="csrf_token"'))
      landing = await this.#browser.follow(new URL('/auth/corp', this.#baseUrl), isCallback)
    if (!isCallback(landing.url))
      landing = await this.#browser.submit(landing, { decision: 'allow' }, isCallback)
    if (!isCallback(landing.url) || landing.url.searchParams.get('code') === null)
      throw new Unanswered(`the sign-in ended at ${landing.url}: ${landing.page.slice(0, 200)}`)
    return landing.url
  }

  async look(): Promise<void> {
    const answer = await this.#api('/api/account')
    this.#account.seen(Number(await answer.text()))
  }

  async add(): Promise<void> {
    const key = randomUUID()
    const value = await this.#orDoubt(key, async () => {
      const answer = await this.#api('/api/account/add', {
        body: JSON.stringify({ key }),
        type: 'application/json',
      })
      return Number(await answer.text())
    })
    this.#account.added(key, value)
  }

  async lookByTool(): Promise<void> {
    this.#account.seen(await this.#tool('account_show', {}))
  }

  async addByTool(): Promise<void> {
    const key = randomUUID()
    const value = await this.#orDoubt(key, () => this.#tool('account_add', { key }))
    this.#account.added(key, value)
  }

  /** Sends a file, and reads it back, maybe elsewhere. */
  async file(): Promise<void> {
    const bytes = randomBytes(512 + Math.floor(Math.random() * 20_000))
    const digest = createHash('sha256').update(bytes).digest('hex')
    const form = new FormData()
    form.set('file', new Blob([bytes]), 'some file.bin')
    this.#expect(await (await this.#api('/api/files', { body: form })).json(), digest, 'the digest of a file')
    this.#files = [digest, ...this.#files].slice(0, 5)
    for (const known of this.#files.slice(-1)) {
      const read = await (await this.#api(`/api/files/${known}`)).arrayBuffer()
      this.#expect(createHash('sha256').update(Buffer.from(read)).digest('hex'), known, 'a file read back')
    }
  }

  /** Renews the tokens. A refresh token that was spent is refused ever after. */
  async refresh(): Promise<void> {
    const spent = await this.#refreshToken()
    const answer = await this.#renew(spent)
    if (answer.status !== 200) {
      this.wrong.push(`a refresh token that was not spent: ${answer.status} ${await answer.text()}`)
      return this.leave()
    }
    await this.#save(answer)
    const again = await this.#renew(spent, 'again')
    if (again.status !== 400) this.wrong.push(`a spent refresh token was answered with ${again.status}`)
    await again.body?.cancel()
  }

  /** The same refresh token twice at once: one may win. */
  async race(): Promise<void> {
    const token = await this.#refreshToken()
    const both = await Promise.allSettled([this.#renew(token), this.#renew(token)])
    const answers = both.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    const won = answers.filter(({ status }) => status === 200)
    this.races += 1
    if (won.length > 1) this.wrong.push('a refresh token was spent twice')
    if (answers.length === 2 && won.length === 0)
      this.wrong.push(`nobody won a race: ${answers.map(({ status }) => status)}`)
    if (won[0] === undefined) await this.leave()
    else await this.#save(won[0])
    for (const lost of answers.filter(({ status }) => status !== 200)) await lost.body?.cancel()
  }

  /** Ends the connection: within a second nobody takes its access token, and it stays so. */
  async revoke(): Promise<void> {
    try {
      await this.#revokeAndAsk()
    } finally {
      await this.leave() // also without an answer: nobody knows whether it was revoked
    }
  }

  async #revokeAndAsk(): Promise<void> {
    const { access_token: token = '', refresh_token: refresh = '' } = (await this.#provider.tokens()) ?? {}
    const body = new URLSearchParams({ token: refresh, client_id: await this.#clientId() })
    const answer = await this.#fetch('/oauth/revoke', { method: 'POST', body })
    this.#expect(answer.status, 200, 'the answer to a revocation')
    const revoked = performance.now()
    let refusals = 0
    while (refusals < 4 && performance.now() - revoked < 2 * maxVisibleMs) {
      const after = performance.now() - revoked
      const { status } = await this.#status('/api/account/owner', token)
      if (status === 401) refusals += 1
      else if (after > maxVisibleMs || refusals > 0)
        this.wrong.push(`${Math.round(after)} ms after it was revoked a token was answered with ${status}`)
      if (refusals === 1) this.visibleAfterMs.push(after)
    }
    const renewed = await this.#renew(refresh, 'again')
    this.#expect(renewed.status, 400, 'the answer to a revoked refresh token')
    await renewed.body?.cancel()
  }

  get #account(): Ledger {
    if (this.ledger === null) throw new Unanswered('nobody signed in yet')
    return this.ledger
  }

  get #provider(): RecordingProvider {
    if (this.#signedIn === null) throw new Unanswered('nobody is signed in')
    return this.#signedIn.provider
  }

  async #orDoubt(key: string, add: () => Promise<number>): Promise<number> {
    try {
      return await add()
    } catch (error) {
      this.#account.doubted(key)
      throw error
    }
  }

  async #tool(name: string, args: Record<string, unknown>): Promise<number> {
    const { client } = this.#signedIn ?? {}
    if (client === undefined) throw new Unanswered('nobody is signed in')
    const result = await answered(() => client.callTool({ name, arguments: args }))
    const answer = answerOf(result)
    const value = listOf(answer.structured)
    if (answer.isError || typeof value !== 'number')
      throw new ToolFailed(`${name}: ${JSON.stringify(result)}`)
    return value
  }

  async #api(
    path: string,
    sent: { readonly body?: BodyInit; readonly type?: string } = {},
  ): Promise<Response> {
    const token = await this.accessToken()
    const headers = {
      authorization: `Bearer ${token}`,
      ...(sent.type === undefined ? {} : { 'content-type': sent.type }),
    }
    const init = sent.body === undefined ? { headers } : { headers, method: 'POST', body: sent.body }
    const answer = await this.#fetch(path, init)
    if (answer.status === 200 || answer.status === 201) return answer
    const said = `${path} was answered with ${answer.status} ${await answer.text()}`
    this.wrong.push(said)
    throw new Unanswered(said)
  }

  async #status(path: string, token: string): Promise<{ readonly status: number }> {
    const answer = await this.#fetch(path, { headers: { authorization: `Bearer ${token}` } })
    await answer.body?.cancel()
    return answer
  }

  /** Everything that has no answer, or one that says "not now". */
  async #fetch(path: string, init: RequestInit): Promise<Response> {
    const answer = await answered(() => fetch(`${this.#baseUrl}${path}`, init))
    if (answer.status < 500) return answer
    throw new Unanswered(`${path}: ${answer.status} ${await answer.text().catch(String)}`)
  }

  async #refreshToken(): Promise<string> {
    return (await this.#provider.tokens())?.refresh_token ?? ''
  }

  async #clientId(): Promise<string> {
    return String((await this.#provider.clientInformation())?.client_id)
  }

  /** Without an answer nobody knows whether it was spent: then its user signs in again, but for one that was spent `again`. */
  async #renew(token: string, which: 'now' | 'again' = 'now'): Promise<Response> {
    const body = new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: await this.#clientId(),
      refresh_token: token,
    })
    try {
      return await this.#fetch('/oauth/token', { method: 'POST', body })
    } catch (error) {
      if (which === 'now') await this.leave()
      throw error
    }
  }

  async #save(answer: Response): Promise<void> {
    await this.#provider.saveTokens(await answered(() => answer.json()))
  }

  #expect(got: unknown, expected: unknown, what: string): void {
    if (got !== expected)
      this.wrong.push(`${what} is ${JSON.stringify(got)}, not ${JSON.stringify(expected)}`)
  }
}

async function answered<Value>(ask: () => Promise<Value>): Promise<Value> {
  try {
    return await ask()
  } catch (error) {
    throw error instanceof Unanswered ? error : new Unanswered(reasonOf(error))
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined
    ? `${error.name}: ${error.message}`
    : `${error.message}: ${reasonOf(error.cause)}`
}
