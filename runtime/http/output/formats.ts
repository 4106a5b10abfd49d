/** Which media types are read and written: built once at boot, the same for every route.
 *  Source: rules.md, Accept. */
import type { BodyLimits, ParseBytes, Responder } from '../../contract/application.ts'
import { type BodyFormats, type BodyParser, builtInParsers, jsonParser } from '../input/body.ts'
import { builtInResponders } from './responders.ts'

export interface FormatOptions {
  /** By media type. One of a built-in type replaces it. */
  readonly parsers: Readonly<Record<string, ParseBytes>>
  readonly responders: Readonly<Record<string, Responder>>
  readonly limits: BodyLimits
}

/** The types are lower case, in order of preference. */
export interface Formats extends BodyFormats {
  readonly responders: ReadonlyMap<string, Responder>
  /** What `Accept` may ask for. */
  readonly answerTypes: readonly string[]
}

/** The built-in formats and the application's own, which come after them. */
export function createFormats(options: FormatOptions): Formats {
  const own = Object.entries(options.parsers)
  const parsers = new Map([
    ...builtInParsers,
    ...own.map(([type, parse]) => [type, ownParser(parse)] as const),
  ])
  const responders = new Map([...builtInResponders, ...Object.entries(options.responders)])
  return {
    untyped: parsers.get('application/json') ?? jsonParser,
    parsers,
    responders,
    bodyTypes: [...parsers.keys()],
    answerTypes: [...responders.keys()],
    limits: options.limits,
  }
}

/** The same for a route that takes no file: a form with one is refused before anything is written to the disk. */
export const withoutFiles = (formats: Formats): Formats => ({
  ...formats,
  limits: { ...formats.limits, files: 0 },
})

const ownParser = (parse: ParseBytes): BodyParser => ({
  isText: false,
  parse: async (raw) => ({ kind: 'json', value: await parse(await raw.body.read(), raw.request) }),
})
