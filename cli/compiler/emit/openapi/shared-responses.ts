/** Failures that operations have in common, as components of the document: each once, under the names of its errors. */
import { STATUS_CODES } from 'node:http'
import type { Controller } from '../../ir/model.ts'
import { freeName } from '../../ir/safe-names.ts'
import type { Json } from './json.ts'
import type { Failure, StatusResponse } from './responses.ts'

/** A failure of a controller's operations. */
export interface ControllerFailure extends Failure {
  readonly status: string
  readonly response: Json
  /** How many operations have it. */
  readonly uses: number
}

/** By key. */
export type ControllerFailures = ReadonlyMap<string, ControllerFailure>

/** The failures of `operations`, each once. */
export function sharedIn(operations: readonly (readonly StatusResponse[])[]): ControllerFailures {
  const failures = new Map<string, ControllerFailure>()
  for (const { status, response, failure } of operations.flat()) {
    if (failure === null) continue
    const known = failures.get(failure.key)
    failures.set(failure.key, {
      ...failure,
      status,
      response,
      isOwn: failure.isOwn || known?.isOwn === true,
      uses: (known?.uses ?? 0) + 1,
    })
  }
  return failures
}

/** A component. */
export interface SharedResponse {
  readonly name: string
  readonly response: Json
}

/** By key. */
export type SharedResponses = ReadonlyMap<string, SharedResponse>

interface Part {
  readonly controller: Controller['symbol']['name']
  readonly failures: ControllerFailures
}

/** The components of the document: what handlers and the framework answer, and what several operations document alike. */
export function sharedResponses(parts: readonly Part[]): SharedResponses {
  const shared = new Map<string, SharedResponse>()
  const taken = new Set<string>()
  for (const [key, users] of usersByKey(parts)) {
    const failure = users[0]?.failures.get(key)
    const uses = users.reduce((sum, { failures }) => sum + (failures.get(key)?.uses ?? 0), 0)
    if (failure === undefined || (failure.isOwn && uses === 1)) continue
    const owner = failure.isOwn && users.length === 1 ? (users[0]?.controller ?? '') : ''
    const name = freeName(owner + plainName(failure), (other) => taken.has(other))
    taken.add(name)
    shared.set(key, { name, response: failure.response })
  }
  return shared
}

function usersByKey(parts: readonly Part[]): ReadonlyMap<string, readonly Part[]> {
  const users = new Map<string, Part[]>()
  for (const part of parts) {
    for (const key of part.failures.keys()) {
      const known = users.get(key)
      if (known === undefined) users.set(key, [part])
      else known.push(part)
    }
  }
  return users
}

const maxNames = 3

/** The names of its errors, or of its status when it has none. Source: OpenAPI 3.1, Components Object, the form of keys. */
function plainName({ errors, status }: ControllerFailure): string {
  const shown = errors.length > maxNames ? [...errors.slice(0, maxNames - 1), 'Others'] : errors
  const name = shown.length > 0 ? shown.join('Or') : (STATUS_CODES[status] ?? `Status${status}`)
  return name.replace(/[^\w.-]/g, '')
}
