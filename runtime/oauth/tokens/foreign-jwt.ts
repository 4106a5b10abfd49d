/** A JWT that another party has signed, read so that no two readers take it for different things. Source: RFC 7519, 7.2; RFC 8725. */
import { decodeUtf8 } from '../../utf8.ts'
import { isCanonical } from './jwt.ts'

/** By name; each once. */
export type Members = ReadonlyMap<string, unknown>

export class UnreadableJwt extends Error {
  readonly fault: 'malformed' | 'duplicate'
  constructor(fault: UnreadableJwt['fault']) {
    super(fault)
    this.fault = fault
  }
}

const maxLength = 8 * 1024

/** Nothing of it is verified. Throws `UnreadableJwt`. */
export function readForeignJwt(jwt: string): { readonly header: Members; readonly claims: Members } {
  const [header = '', claims = ''] = jwt.split('.')
  if (jwt.length > maxLength || !isCanonical(jwt)) throw new UnreadableJwt('malformed')
  return { header: membersIn(header), claims: membersIn(claims) }
}

function membersIn(part: string): Members {
  const malformed = (): Error => new UnreadableJwt('malformed')
  const text = decodeUtf8(Buffer.from(part, 'base64url'), malformed)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw malformed()
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed()
  const members = new Map(Object.entries(value))
  // of two with one name another reader may take the first
  if (memberCount(text) !== members.size) throw new UnreadableJwt('duplicate')
  return members
}

/** How many members the outermost object of a JSON text has, those of one name counted each. */
function memberCount(json: string): number {
  let depth = 0
  let count = 0
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}:]/g)) {
    if (token === '{' || token === '[') depth += 1
    else if (token === '}' || token === ']') depth -= 1
    else if (token === ':' && depth === 1) count += 1
  }
  return count
}
