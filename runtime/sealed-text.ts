/** Texts that wait in the store: a copy of the database says nothing of them, and none passes for another. Imports nothing but types of ours. */
import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'
import type { RandomBytes } from './contract/store.ts'

export interface TextSeal {
  /** `boundTo` names the row: with any other it does not open. */
  seal(text: string, boundTo: readonly string[]): string
  /** Null where it was not sealed for this row, or the secret is gone. */
  open(sealed: string, boundTo: readonly string[]): string | null
}

interface SealOptions {
  /** They rotate: the first seals, all open. */
  readonly secrets: readonly string[]
  /** What the texts are: the key is derived with it. */
  readonly label: string
  readonly randomBytes: RandomBytes
}

const [ivLength, tagLength] = [12, 16]

/** AES-256-GCM, base64url. */
export function textSeal({ secrets, label, randomBytes }: SealOptions): TextSeal {
  const keys = secrets.map((secret) => createHmac('sha256', secret).update(`${label}\n`).digest())
  return {
    seal(text, boundTo) {
      const [key] = keys
      if (key === undefined) throw new Error('sealing needs a secret')
      const iv = randomBytes(ivLength)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(additional(boundTo))
      const sealed = [cipher.update(text, 'utf8'), cipher.final()]
      return Buffer.concat([iv, cipher.getAuthTag(), ...sealed]).toString('base64url')
    },
    open(sealed, boundTo) {
      const bytes = Buffer.from(sealed, 'base64url')
      for (const key of keys) {
        const text = opened(bytes, key, boundTo)
        if (text !== null) return text
      }
      return null
    },
  }
}

function opened(bytes: Buffer, key: Buffer, boundTo: readonly string[]): string | null {
  try {
    const iv = bytes.subarray(0, ivLength)
    const decipher = createDecipheriv('aes-256-gcm', key, iv).setAAD(additional(boundTo))
    decipher.setAuthTag(bytes.subarray(ivLength, ivLength + tagLength))
    return decipher.update(bytes.subarray(ivLength + tagLength), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return null
  }
}

const additional = (boundTo: readonly string[]): Buffer => Buffer.from(JSON.stringify(boundTo))
