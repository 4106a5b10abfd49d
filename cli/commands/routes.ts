/** `acmcp routes`: the routes of the last build. Starts nothing and never loads the compiler. */
import type { CapabilityRow, RouteDescription } from '../../runtime/serve/last-build.ts'
import {
  addCommand,
  CommandFailure,
  type JsonFlag,
  printResult,
  withJson,
} from '../command-line/add-command.ts'
import type { Columns } from '../command-line/add-list.ts'
import type { Add, CommandContext } from '../command-line/command.ts'
import { type TableStyle, tableLines } from '../terminal/table.ts'

export const place = 410

export const add: Add = (program, start) => {
  const command = program
    .command('routes')
    .description(
      'list the routes of the last build: address, controller, filters, handlers, tool, scopes, approvals',
    )
    .argument('[text...]', 'show only routes with this text, such as a path, a controller or an error')
  addCommand<JsonFlag, [words: readonly string[]]>(withJson(command), start, {
    examples: ['acmcp routes', 'acmcp routes POST', 'acmcp routes --json'],
    isBesideApplication: true,
    run: show,
  })
}

/** Shows the routes whose row has these words, in any case. */
async function show(options: CommandContext & JsonFlag, words: readonly string[]): Promise<0> {
  const { readLastBuild, capabilityRows } = await import('../../runtime/serve/last-build.ts')
  const { routes: all, stale } = await readLastBuild(options.cwd)
  if (stale !== null) options.warn(`acmcp: ${stale}`)
  const text = words.join(' ')
  const found = all.filter((route) => rowOf(route, capabilityRows).toLowerCase().includes(text.toLowerCase()))
  const lines =
    found.length === 0 ? [] : linesOf(found, { common: commonHandlers(all), capabilityRows }, options)
  printResult(options, { routes: found }, lines)
  if (found.length === 0 && words.length > 0) throw new CommandFailure(`no route has ${text}`)
  return 0
}

const rowOf = (route: RouteDescription, capabilityRows: readonly CapabilityRow[]): string =>
  Object.values(columnsOf([route], { common: [], capabilityRows }))
    .map((cell) => cell(route))
    .join(' ')

interface Shown {
  /** Handlers that are not named. */
  readonly common: readonly string[]
  /** How tags of capabilities are told. */
  readonly capabilityRows: readonly CapabilityRow[]
}

const columnsOf = (
  routes: readonly RouteDescription[],
  { common, capabilityRows }: Shown,
): Columns<RouteDescription> => ({
  VERB: ({ websocket, verb }) => (websocket ? 'WEBSOCKET' : verb),
  PATH: ({ path }) => path,
  CONTROLLER: ({ controller, method }) => `${controller}#${method}`,
  FILTERS: ({ filters }) => filters.map(({ when, name }) => `${when} ${name}`).join(', '),
  HANDLERS: (route) =>
    handlersOf(route)
      .filter((handler) => !common.includes(handler))
      .join(', '),
  TOOL: ({ tool }) => tool ?? '',
  // what only some applications have: scopes that they declare, and tags of approvals and limits
  ...(routes[0]?.scopes === undefined ? {} : { SCOPES: scopesText }),
  ...Object.fromEntries(
    capabilityRows.flatMap(({ column, text }) =>
      column !== null && routes.some((route) => text(route) !== '') ? [[column, text]] : [],
    ),
  ),
  ...(routes.some((route) => limitsText(route, capabilityRows) !== '')
    ? { LIMITS: (route: RouteDescription) => limitsText(route, capabilityRows) }
    : {}),
})

/** What every route handles would fill every line: people are told it once, programs find it with `--json`. */
function linesOf(routes: readonly RouteDescription[], shown: Shown, style: TableStyle): readonly string[] {
  const { common } = shown
  const columns = columnsOf(routes, shown)
  const rows = routes.map((route) => Object.values(columns).map((cell) => cell(route)))
  const last =
    common.length === 0 || !style.isTerminal ? [] : ['', `every route handles: ${common.join(', ')}`]
  return [...tableLines(Object.keys(columns), rows, style), ...last]
}

/** As the tag has it. */
const scopesText = ({ scopes = [], unless = [] }: RouteDescription): string =>
  [
    ...(scopes.length === 0 ? ['none'] : scopes),
    ...(unless.length === 0 ? [] : [`unless=${unless.join(',')}`]),
  ].join(' ')

type Limit = Exclude<RouteDescription['limit'], undefined | false>

/** As the tags have them. */
const limitsText = (route: RouteDescription, capabilityRows: readonly CapabilityRow[]): string => {
  const { limit, timeoutSeconds } = route
  return [
    ...(limit === undefined ? [] : [`limit ${limit === false ? 'none' : limitText(limit)}`]),
    ...(timeoutSeconds === undefined ? [] : [`timeout ${timeText(timeoutSeconds)}`]),
    ...capabilityRows.flatMap(({ column, text }) =>
      column === null && text(route) !== '' ? [text(route)] : [],
    ),
  ].join(', ')
}

const units: ReadonlyMap<number, string> = new Map([
  [1, 's'],
  [60, 'min'],
  [3600, 'h'],
  [86_400, 'day'],
])

const limitText = ({ calls, windowSeconds }: Limit): string =>
  `${calls}/${units.get(windowSeconds) ?? `${windowSeconds}s`}`

const timeText = (seconds: number | false): string => (seconds === false ? 'none' : `${seconds}s`)

const handlersOf = ({ handlers }: RouteDescription): readonly string[] =>
  handlers.map(({ error, status }) => `${error} ${status ?? 'default'}`)

function commonHandlers([first, ...others]: readonly RouteDescription[]): readonly string[] {
  if (first === undefined || others.length === 0) return []
  return handlersOf(first).filter((handler) => others.every((route) => handlersOf(route).includes(handler)))
}
