/** Scopes, routes and grants drawn at random, and what they come to: a model of its own, from the words of
 *  templates/docs/scopes.md. */
import type { ScopeConfig } from '../../../../runtime/contract/scopes.ts'

/** A source of chance that a seed repeats (mulberry32). */
export class Chance {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** A whole number from 0, below `count`. */
  below(count: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count
  }

  isOneIn(count: number): boolean {
    return this.below(count) === 0
  }

  /** Throws for an empty list. */
  pick<T>(list: readonly T[]): T {
    const [picked] = list.slice(this.below(list.length))
    if (picked === undefined) throw new Error('nothing to pick from')
    return picked
  }

  /** Some of them, in their order, perhaps none. */
  some<T>(list: readonly T[]): readonly T[] {
    return list.filter(() => this.isOneIn(2))
  }
}

/** A declared scope. */
export interface Drawn {
  readonly name: string
  readonly implies: readonly string[]
  readonly isSensitive: boolean
}

const names = ['a:1', 'b:2', 'c:3', 'd:4', 'e:5', 'f:6']

/** Each implies earlier ones alone, so that there is no cycle; who implies a sensitive one is sensitive. */
export function drawScopes(chance: Chance): readonly Drawn[] {
  const drawn: Drawn[] = []
  for (const name of names) {
    if (chance.isOneIn(5)) continue
    const implies = drawn.filter(() => chance.isOneIn(4))
    const isSensitive = implies.some((item) => item.isSensitive) || chance.isOneIn(4)
    drawn.push({ name, implies: implies.map((item) => item.name), isSensitive })
  }
  return drawn.length > 0 ? drawn : [{ name: 'a:1', implies: [], isSensitive: false }]
}

/** As `defineApp` takes them. `hopeless` is asked each time: what users may not have now. */
export const scopesConfig = (
  drawn: readonly Drawn[],
  hopeless: ReadonlySet<string>,
): Readonly<Record<string, ScopeConfig>> =>
  Object.fromEntries(
    drawn.map(({ name, implies, isSensitive }) => [
      name,
      { text: `Do ${name[0]}`, implies, sensitive: isSensitive, mayHave: () => !hopeless.has(name) },
    ]),
  )

/** What names come to where these are declared, in the order of declaration. */
export function resolved(requested: readonly string[], drawn: readonly Drawn[]): readonly string[] {
  const meant = new Set(
    requested.includes('api') ? drawn.filter((item) => !item.isSensitive).map(nameOf) : [],
  )
  const follow = (name: string): void => {
    const scope = drawn.find((item) => item.name === name)
    if (scope === undefined) return
    meant.add(name)
    for (const implied of scope.implies) follow(implied)
  }
  for (const name of requested) if (name !== 'api') follow(name)
  return drawn.map(nameOf).filter((name) => meant.has(name))
}

const nameOf = ({ name }: Drawn): string => name

/** What a user has allowed a client. */
export interface Granted {
  /** As the token endpoint said. */
  readonly named: readonly string[]
  /** What was ticked on the page, and what that implied there. */
  readonly allowed: readonly string[]
}

/** What a token of it may do where these are declared. */
export const grantedToday = ({ named, allowed }: Granted, drawn: readonly Drawn[]): readonly string[] =>
  resolved(named, drawn).filter((name) => allowed.includes(name))
