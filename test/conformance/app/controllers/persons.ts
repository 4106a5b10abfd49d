import type { Body } from 'acmcp'
import { Application } from '../application.ts'

/**
 * A person and how to reach them: says what no TypeScript type does.
 *
 * @schema ../schemas/person.json
 */
export interface Person {
  readonly name?: string
  readonly contactMethod?: 'phone' | 'email'
  readonly phone?: string
  readonly email?: string
}

/** Who was taken. */
export interface Taken {
  readonly name: string | null
}

/**
 * Tools whose input schema is written by hand.
 */
export class Persons extends Application {
  /**
   * Takes what a JSON Schema 2020-12 describes.
   *
   * @post /schema-2020-12
   * @mcp root
   * @mcp name=json_schema_2020_12_tool
   */
  take(person: Body<Person>): Taken {
    return { name: person.name ?? null }
  }
}
