import { Application } from '../application.ts'

/** A person to be addressed. */
export interface Person {
  readonly name?: string
}

/**
 * Tools whose input schema is written by hand.
 */
export class Json extends Application {
  /**
   * Takes what a JSON Schema 2020-12 describes.
   *
   * @post /schema-2020-12
   * @mcp root
   */
  schema_2020_12_tool(name?: string): Person {
    return name === undefined ? {} : { name }
  }
}
