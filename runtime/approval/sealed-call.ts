/** What a person is shown of a call, sealed while it waits: a copy of the database says nothing of it, and no row passes for another. */
import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'
import type { ApprovalRecord, ShownCall } from '../contract/approval.ts'
import type { RandomBytes } from '../contract/store.ts'
import { PayloadTooLarge } from '../errors.ts'

/** To what the seal is bound. */
export type SealedRow = Pick<ApprovalRecord, 'id' | 'user' | 'route' | 'digest'>

export interface CallSeal {
  /** Throws `PayloadTooLarge` where there is more of it than a person can be asked about. */
  seal(call: ShownCall, row: SealedRow): string
  /** Null where it was not sealed for this row, or the secret is gone. */
  open(row: SealedRow & Pick<ApprovalRecord, 'sealed'>): ShownCall | null
}

const label = 'acmcp approval arguments v1\n'
const [ivLength, tagLength] = [12, 16]
const largest = 262_144

/** AES-256-GCM; `secrets` rotate: the first seals, all open. */
export function callSeal(secrets: readonly string[], randomBytes: RandomBytes): CallSeal {
  const keys = secrets.map((secret) => createHmac('sha256', secret).update(label).digest())
  return {
    seal(call, row) {
      const [key] = keys
      if (key === undefined) throw new Error('an approval needs a secret')
      const text = Buffer.from(JSON.stringify(call))
      if (text.length > largest) throw new PayloadTooLarge(largest, 'a call that a person must approve')
      const iv = randomBytes(ivLength)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(boundTo(row))
      const sealed = [cipher.update(text), cipher.final()]
      return Buffer.concat([iv, cipher.getAuthTag(), ...sealed]).toString('base64url')
    },
    open(row) {
      const bytes = Buffer.from(row.sealed, 'base64url')
      for (const key of keys) {
        const text = opened(bytes, key, row)
        if (text !== null) return JSON.parse(text)
      }
      return null
    },
  }
}

function opened(bytes: Buffer, key: Buffer, row: SealedRow): string | null {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivLength)).setAAD(boundTo(row))
  decipher.setAuthTag(bytes.subarray(ivLength, ivLength + tagLength))
  try {
    return decipher.update(bytes.subarray(ivLength + tagLength), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return null
  }
}

const boundTo = ({ id, user, route, digest }: SealedRow): Buffer =>
  Buffer.from(JSON.stringify([id, user, route, digest]))
