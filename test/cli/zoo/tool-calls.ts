/** Tool calls of a cell, ten in a request. */
import { argumentsWith, routeOf } from './cells.ts'
import type { Cell, RequestPlace } from './places.ts'
import type { Outcome } from './served.ts'
import type { Wire } from './wire.ts'

/** What a batch holds. Source: rules.md, batches of 2025-03-26. */
const most = 10

export async function callTools(
  wire: Wire,
  path: string,
  cell: Cell,
  values: readonly unknown[],
): Promise<readonly Outcome[]> {
  const all = values.map((value) => argumentsWith(cell.place as RequestPlace, value))
  const outcomes: Outcome[] = []
  for (let from = 0; from < all.length; from += most)
    outcomes.push(...(await batch(wire, path, { tool: routeOf(cell), some: all.slice(from, from + most) })))
  return outcomes
}

interface Answer {
  readonly id: number
  readonly result?: { readonly isError?: boolean; readonly content: readonly { readonly text?: string }[] }
  readonly error?: { readonly code: number; readonly message: string }
}

async function batch(
  wire: Wire,
  url: string,
  { tool, some }: { readonly tool: string; readonly some: readonly unknown[] },
): Promise<readonly Outcome[]> {
  const messages = some.map((args, id) => ({
    ...{ jsonrpc: '2.0', id, method: 'tools/call', params: { name: tool, arguments: args } },
  }))
  wire.forget()
  const { status, body, received } = await wire.send({
    method: 'POST',
    url,
    headers: {
      ...{ accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
      'mcp-protocol-version': '2025-03-26',
    },
    payload: JSON.stringify(messages),
  })
  const answers = [...body.toString().matchAll(/^data: (.*)$/gm)].map(
    ([, text = '']): Answer => JSON.parse(text),
  )
  if (answers.length !== some.length) throw new Error(`${tool} was not called: ${status} ${body}`)
  const waiting = [...received]
  return answers.map((answer, place): Outcome => {
    if (answer.id !== place) throw new Error(`the answer ${answer.id} of ${tool} stands at ${place}`)
    const why = refusalIn(answer, some[place])
    if (why !== null) return { isTaken: false, why }
    if (waiting.length === 0) throw new Error('the method did not run once')
    return { isTaken: true, value: waiting.shift() }
  })
}

function refusalIn({ result, error }: Answer, args: unknown): string | null {
  if (error?.code === -32602 && !isObject(args)) return error.message // the protocol has no other arguments
  if (result === undefined) throw new Error(`not called: ${JSON.stringify(error)}`)
  return result.isError === true ? (result.content[0]?.text ?? '') : null
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
