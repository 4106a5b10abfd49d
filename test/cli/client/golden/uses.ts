// What a caller may write, and what not: judged by TypeScript alone.
import {
  type Client,
  type ClientOptions,
  createClient,
  dataOf,
  type Failure,
  type Kinds,
  type ServerSentEvent,
  type Success,
  UnexpectedAnswer,
} from './generated/client.ts'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <Claim extends true>(): void => void (undefined as unknown as Claim)

export const tokens: ClientOptions[] = [
  { baseUrl: '', token: 'a' },
  { baseUrl: '', token: () => null, headers: { a: 'b' }, credentials: 'include', fetch },
  { baseUrl: '', token: async () => 'b' },
  { baseUrl: '', token: null, retries: 3 },
  // @ts-expect-error a key is of one call
  { baseUrl: '', idempotencyKey: 'a' },
  // @ts-expect-error a number is no token
  { baseUrl: '', token: 1 },
  // @ts-expect-error where the application is must be said
  {},
]

export async function uses(api: Client, signal: AbortSignal): Promise<void> {
  const made = await api.answers.create({ isLate: true }, { signal, headers: { a: 'b' } })
  if (made.status === 201) holds<Equal<typeof made.data.id, bigint>>()
  if (made.status === 202) holds<Equal<typeof made.data.until, Date>>()
  if (made.status === 423) holds<Equal<typeof made.data, { until: Date }>>()
  if (made.status === 429) holds<Equal<typeof made.data, unknown>>()
  // @ts-expect-error documented nowhere: it is thrown, whatever a handler renders
  if (made.status === 500) return
  if (made.ok) holds<Equal<typeof made.status, 201 | 202>>()
  else holds<Equal<typeof made.data, unknown>>()
  // @ts-expect-error before the status is known nothing is known of the data
  made.data.id
  // @ts-expect-error no route answers with that
  if (made.status === 200) return
  holds<Equal<Awaited<ReturnType<typeof dataOf<typeof made>>>['kind'], 'made' | 'waiting'>>()

  const own = await api.class.then()
  if (own.status === 401) holds<Equal<typeof own.data extends { error: string } ? true : false, true>>()

  const maybe = await dataOf(api.answers.maybe({ isThere: true }))
  holds<Equal<typeof maybe, Date | undefined>>()
  holds<Equal<Awaited<ReturnType<typeof api.answers.remove>> & { ok: true }, Success<200, undefined> & { ok: true }>>()
  holds<Equal<Failure<404, string>['status'], 404>>()

  for await (const event of await dataOf(api.answers.events())) {
    holds<Equal<typeof event, ServerSentEvent<{ at: Date }>>>()
  }
  for await (const piece of await dataOf(api.answers.stream())) holds<Equal<typeof piece, Uint8Array>>()

  await api.answers.files({ file: new Blob([]), more: [new Blob([])], tags: ['a'], title: undefined })
  await api.kinds.query({ id: 'a', days: new Set([new Date()]), tags: ['a'] as const })
  await api.kinds.places({ id: 1n, rest: 'a/b', 'an-other': new Date(), theme: 'dark' })
  await api.kinds.severalPost()
  await api.answers.remove({})

  // @ts-expect-error a parameter that there is not
  await api.kinds.query({ id: 'a', other: 1 })
  // @ts-expect-error a required one is missing
  await api.kinds.places({ id: 1n, rest: 'a' })
  // @ts-expect-error all required ones are missing
  await api.answers.create()
  // @ts-expect-error a number is no bigint
  await api.kinds.places({ id: 1, rest: 'a', 'an-other': new Date() })
  // @ts-expect-error no such theme
  await api.kinds.names({ theme: 'red' })
  // @ts-expect-error a route without parameters takes none
  await api.answers.remove({ id: 1 })
  // @ts-expect-error a text is no file
  await api.answers.files({ file: 'a' })
  await api.answers.remove({}, { retries: 3, idempotencyKey: 'a' })
  await api.answers.remove({}, { retries: undefined, idempotencyKey: null })
  // @ts-expect-error an option that there is not
  await api.answers.remove({}, { sginal: signal })
  // @ts-expect-error a route of WebSockets is none for fetch
  await api.class.talk()
  // @ts-expect-error no such controller
  await api.nothing.index()
  // @ts-expect-error nobody sends the header Authorization but the client
  await api.kinds.names({ authorization: 'a' })

  const node: Kinds['node'] = null
  const either: Kinds['either'] = new Date()
  holds<Equal<Kinds['holes'], (Date | null)[]>>()
  holds<Equal<Kinds['pair'], [string, Date?]>>()
  holds<Equal<Kinds['optional'], Date | undefined>>()
  // @ts-expect-error what may be absent is not undefined where that is told apart
  const optional: Pick<Kinds, 'optional'> = { optional: undefined }
  void [node, either, optional, createClient, new UnexpectedAnswer(made.response, '').status]
}
