/** An application that asks its users, and a client that answers. */
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import type { AppBundle } from '../../../runtime/contract/bundle.ts'
import type { TestClient } from '../../../runtime/testing.ts'
import { builtFolder } from '../../support/linked.ts'
import { type Era, message } from '../support/support.ts'

const config = `import { defineApp } from 'acmcp'

export const config = defineApp({
  mcp: { path: '/mcp', serverName: 'Refunds' },
  scopes: { 'refunds:write': 'Pay back', 'refunds:read': 'See refunds' },
})
`

const forms = `import type { DateTime, Email, Int32, Url } from 'acmcp'

export interface Consent {
  /** Pay it back? */
  sure: boolean
  /**
   * Why
   *
   * @choice damaged It arrived broken
   * @choice late It came too late
   * @default damaged
   */
  reason?: 'damaged' | 'late' | 'other'
}

/** @choice news What is new */
export type Topic = 'news' | 'offers'

export interface Contact {
  /** @title E-mail */
  mail: Email
  /** @minimum 1 @maximum 5 */
  stars: Int32
  site?: Url
  since?: DateTime
  /** @maxLength 20 */
  nick: string | null
  topics?: Topic[]
  share?: number
}
`

const refunds = `import { ApplicationController, type Body, type Elicited, InputRequired, type Int32 } from 'acmcp'
import type { Consent, Contact } from '../forms.ts'

/** Money back. */
export class Refunds extends ApplicationController {
  /**
   * Pays back.
   *
   * @post /
   * @scope refunds:write
   * @param cents - how much
   * @param consent - what the buyer says
   */
  create(cents: Int32, consent?: Elicited<Consent>): { cents: number; reason: string } {
    if (consent === undefined) throw new InputRequired({ consent: \`Refund \${cents} cents?\` })
    return { cents: consent.sure ? cents : 0, reason: consent.reason ?? 'none' }
  }

  /**
   * Pays back in two rounds.
   *
   * @post /rounds
   * @param consent - what the buyer says
   * @param contact - whom to tell
   */
  rounds(consent?: Elicited<Consent>, contact?: Elicited<Contact>): object {
    const round = Number(this.mcp?.state ?? 0)
    if (consent === undefined) throw new InputRequired({ consent: 'Sure?' }, round + 1)
    if (contact === undefined) throw new InputRequired({ contact: 'Whom to tell?' }, round + 1)
    return { consent, contact, round }
  }

  /**
   * Asks for both at once.
   *
   * @post /both
   * @param consent - what the buyer says
   * @param contact - whom to tell
   */
  both(consent?: Elicited<Consent>, contact?: Elicited<Contact>): object {
    if (consent === undefined || contact === undefined)
      throw new InputRequired({ consent: 'Sure?', contact: 'Whom to tell?' })
    return { consent, contact }
  }

  /**
   * Takes a whole order back.
   *
   * @post /whole
   * @param order - what was sent
   * @param consent - what the buyer says
   */
  whole(order: Body<{ product: string }>, consent?: Elicited<Consent>): object {
    if (consent === undefined) throw new InputRequired({ consent: 'Sure?' })
    return { order, consent }
  }

  /**
   * Shows a refund.
   *
   * @get /:id
   * @mcp resource uri=refunds://{id}
   * @param id - which one
   * @param consent - whether one may look
   */
  show(id: Int32, consent?: Elicited<Consent>): object {
    if (consent === undefined) throw new InputRequired({ consent: \`Show \${id}?\` }, id)
    return { id, sure: consent.sure }
  }

  /**
   * Writes to a buyer.
   *
   * @mcp prompt
   * @param buyer - to whom
   */
  letter(buyer: string, consent?: Elicited<Consent>): string {
    if (consent === undefined) throw new InputRequired({ consent: \`Write to \${buyer}?\` })
    return \`To \${buyer}: \${consent.sure}\`
  }

  /**
   * Asks with a form made at run time.
   *
   * @post /account
   */
  account(): object {
    const form = {
      message: 'Which account?',
      schema: { type: 'object', properties: { iban: { type: 'string', enum: ['CH1', 'CH2'] } }, required: ['iban'] },
    }
    const account = this.mcp?.accepted('account', form) ?? null
    if (account === null) throw new InputRequired({ account: form })
    return account
  }

  /**
   * Sends the user to the bank.
   *
   * @post /bank
   */
  bank(): string {
    const answer = this.mcp?.answerTo('bank') ?? null
    if (answer === null) throw new InputRequired({ bank: { message: 'Sign in', url: 'https://bank.example/7' } })
    return 'back from the bank'
  }

  /**
   * Asks for what no method has.
   *
   * @post /unknown
   */
  unknown(): string {
    return this.ask()
  }

  private ask(): string {
    throw new InputRequired({ nothing: 'What?' })
  }
}
`

const bare = `import { Controller, type Elicited, InputRequired } from 'acmcp'
import type { Consent } from '../forms.ts'

/** Without handlers. */
export class Bare extends Controller {
  /**
   * Asks.
   *
   * @post /
   * @param consent - what the buyer says
   */
  create(consent?: Elicited<Consent>): boolean {
    if (consent === undefined) throw new InputRequired({ consent: 'Sure?' })
    return consent.sure
  }
}
`

const files: Readonly<Record<string, string>> = {
  'package.json': '{"name":"refunds","version":"1.0.0","private":true,"type":"module"}',
  'app/config.ts': config,
  'app/forms.ts': forms,
  'app/controllers/refunds.ts': refunds,
  'app/controllers/bare.ts': bare,
}

/** Builds it in a folder of its own, as a user would; the folder too. */
export async function buildRefunds(): Promise<{ readonly bundle: AppBundle; readonly folder: string }> {
  const folder = await builtFolder(files)
  return { bundle: await loadBundle(folder), folder }
}

export interface Talk {
  readonly client: TestClient
  readonly era?: Era
  readonly capabilities?: object
}

/** The HTTP status, and the result without what the modern era adds to each, or the error. */
export interface Reported {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  readonly said: any
}

/** What the endpoint says to a message of a client with these capabilities. */
export async function reported(
  { client, era = 'modern', capabilities = { elicitation: {} } }: Talk,
  method: string,
  params: Readonly<Record<string, unknown>>,
): Promise<Reported> {
  const sent = message(era, method, params)
  const body = structuredClone(Object(sent.message))
  if (era === 'modern') body.params._meta['io.modelcontextprotocol/clientCapabilities'] = capabilities
  const named: Record<string, string> =
    era === 'modern' && method === 'resources/read' ? { 'mcp-name': String(params.uri) } : {}
  const typed = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
  const answer = await client.request({
    method: 'POST',
    url: '/mcp',
    headers: { ...typed, ...sent.headers, ...named } as Readonly<Record<string, string>>, // texts alone
    payload: JSON.stringify(body),
  })
  const data = /^data: (.*)$/m.exec(answer.body)?.[1] ?? answer.body
  const { result, error } = JSON.parse(data)
  if (result === undefined) return { status: answer.statusCode, said: error }
  const { _meta, ...said } = result
  return { status: answer.statusCode, said }
}

/** Calls a tool. */
export const called = async (
  talk: Talk,
  name: string,
  args: object = {},
  more: object = {},
): Promise<Reported['said']> => (await reported(talk, 'tools/call', { name, arguments: args, ...more })).said

/** What a user filled in. */
export const accepted = (content: object): object => ({ action: 'accept', content })
