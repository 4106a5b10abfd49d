/** Where the types of a random application are used, told from its data alone: who notices a change of one. */
import type { Application, Box, Route, Type } from './application.ts'

/** The types that a type names. */
function namesIn(type: Type): readonly string[] {
  switch (type.kind) {
    case 'plain':
    case 'words':
      return []
    case 'named':
      return [type.name]
    case 'either':
      return type.names
    case 'object':
      return type.fields.flatMap((field) => namesIn(field.type))
    default:
      return namesIn(type.of)
  }
}

/** Everything that is reached from these types, with themselves. */
function closure({ types }: Application, from: readonly string[]): ReadonlySet<string> {
  const found = new Set(from)
  for (const name of found)
    for (const field of types.find((type) => type.name === name)?.fields ?? [])
      for (const next of namesIn(field.type)) found.add(next) // it grows as it is walked
  return found
}

export const toolOf = ({ name }: Box, route: Route): string => `${name.toLowerCase()}_${route.name}`
export const addressOf = ({ name }: Box, { verb, address }: Route): string =>
  `${verb.toUpperCase()} /${name.toLowerCase()}${address}`
export const isTool = ({ tags }: Route): boolean => !('hide' in tags)

export interface Site {
  readonly box: Box
  readonly route: Route
}

export const sitesOf = ({ boxes }: Application): readonly Site[] =>
  boxes.flatMap((box) => box.routes.map((route) => ({ box, route })))

type ContractUser = 'HTTP' | 'tools'

/** Who reads or writes values of this type. */
export interface Uses {
  readonly input: readonly ContractUser[]
  readonly output: readonly ContractUser[]
}

export function usesOf(app: Application, name: string): Uses {
  const sites = sitesOf(app)
  const bodies = sites.filter(({ route }) => route.body !== null)
  const isIn = (from: readonly string[]): boolean => closure(app, from).has(name)
  const tools = sites.filter(({ route }) => isTool(route))
  const answers = (route: Route): readonly string[] => (route.answer === null ? [] : [route.answer.name])
  const audience = (http: boolean, tool: boolean): readonly ContractUser[] => [
    ...(http ? (['HTTP'] as const) : []),
    ...(tool ? (['tools'] as const) : []),
  ]
  return {
    input: audience(
      bodies.some(({ route }) => isIn([route.body ?? ''])),
      bodies.some(({ route }) => isTool(route) && isIn([route.body ?? ''])),
    ),
    output: audience(
      sites.some(({ route }) => isIn(answers(route))),
      tools.some(({ route }) => isIn(answers(route))),
    ),
  }
}
