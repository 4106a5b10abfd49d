/** `acmcp routes`: the routes of the last build. Starts nothing and never loads the compiler. */
import { type LastBuild, type RouteDescription, readLastBuild } from '../../runtime/serve/last-build.ts'
import { jsonDocument, type TableStyle, tableLines } from '../terminal/table.ts'
import { withEnvFile } from './refusal.ts'

export interface RoutesOptions extends TableStyle {
  readonly cwd: string
  /** Routes are shown whose row has this text, in any case; null = all. */
  readonly text: string | null
  readonly json: boolean
  readonly print: (line: string) => void
  readonly warn: (line: string) => void
}

/** The exit code: 1 when there is no build, or no such route. */
export function routes(options: RoutesOptions): Promise<0 | 1> {
  return withEnvFile(options.cwd, options.warn, async () => show(options, await readLastBuild(options.cwd)))
}

function show(options: RoutesOptions, { routes: all, stale }: LastBuild): 0 | 1 {
  const { text, json, isTerminal, print, warn } = options
  if (stale !== null) warn(`acmcp: ${stale}`)
  const wanted = text?.toLowerCase() ?? ''
  const found = all.filter((route) => cellsOf(route, []).join(' ').toLowerCase().includes(wanted))
  if (json) print(jsonDocument({ routes: found }, isTerminal))
  else if (found.length > 0) for (const line of linesOf(found, commonHandlers(all), options)) print(line)
  if (found.length > 0 || text === null) return 0
  warn(`acmcp: no route has ${text}`)
  return 1
}

const heading = ['VERB', 'PATH', 'CONTROLLER', 'FILTERS', 'HANDLERS', 'TOOL']

/** Where the application declares scopes. */
const headingOf = ([first]: readonly RouteDescription[]): readonly string[] =>
  first?.scopes === undefined ? heading : [...heading, 'SCOPES']

/** What every route handles would fill every line: people are told it once, programs find it with `--json`. */
function linesOf(
  routes: readonly RouteDescription[],
  common: readonly string[],
  style: TableStyle,
): readonly string[] {
  const rows = routes.map((route) => cellsOf(route, common))
  const last =
    common.length === 0 || !style.isTerminal ? [] : ['', `every route handles: ${common.join(', ')}`]
  return [...tableLines(headingOf(routes), rows, style), ...last]
}

function cellsOf(route: RouteDescription, told: readonly string[]): readonly string[] {
  const { verb, path, websocket, controller, method, filters, tool } = route
  return [
    websocket ? 'WEBSOCKET' : verb,
    path,
    `${controller}#${method}`,
    filters.map(({ when, name }) => `${when} ${name}`).join(', '),
    handlersOf(route)
      .filter((handler) => !told.includes(handler))
      .join(', '),
    tool ?? '',
    ...(route.scopes === undefined ? [] : [scopesText(route.scopes, route.unless)]),
  ]
}

/** As the tag has it. */
const scopesText = (scopes: readonly string[], unless: readonly string[] = []): string =>
  [
    ...(scopes.length === 0 ? ['none'] : scopes),
    ...(unless.length === 0 ? [] : [`unless=${unless.join(',')}`]),
  ].join(' ')

const handlersOf = ({ handlers }: RouteDescription): readonly string[] =>
  handlers.map(({ error, status }) => `${error} ${status ?? 'default'}`)

function commonHandlers([first, ...others]: readonly RouteDescription[]): readonly string[] {
  if (first === undefined || others.length === 0) return []
  return handlersOf(first).filter((handler) => others.every((route) => handlersOf(route).includes(handler)))
}
