/** Assertions with one thing wrong, by chance: of an identity provider beside a good one of the client, and the other way round. */
import type { EnterpriseWorld } from './enterprise.ts'
import { jagHeader } from './enterprise.ts'
import { baseUrl } from './harness.ts'
import { claims as clientClaims, jwt, seconds } from './machine.ts'

export type Random = (below: number) => number

/** A stream of numbers that is the same for a seed. */
export function randomFrom(seed: number): Random {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return (state >>> 8) % below
  }
}

type Form = Readonly<Record<string, string>>

/** What no claim or header may be; `undefined` takes it away. */
const values: readonly unknown[] = [
  ...[undefined, null, true, false, -1, 0, 1.5, 1e308, Number.MAX_SAFE_INTEGER, '', ' ', '\u0000', 'x', '‮'],
  ...[
    [],
    {},
    [null],
    [[]],
    { a: 1 },
    ['x', 'y'],
    'none',
    'constructor',
    '__proto__',
    'https://other.example',
  ],
]
const claimNames = ['iss', 'sub', 'aud', 'exp', 'iat', 'jti', 'client_id', 'resource', 'cnf', 'nbf', 'scope']
const headerNames = ['alg', 'typ', 'kid', 'crit', 'b64']
const letters = 'ABCabc019-_.=~ é'

interface Kind {
  readonly claims: () => Record<string, unknown>
  readonly header: object
  readonly sign: (claims: unknown, header: unknown) => string
  /** Whether that is as it may be. */
  readonly isGood: (name: string, value: unknown) => boolean
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''

/** One more, of which nothing may come. */
export function wrongForm(w: EnterpriseWorld, random: Random): Form {
  const jag: Kind = {
    claims: w.claims,
    header: jagHeader,
    sign: (claims, header) => jwt(claims, w.oktaKey, header),
    isGood: (name, value) =>
      (['cnf', 'nbf', 'resource', 'scope'].includes(name) && value === undefined) ||
      (name === 'jti' && isText(value)) ||
      (name === 'kid' && (value === undefined || value === null)) ||
      (name === 'nbf' && typeof value === 'number' && value <= seconds) ||
      (name === 'sub' &&
        ['x', 'none', 'constructor', '__proto__', 'https://other.example'].includes(String(value))) ||
      (['crit', 'b64'].includes(name) && value === undefined) ||
      name === 'b64',
  }
  const proof: Kind = {
    claims: () => clientClaims(),
    header: { alg: 'ES256', typ: 'JWT' },
    sign: (claims, header) => jwt(claims, w.key, header),
    isGood: (name, value) =>
      ['client_id', 'resource', 'cnf', 'scope', 'b64'].includes(name) ||
      (name === 'jti' && isText(value)) ||
      (['kid', 'typ', 'crit', 'nbf'].includes(name) && value === undefined) ||
      (name === 'kid' && value === null) ||
      (name === 'nbf' && typeof value === 'number' && value <= seconds),
  }
  return random(2) === 0
    ? w.form(mutated(jag, random))
    : w.form(w.jag(), {
        client_assertion: mutated(proof, random),
        ...(random(2) ? {} : { client_id: 'ci-bot' }),
      })
}

function mutated(kind: Kind, random: Random): string {
  const { claims, header, sign, isGood } = kind
  const good = sign(claims(), header)
  const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)] as Item // there is one
  switch (random(7)) {
    case 0:
      return replaced(good, random)
    case 1:
      return good.slice(0, random(good.length))
    case 2: {
      const [first = '', second = '', third = ''] = good.split('.')
      return pick([
        [second, first, third],
        [first, second, ''],
        [first, second],
        [first, second, third, third],
        ['', second, third],
      ]).join('.')
    }
    case 3:
    case 4: {
      const [name, value] = [pick(claimNames), pick(values)]
      return isGood(name, value) ? replaced(good, random) : sign(changed(claims(), name, value), header)
    }
    case 5: {
      const [name, value] = [pick(headerNames), pick(values)]
      return isGood(name, value) ? replaced(good, random) : sign(claims(), changed(header, name, value))
    }
    default: {
      const name = pick(['iss', 'sub', 'aud', 'exp', 'iat', 'jti'])
      const twice = `{"${name}":${JSON.stringify(pick(values) ?? baseUrl)},`
      return sign(JSON.stringify(claims()).replace('{', twice), header)
    }
  }
}

const changed = (members: object, name: string, value: unknown): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries({ ...members, [name]: value }).filter(([, member]) => member !== undefined),
  )

/** One letter is another. */
function replaced(good: string, random: Random): string {
  const at = random(good.length)
  const letter = letters.charAt(random(letters.length))
  return good.charAt(at) === letter ? `${good}.` : `${good.slice(0, at)}${letter}${good.slice(at + 1)}`
}

/** How many answers of each status so many wrong ones get. */
export async function answersTo(
  w: EnterpriseWorld,
  count: number,
  random: Random,
): Promise<ReadonlyMap<number, number>> {
  const statuses = new Map<number, number>()
  for (let round = 0; round < count; round += 1) {
    const form = wrongForm(w, random)
    const { status } = await w.call('POST', '/oauth/token', { form })
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    if (status === 200 || status >= 500) throw new Error(`${status}: ${JSON.stringify(form)}`)
    if (round % 1000 === 0) {
      w.logged.length = 0
      w.rows.length = 0
    }
  }
  return statuses
}
