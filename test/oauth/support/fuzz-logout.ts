/** Logout tokens altered at random: none is one that the provider has signed as it should. */
import type { LogoutWorld } from './logout.ts'
import { header, logoutEvent } from './logout.ts'
import { jwt, p256, seconds } from './machine.ts'

export interface FuzzOptions {
  readonly count: number
  readonly seed: number
}

/** A generator of numbers below `below` (mulberry32). */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const values: readonly unknown[] = [
  ...[
    null,
    true,
    0,
    -1,
    1e308,
    '',
    'us',
    [],
    {},
    ['us', 'us'],
    { us: 'us' },
    [[]],
    '\0',
    '\u202e',
    'x'.repeat(300),
  ],
  ...[
    seconds - 10_000,
    seconds + 10_000,
    'none',
    'HS256',
    'RS256',
    ['ES256'],
    { [logoutEvent]: [] },
    'at+jwt',
  ],
]

/** A text whose change at any place breaks what it says. */
function altered(text: string, random: (below: number) => number): string {
  const at = random(text.length)
  const byte = String.fromCharCode(33 + random(90))
  const kind = random(4)
  if (kind === 0) return text.slice(0, at)
  if (kind === 1) return `${text.slice(0, at)}${byte}${text.slice(at)}`
  if (kind === 2) return text.slice(0, at) + text.slice(at + 1 + random(5))
  return text.slice(0, at) + (text[at] === byte ? '' : byte) + text.slice(at + 1)
}

/** How many answers had which status. Tokens are made without network and time: the same seed, the same tokens. */
export async function fuzzLogoutTokens(
  w: Pick<LogoutWorld, 'claims' | 'token' | 'key' | 'post' | 'logged'>,
  { count, seed }: FuzzOptions,
): Promise<Readonly<Record<number, number>>> {
  const random = randomFrom(seed)
  const stranger = p256()
  const names = ['iss', 'aud', 'iat', 'exp', 'events', 'nonce', 'sub', 'jti']
  const mutate = (): string => {
    const kind = random(5)
    if (kind === 0) return altered(w.token(), random)
    if (kind === 1) return jwt(w.claims(), stranger, header)
    if (kind === 2) return jwt(altered(JSON.stringify(w.claims()), random), stranger, header)
    const value = values[random(values.length)]
    if (kind === 3) {
      const name = names[random(names.length)] ?? ''
      const isText = typeof value === 'string' && value !== '' && value.length < 256
      const isFine = isText && (name === 'jti' || (name === 'sub' && /^[!-~]+$/.test(value)))
      const isLater = name === 'exp' && typeof value === 'number' && value > seconds
      return isFine || isLater || (name === 'aud' && value === 'us')
        ? `${w.token()}A`
        : w.token({ [name]: value })
    }
    const part = ['alg', 'kid', 'crit', 'typ'][random(4)] ?? ''
    return part === 'kid' && value === null
      ? `${w.token()}A`
      : jwt(w.claims(), w.key, { ...header, [part]: value })
  }
  const statuses: Record<number, number> = {}
  for (let round = 0; round < count; round += 1) {
    const token = mutate()
    const { status } = await w.post(token)
    if (status !== 400) throw new Error(`${status} for ${token}, seed ${seed}, round ${round}`)
    statuses[status] = (statuses[status] ?? 0) + 1
    if (round % 1000 === 0) w.logged.length = 0
  }
  return statuses
}
