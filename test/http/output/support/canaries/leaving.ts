/** Who asks for an answer, and what leaves. */
import { parse } from 'yaml'
import type { TestClient } from '../../../../../runtime/testing.ts'

export interface Callers {
  /** A browser that is signed in. */
  readonly session: TestClient
  readonly nobody: TestClient
  /** With a credential of the application's own. */
  readonly key: TestClient
  /** With a token that was issued here. */
  readonly token: TestClient
}

export type Caller = keyof Callers

/** What left, by the value that was handed over. */
export interface Leaving {
  readonly entrance: string
  /** All that was sent. */
  readonly sent: string
  /** The answer in it as JSON; null = it has another form. */
  readonly json: string | null
  /** Whether secrets are left out. */
  readonly isDelegated: boolean
}

export const ofYaml = (body: string): string => JSON.stringify(parse(body, { maxAliasCount: -1 }))
