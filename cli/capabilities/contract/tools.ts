/** The tools of an `mcp.yml`, as text: whose they are, which route they run, and to which parameter each argument goes. */
import { type Blocks, itemOf, itemsBelow } from './blocks.ts'
import type { ChangedPart } from './findings.ts'
import { type FieldValues, recordOf } from './schemas/json.ts'

export interface OfferedTool {
  readonly name: string
  readonly toolbox: string
  /** `POST /api/orders/{id}` */
  readonly route: string
  readonly text: string
}

/** A tool before and after, also where its name or its route is another. */
export interface ToolPair {
  readonly before: OfferedTool
  readonly after: OfferedTool
}

/** What a model fills in, and where the route reads it. */
export interface FilledArgument {
  readonly name: string
  readonly in: string
  /** As the route calls it; a header as the tool does. */
  readonly parameter: string
  readonly isRequired: boolean
  /** What is said of it; null where that may be of its type. */
  readonly text: unknown
}

/** The items of a list by the name that each begins with. */
export const byName = (block: string | undefined): Blocks =>
  new Map(itemsBelow(block).map((item) => [nameIn(item), item]))

function nameIn(item: string): string {
  const plain = /^ *- name: ([A-Za-z_][\w.-]*)$/m.exec(item.split('\n', 1)[0] ?? '')?.[1]
  const isWord = plain !== undefined && !/^(?:true|false|null)$/i.test(plain)
  return isWord ? plain : String(recordOf(itemOf(item)).name)
}

/** The tools of a toolbox. */
export const offeredTools = (toolbox: string, block: string | undefined): readonly OfferedTool[] =>
  [...byName(block)].map(([name, text]) => ({ name, toolbox, text, route: routeIn(text) }))

function routeIn(text: string): string {
  const [, verb, path] = /^ *verb: ([A-Z]+)\n *path: ([\w/:.*-]+)$/m.exec(text) ?? []
  return routeOf(path === undefined ? toolFields({ text }) : { verb, path })
}

/** As the OpenAPI document has it. */
export const routeOf = ({ verb, path }: { readonly verb?: unknown; readonly path?: unknown }): string =>
  `${verb} ${String(path)
    .replace(/\*?:(\w+)/g, '{$1}')
    .replace(/(.)\/$/, '$1')}`

/** Two addresses are one, whatever their variables are called. */
export const withoutNames = (path: string): string => path.replace(/\{[^}]*\}/g, '{}')

/** A tool whose name is gone is the one that runs its route now. */
export function toolPairs(
  before: ReadonlyMap<string, OfferedTool>,
  after: ReadonlyMap<string, OfferedTool>,
): readonly ToolPair[] {
  const lost = new Map(
    [...before.values()]
      .filter(({ name }) => !after.has(name))
      .map((tool) => [withoutNames(tool.route), tool]),
  )
  return [...after.values()].flatMap((tool) => {
    const other = before.get(tool.name) ?? lost.get(withoutNames(tool.route))
    return other === undefined ? [] : [{ before: other, after: tool }]
  })
}

export const toolFields = ({ text }: Pick<OfferedTool, 'text'>): FieldValues => recordOf(itemOf(text))

export const toolSubject = ({ name, route }: OfferedTool): ChangedPart => ({ kind: 'tool', name, route })

/** Any other type is a name. */
const jsonTypes: ReadonlySet<string> = new Set('string number integer boolean null object array'.split(' '))

export function placedArguments(tool: OfferedTool): readonly FilledArgument[] {
  const { params, renamed } = toolFields(tool)
  const parameters = new Map(Object.entries(recordOf(renamed)).map(([own, name]) => [name, own]))
  return Object.entries(recordOf(params)).map(([name, param]) => {
    const { in: place, required, description, type } = recordOf(param)
    const text = typeof type === 'string' && !jsonTypes.has(type) ? null : description
    const parameter = String(parameters.get(name) ?? name)
    return { name, in: String(place), parameter, isRequired: required === true, text }
  })
}

/** The same for a parameter and the argument that goes to it: names of headers have letters of either case. */
export const placeKey = (place: unknown, name: unknown): string =>
  place === 'header' ? `header ${String(name).toLowerCase().replace(/\W|_/g, '')}` : `${place} ${name}`
