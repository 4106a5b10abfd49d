/** Random values of what is published, each judged once; places that publish the same share them. */
import { type Json, parsed } from './judge.ts'
import type { Side } from './side.ts'
import { Values } from './values.ts'

export interface Drawn {
  readonly value: unknown
  /** `open`: only by names that the type does not declare. */
  readonly is: 'inside' | 'outside' | 'open'
}

export interface Draws {
  /** No value twice. */
  readonly values: readonly Drawn[]
  /** How many were drawn, doubles included. */
  readonly inside: number
  readonly outside: number
}

export class Drawing {
  readonly #seed: number
  readonly #most: number
  readonly #random = new Map<Json, Values>()
  readonly #draws = new Map<string, Draws>()

  constructor({ seed, values }: { readonly seed: number; readonly values: number }) {
    this.#seed = seed
    this.#most = values
  }

  of(side: Side): Draws {
    const { how, document, schema, isText } = side
    const text = JSON.stringify([how, isText, schema, how === 'tool' ? document.$defs : null])
    const known = this.#draws.get(text) ?? this.#draw(side)
    this.#draws.set(text, known)
    return known
  }

  #draw(side: Side): Draws {
    const random = this.#random.get(side.document) ?? new Values(side.document, this.#seed)
    this.#random.set(side.document, random)
    const found = new Map<string, Drawn>()
    let [inside, outside] = [0, 0]
    const isFull = (): boolean => inside >= this.#most && outside >= this.#most
    for (let count = 0; count < 10 * this.#most && !isFull(); count++) {
      const value = count % 2 === 0 ? random.inside(side.schema) : random.near(side.schema)
      const text = JSON.stringify(value)
      const drawn = found.get(text) ?? { value, is: judgement(side, value) }
      if (drawn.is === 'inside' && ++inside > this.#most) continue
      if (drawn.is === 'outside' && ++outside > this.#most) continue
      found.set(text, drawn)
    }
    const values = [...found.values()].filter(({ value }) => !isListText(side, value))
    return { values, inside: Math.min(inside, this.#most), outside: Math.min(outside, this.#most) }
  }
}

function judgement({ judge, closed }: Side, value: unknown): Drawn['is'] {
  if (!judge(value)) return 'outside'
  return closed(value) ? 'inside' : 'open'
}

/** A text that is a list of JSON is that list where one may stand (`templates/docs/types.md`). */
const isListText = ({ isText, schema }: Side, value: unknown): boolean =>
  isText && typeof value === 'string' && Array.isArray(parsed(value)) && Array.isArray(schema.anyOf)
