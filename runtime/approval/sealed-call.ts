/** What a person is shown of a call, sealed while it waits and bound to its row. */
import type { ApprovalRecord, ShownCall } from '../contract/approval.ts'
import type { RandomBytes } from '../contract/store.ts'
import { PayloadTooLarge } from '../errors.ts'
import { exactJson } from '../http/input/input-json.ts'
import { textSeal } from '../sealed-text.ts'

/** To what the seal is bound. */
export type SealedRow = Pick<ApprovalRecord, 'id' | 'user' | 'route' | 'digest'>

export interface CallSeal {
  /** Throws `PayloadTooLarge` where `call` is longer as JSON than what a person can be asked about. */
  seal(call: ShownCall, row: SealedRow): string
  /** Null where it was not sealed for this row, or the secret is gone. */
  open(row: SealedRow & Pick<ApprovalRecord, 'sealed'>): ShownCall | null
}

const largest = 262_144

export function callSeal(secrets: readonly string[], randomBytes: RandomBytes): CallSeal {
  const texts = textSeal({ secrets, label: 'acmcp approval arguments v1', randomBytes })
  return {
    seal(call, row) {
      return texts.seal(withinBound(call), boundTo(row))
    },
    open(row) {
      const text = texts.open(row.sealed, boundTo(row))
      return text === null ? null : JSON.parse(text)
    },
  }
}

/** `value` as text. Throws `PayloadTooLarge` where that is longer than what a person can be asked about. */
export function withinBound(value: unknown): string {
  const text = exactJson(value)
  if (Buffer.byteLength(text) > largest)
    throw new PayloadTooLarge(largest, 'a call that a person must approve')
  return text
}

const boundTo = ({ id, user, route, digest }: SealedRow): readonly string[] => [id, user, route, digest]
