/** `Authorization: Basic` of a client. Source: RFC 6749, 2.3.1; RFC 7617, 2. */
import { decodeUtf8 } from '../../utf8.ts'

export interface BasicCredentials {
  readonly id: string
  /** The secret as it may be meant: decoded as a form, and as it was sent, since many clients do not encode it; none = it is empty. */
  readonly secrets: readonly string[]
}

/** Null without the header, and with that of another scheme. */
export function readBasic(
  header: string | readonly string[] | undefined,
): BasicCredentials | 'unreadable' | null {
  if (typeof header !== 'string' || !/^basic( |$)/i.test(header)) return null
  const text = decodedText(header.slice('basic '.length).trim())
  const colon = text?.indexOf(':') ?? -1
  if (text === null || colon < 0) return 'unreadable'
  const id = formDecoded(text.slice(0, colon))
  const sent = text.slice(colon + 1)
  if (id === null) return 'unreadable'
  const meant = new Set([formDecoded(sent) ?? sent, sent])
  return { id, secrets: [...meant].filter((secret) => secret !== '') }
}

function decodedText(base64: string): string | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return null
  try {
    return decodeUtf8(Buffer.from(base64, 'base64'), () => new Error('not UTF-8'))
  } catch {
    return null
  }
}

/** Null for what is no percent-encoding. */
function formDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}
