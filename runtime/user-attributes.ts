/** What an application keeps with a user (`onSignIn`): on the user's object, and no part of the record. Nothing that lists, copies,
 *  prints or serialises a user finds it. */
import type { User, UserAttributes } from './contract/store.ts'
import { frozen } from './frozen-json.ts'

const key: unique symbol = Symbol('attributes')

/** As text until the application reads them. */
class KeptAttributes {
  readonly #json: string
  #value: Readonly<UserAttributes> | null = null

  constructor(json: string) {
    this.#json = json
  }

  read(): Readonly<UserAttributes> {
    this.#value ??= frozen(JSON.parse(this.#json)) as Readonly<UserAttributes> // what `onSignIn` returned
    return this.#value
  }
}

type Carrier = User & { readonly [key]?: KeptAttributes }

/** The same object, with the attributes that the store keeps as JSON. */
export function withAttributes(user: User, json: string | null): User {
  return json === null ? user : keep(user, new KeptAttributes(json))
}

/** The same object, with those of another one. */
export function withAttributesOf(user: User, other: Carrier): User {
  const kept = other[key]
  return kept instanceof KeptAttributes ? keep(user, kept) : user
}

const keep = (user: User, kept: KeptAttributes): User =>
  Object.defineProperty(user, key, { value: kept, enumerable: false })

/** What `onSignIn` returned when this user signed in last, frozen; null for a user that acmcp did not hand out. No question to the store. */
export function attributesOf(user: User): Readonly<UserAttributes> | null {
  return (user as Carrier)[key]?.read() ?? null // by a symbol that only this file has
}
