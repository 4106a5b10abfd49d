/** Server and client agree for random values of random types: what an action is given deep-equals what the caller gave, and what
 *  the caller gets what the action answered; and the values have the types that the client prints. */
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { write } from '../support/built-app.ts'
import { errorsOf, programOf } from './client-types.ts'
import {
  type RandomCall,
  type RandomRoute,
  randomApplication,
  randomCalls,
  randomRoutes,
} from './random-routes.ts'
import { type AnyClient, serveWithClient } from './served-client.ts'

export interface RandomClients {
  readonly calls: number
  /** Calls after which one of both had something else. */
  readonly wrong: readonly string[]
  /** Of a program that makes the same calls. */
  readonly typeErrors: string
}

/** How much of it. */
export interface Size {
  readonly routes: number
  /** Of each route. */
  readonly calls: number
  readonly seed: number
}

type Exchange = (provided: object) => { readonly answer: unknown; readonly isError: boolean }

/** One random application, served and called. */
export async function judgeRandomClient(
  t: { teardown(clean: () => unknown): void },
  { routes, calls, seed }: Size,
): Promise<RandomClients> {
  const all = randomRoutes(routes, seed)
  const { root, baseUrl, module } = await serveWithClient(t, randomApplication(all))
  const api = module.createClient({ baseUrl })
  const wrong: string[] = []
  const made = all.map((route) => ({ route, calls: randomCalls(route, calls, seed) }))
  for (const { route, calls } of made)
    for (const call of calls) wrong.push(...(await differences(api, route, call)))
  write(root, 'calls.ts', callsText(made))
  const program = programOf('node', [join(root, 'calls.ts')])
  return { calls: routes * calls, wrong, typeErrors: errorsOf(program) }
}

async function differences(api: AnyClient, route: RandomRoute, call: RandomCall): Promise<readonly string[]> {
  let received: object = {}
  const exchange: Exchange = (provided) => {
    received = provided
    return call
  }
  Object.assign(globalThis, { acmcpExchange: exchange })
  const answer = await api[route.name]?.call?.(call.provided).catch((error: unknown) => ({
    status: error,
    data: null,
  }))
  const status = call.isError ? 418 : 200
  const isReceived = isDeepStrictEqual(plain(received), plain(call.provided))
  const isAnswered = answer?.status === status && isDeepStrictEqual(plain(answer.data), plain(call.answer))
  if (isReceived && isAnswered) return []
  const shown = [call.provided, received, call.answer, answer?.status, answer?.data].map(expression)
  return [
    `${JSON.stringify(route, ['name', 'verb', 'arguments', 'answer', 'error', 'type', 'place', 'of'])}\n  gave ${shown[0]}\n  received ${shown[1]}\n  answered ${shown[2]}\n  got ${shown[3]} ${shown[4]}`,
  ]
}

/** What is the same to an application: a property that is undefined is absent, and a Buffer is bytes. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (value instanceof Uint8Array) return new Uint8Array(value)
  if (value instanceof Map) return new Map([...value].map(([name, item]) => [name, plain(item)]))
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => (item === undefined ? [] : [[name, plain(item)]])),
  )
}

/** A value as TypeScript writes it. */
function expression(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(expression).join(', ')}]`
  if (typeof value === 'bigint') return `${value}n`
  if (value instanceof Date) return `new Date('${value.toISOString()}')`
  if (value instanceof URL) return `new URL(${JSON.stringify(value.href)})`
  if (value instanceof Uint8Array) return `new Uint8Array([${value.join(', ')}])`
  if (value instanceof Set) return `new Set(${expression([...value])})`
  if (value instanceof Map) return `new Map(${expression([...value].slice(0, 1))})` // of several kinds TypeScript infers none
  if (typeof value !== 'object' || value === null) return String(JSON.stringify(value))
  if (value instanceof Error) return String(value)
  const fields = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${expression(item)}`)
  return `{ ${fields.join(', ')} }`
}

function callsText(
  made: readonly { readonly route: RandomRoute; readonly calls: readonly RandomCall[] }[],
): string {
  const calls = made.flatMap(({ route, calls }) =>
    calls.map(({ provided, answer, isError }, place) => {
      const name = `${route.name}c${place}`
      const status = isError ? 418 : 200
      return `  const ${name} = await api.${route.name}.call(${expression(provided)})
  if (${name}.status === ${status}) {
    const data: typeof ${name}.data = ${expression(answer)}
    void data
  }`
    }),
  )
  return `import type { Client } from './generated/client.ts'
export async function calls(api: Client): Promise<void> {
${calls.join('\n')}
}
`
}
