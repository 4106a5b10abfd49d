/** The places of the zoo, and the application that has each type in each of them. */
import type { Files } from '../support/memory-host.ts'
import { declarations } from './types.ts'

export type RequestPlace = 'query' | 'path' | 'header' | 'form' | 'body' | 'nested' | 'upload'
export type Place = RequestPlace | 'answer'
export const requestPlaces: readonly RequestPlace[] = [
  'query',
  'path',
  'header',
  'form',
  'body',
  'nested',
  'upload',
]
export const places: readonly Place[] = [...requestPlaces, 'answer']

interface Written {
  /** The tags of the method. */
  readonly tags: (name: string) => string
  readonly parameters: (type: string) => string
}

const written: Readonly<Record<RequestPlace, Written>> = {
  query: { tags: (name) => `@get /${name}`, parameters: (type) => `v: ${type}` },
  path: { tags: (name) => `@get /${name}/:v`, parameters: (type) => `v: ${type}` },
  header: { tags: (name) => `@get /${name}`, parameters: (type) => `v: Header<'X-V', ${type}>` },
  form: {
    tags: (name) => `@post /${name}\n   * @consumes application/x-www-form-urlencoded`,
    parameters: (type) => `v: ${type}`,
  },
  body: { tags: (name) => `@post /${name}`, parameters: (type) => `v: Body<${type}>` },
  nested: { tags: (name) => `@post /${name}`, parameters: (type) => `body: Body<{ outer: { v: ${type} } }>` },
  upload: {
    tags: (name) => `@post /${name}`,
    parameters: (type) => `v: ${type}, file: UploadedFile`,
  },
}

/** A type in a place. */
export interface Cell {
  readonly place: Place
  readonly name: string
  readonly type: string
}

const method = ({ place, name, type }: Cell): string => {
  if (place === 'answer')
    return `  /**\n   * Answers ${name}.\n   *\n   * @get /${name}\n   */\n  ${name}(): ${type} { return answer() as ${type} }\n`
  const { tags, parameters } = written[place]
  const provided = place === 'nested' ? 'body.outer.v' : 'v'
  return `  /**\n   * Takes ${name}.\n   *\n   * ${tags(name)}\n   */\n  ${name}(${parameters(type)}): void { receive(${provided}) }\n`
}

/** The class of the methods of a place. */
export const className = (place: Place): string => `${place.charAt(0).toUpperCase()}${place.slice(1)}s`

const controller = (
  place: Place,
  cells: readonly Cell[],
  qualified: (type: string) => string,
): string => `import { ApplicationController } from 'acmcp'
import type { Body, DateTime, Email, Float64, Header, Int32, Int64, UploadedFile, Url, Uuid } from 'acmcp'
import { answer, receive } from '../exchange.ts'
import type * as types from '../types.ts'
/**
 * Places.
 *
 * @base /${place}
 */
export class ${className(place)} extends ApplicationController {
${cells.map((cell) => method({ ...cell, type: qualified(cell.type) })).join('\n')}}
`

/** The types with their own names written as those of another file. */
function qualifierOf(declared: string): (type: string) => string {
  const names = [...declared.matchAll(/^export (?:enum|interface|class|type) (\w+)/gm)].map(
    ([, name = '']) => name,
  )
  const ownNames = new RegExp(`(?<!['\`\\w.])\\b(${names.join('|')})\\b(?!['\`:])`, 'g')
  return (type) => type.replace(ownNames, 'types.$1')
}

const exchange = `interface Exchange { receive(value: unknown): void; answer(): unknown }
const at = (): Exchange => (globalThis as unknown as { acmcpZoo: Exchange }).acmcpZoo
export const receive = (value: unknown): void => at().receive(value)
export const answer = (): unknown => at().answer()
`

const settings = {
  ...{
    target: 'es2023',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
  },
  ...{ noEmit: true, types: ['node'], allowImportingTsExtensions: true },
}

/** The application of these cells; what its methods get and answer is `globalThis.acmcpZoo`'s. `declared`: the types that they name. */
export const applicationOf = (cells: readonly Cell[], declared: string = declarations): Files => ({
  'package.json': '{"name":"zoo","version":"1.0.0","type":"module"}',
  'tsconfig.json': JSON.stringify({ compilerOptions: settings }),
  'app/config.ts': `import { type AppConfig, defineApp } from 'acmcp'\nexport const config: AppConfig = defineApp({ errors: { production: true }, limits: { toolCallsPerMinute: false } })\n`,
  'app/exchange.ts': exchange,
  'app/types.ts': `import type { Int32, Int64, Uuid } from 'acmcp'\nimport { z } from 'zod'\n${declared}`,
  ...Object.fromEntries(
    places.flatMap((place) => {
      const here = cells.filter((cell) => cell.place === place)
      return here.length === 0
        ? []
        : [
            [
              `app/controllers/${className(place).toLowerCase()}.ts`,
              controller(place, here, qualifierOf(declared)),
            ],
          ]
    }),
  ),
})
