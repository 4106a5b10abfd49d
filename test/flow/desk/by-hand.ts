/** The oracle: every route over plain HTTP, written by hand, and its JSON made into values by hand. Nothing here is generated. */
import type { Tokens } from './served.ts'
import type { Outcome, Step, Wire } from './walked.ts'

/** Verb and path as OpenAPI writes it, then where what is given goes: the query, fields of a JSON object, a form, or the name of what is the whole body. */
type Row = readonly [
  verb: string,
  path: string,
  sent?: 'query' | 'fields' | 'form' | { readonly body: string },
]

export const routes: Readonly<Record<string, Row>> = {
  'administration.users': ['GET', '/api/admin/users', 'query'],
  'administration.giveRole': ['PUT', '/api/admin/users/{id}/role', 'fields'],
  'administration.storage': ['GET', '/api/admin/storage'],
  'administration.purge': ['POST', '/api/admin/purge'],
  'attachments.index': ['GET', '/api/tickets/{number}/attachments'],
  'attachments.create': ['POST', '/api/tickets/{number}/attachments', 'form'],
  'attachments.content': ['GET', '/api/attachments/{id}/content/{name}'],
  'attachments.destroy': ['DELETE', '/api/attachments/{id}'],
  'comments.index': ['GET', '/api/tickets/{number}/comments'],
  'comments.create': ['POST', '/api/tickets/{number}/comments', 'fields'],
  'comments.update': ['PUT', '/api/tickets/{number}/comments/{id}', 'fields'],
  'comments.destroy': ['DELETE', '/api/tickets/{number}/comments/{id}'],
  'customers.index': ['GET', '/api/customers', 'query'],
  'customers.create': ['POST', '/api/customers', { body: 'customer' }],
  'customers.import': ['POST', '/api/customers/import', 'form'],
  'customers.show': ['GET', '/api/customers/{id}'],
  'customers.update': ['PUT', '/api/customers/{id}', { body: 'customer' }],
  'customers.link': ['PUT', '/api/customers/{id}/account', 'fields'],
  'customers.destroy': ['DELETE', '/api/customers/{id}'],
  'events.index': ['GET', '/api/events', 'query'],
  'events.log': ['GET', '/api/events/log', 'query'],
  'events.show': ['GET', '/api/events/{id}'],
  'health.show': ['GET', '/health'],
  'notes.index': ['GET', '/api/notes'],
  'notes.create': ['POST', '/api/notes', 'fields'],
  'reports.summary': ['GET', '/api/reports/summary', 'query'],
  'reports.workload': ['GET', '/api/reports/workload/{team}'],
  'reports.tickets': ['GET', '/api/reports/tickets.csv', 'query'],
  'teams.index': ['GET', '/api/teams'],
  'teams.queue': ['GET', '/api/teams/queue/{slug}'],
  'teams.put': ['PUT', '/api/teams/{slug}', { body: 'settings' }],
  'teams.addMember': ['PUT', '/api/teams/{slug}/members/{user}'],
  'teams.removeMember': ['DELETE', '/api/teams/{slug}/members/{user}'],
  'tickets.index': ['GET', '/api/tickets', 'query'],
  'tickets.create': ['POST', '/api/tickets', { body: 'ticket' }],
  'links.show': ['GET', '/api/links', 'query'],
  'tickets.show': ['GET', '/api/tickets/{number}'],
  'tickets.update': ['PATCH', '/api/tickets/{number}', { body: 'changes' }],
  'tickets.assign': ['PUT', '/api/tickets/{number}/assignment', 'fields'],
  'tickets.close': ['POST', '/api/tickets/{number}/close', 'fields'],
  'tickets.reopen': ['POST', '/api/tickets/{number}/reopen', 'fields'],
  'tickets.history': ['GET', '/api/tickets/{number}/history'],
  'tickets.transcript': ['GET', '/api/tickets/{number}/transcript'],
  'links.create': ['POST', '/api/tickets/{number}/links'],
  'tickets.destroy': ['DELETE', '/api/tickets/{number}'],
  'users.current': ['GET', '/api/users/current'],
  'users.startSession': ['POST', '/api/users/current/sessions', 'fields'],
  'users.endSession': ['DELETE', '/api/users/current/sessions'],
}

/** Parameters that are neither in the path nor in what is sent. */
const headersOf = ({ route, provided }: Step): Readonly<Record<string, string>> => {
  if (route === 'tickets.update' && provided.version !== undefined)
    return { 'if-match': String(provided.version) }
  if (route === 'events.index' && provided.last !== undefined)
    return { 'last-event-id': String(provided.last) }
  if (route === 'teams.queue' && provided.last !== undefined) return { cookie: `desk_team=${provided.last}` }
  return {}
}

/** Calls over HTTP, also with the cookie of a session; what was called, as `VERB path` of OpenAPI, is added to `called`. */
export function byHand(
  baseUrl: string,
  tokens: Tokens,
  {
    called = new Set(),
    cookie = null,
  }: { readonly called?: Set<string>; readonly cookie?: string | null } = {},
): Wire {
  return async (step) => {
    const [verb, full, sent] = routes[step.route] ?? ['', '']
    const missing = /\/\{(\w+)\}$/.exec(full)?.[1]
    const path =
      missing !== undefined && step.provided[missing] === undefined ? full.replace(/\/\{\w+\}$/, '') : full
    called.add(`${verb} ${path}`)
    const filled = path.replace(/\{(\w+)\}/g, (_text, name) =>
      encodeURIComponent(textOf(step.provided[name])),
    )
    const rest = Object.entries(step.provided).filter(([name]) => !path.includes(`{${name}}`))
    const token = tokens[step.who]
    const credentials = {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(cookie === null ? {} : { cookie }),
    }
    const headers = { ...credentials, ...headersOf(step) }
    const query = sent === 'query' ? queryOf(rest.filter(([name]) => name !== 'last')) : ''
    const init = sent === undefined || sent === 'query' ? { headers } : bodyOf(sent, rest, headers)
    return outcomeOf(step, await fetch(baseUrl + filled + query, { ...init, method: verb }))
  }
}

type Provided = readonly (readonly [string, unknown])[]

const textOf = (value: unknown): string => (value instanceof Date ? value.toISOString() : String(value))

const queryOf = (provided: Provided): string => {
  const pairs = provided.flatMap(([name, value]) => [value].flat().map((item) => [name, textOf(item)]))
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}

function bodyOf(
  sent: Exclude<Row[2], 'query' | undefined>,
  provided: Provided,
  headers: object,
): RequestInit {
  if (sent === 'form') {
    const form = new FormData()
    for (const [name, value] of provided)
      for (const item of [value].flat()) if (item instanceof Blob) form.append(name, item)
    return { headers: { ...headers }, body: form }
  }
  const value = sent === 'fields' ? Object.fromEntries(provided) : Object.fromEntries(provided)[sent.body]
  return { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(value) }
}

async function outcomeOf(step: Step, response: Response): Promise<Outcome> {
  const { status } = response
  const type = response.headers.get('content-type') ?? ''
  if (type.startsWith('text/event-stream')) return { status, data: await eventsOf(step, response) }
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (type.startsWith('application/json'))
    return { status, data: valueIn(step.route, Buffer.from(bytes).toString()) }
  if (status === 204) return { status, data: undefined }
  const text = Buffer.from(bytes).toString()
  const isText = Buffer.from(text).equals(bytes)
  return { status, data: isText ? text : `base64,${Buffer.from(bytes).toString('base64')}` }
}

async function eventsOf({ route, take }: Step, response: Response): Promise<unknown[]> {
  const events: unknown[] = []
  let text = ''
  for await (const piece of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    const blocks = (text + piece).split('\n\n')
    text = blocks.pop() ?? ''
    for (const [, event, id, data = ''] of blocks.map(
      (block) => /^event: (.*)\nid: (.*)\ndata: (.*)$/.exec(block) ?? [],
    ))
      if (event !== undefined) events.push({ data: valueIn(route, data), event, id })
    if (events.length >= take) return events.slice(0, take) // and the connection ends
  }
  return events
}

const dates = [
  'since',
  'openedAt',
  'changedAt',
  'closedAt',
  'expiresAt',
  'startedAt',
  'endedAt',
  'uploadedAt',
]
const moreDates = ['writtenAt', 'editedAt', 'at']
const bigints = ['bytes', 'worked', 'attachedBytes', 'fileBytes']

/** The value that the action returned, of the JSON that it is written as. */
export function valueIn(route: string, json: string): unknown {
  const isDate = (name: string): boolean =>
    [...dates, ...moreDates, ...(route === 'reports.summary' ? ['from', 'to'] : [])].includes(name)
  const isBigint = (name: string): boolean =>
    [...bigints, ...(/^events\.|history$/.test(route) ? ['id'] : [])].includes(name)
  return JSON.parse(json, (name, value) => {
    if (typeof value !== 'string') return value
    if (isBigint(name)) return BigInt(value)
    return isDate(name) ? new Date(value) : value
  })
}
