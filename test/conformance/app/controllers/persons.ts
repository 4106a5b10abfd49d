import type { Body } from 'acmcp'
import { Application } from '../application.ts'

/** A person and how to reach them. */
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

/** People whom somebody knows. */
export class Persons extends Application {
  /**
   * Takes a person.
   *
   * @post /persons
   * @mcp root
   * @mcp name=take_person
   */
  take(person: Body<Person>): Taken {
    return { name: person.name ?? null }
  }
}
