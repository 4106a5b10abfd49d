/** `acmcp routes`: the routes of the last build. Starts nothing and never loads the compiler. */
import type { LastBuild, RouteDescription } from '../../runtime/serve/last-build.ts'
import { type Add, addExamples, type CommandContext } from '../command-line/command.ts'
import { withEnvFile } from '../command-line/env-file.ts'
import { jsonDocument, type TableStyle, tableLines } from '../terminal/table.ts'

export const add: Add = (program, start) => {
  const command = program
    .command('routes')
    .description(
      'list the routes of the last build: address, controller, filters, handlers, tool, scopes, approvals',
    )
    .argument('[text...]', 'show only routes with this text, such as a path, a controller or an error')
    .option('--json', 'print one JSON document')
    .action((words: readonly string[], { json = false }: RoutesFlags) =>
      start((context) => {
        const text = words.length === 0 ? null : words.join(' ')
        return context.besideApplication(() => run({ ...context, text, json }))
      }),
    )
  addExamples(command, ['acmcp routes', 'acmcp routes POST', 'acmcp routes --json'])
}

type RoutesFlags = Partial<Pick<RoutesOptions, 'json'>>

export interface RoutesOptions extends TableStyle, Pick<CommandContext, 'cwd' | 'print' | 'warn'> {
  /** Routes are shown whose row has this text, in any case; null = all. */
  readonly text: string | null
  readonly json: boolean
}

/** The exit code: 1 when there is no build, or no such route. */
export function run(options: RoutesOptions): Promise<0 | 1> {
  const { cwd, warn } = options
  return withEnvFile(cwd, warn, async () => {
    const { readLastBuild } = await import('../../runtime/serve/last-build.ts')
    return show(options, await readLastBuild(cwd))
  })
}

function show(options: RoutesOptions, { routes: all, stale }: LastBuild): 0 | 1 {
  const { text, json, isTerminal, print, warn } = options
  if (stale !== null) warn(`acmcp: ${stale}`)
  const wanted = text?.toLowerCase() ?? ''
  const found = all.filter((route) =>
    cellsOf(route, [], extrasOf([route]))
      .join(' ')
      .toLowerCase()
      .includes(wanted),
  )
  if (json) print(jsonDocument({ routes: found }, isTerminal))
  else if (found.length > 0) for (const line of linesOf(found, commonHandlers(all), options)) print(line)
  if (found.length > 0 || text === null) return 0
  warn(`acmcp: no route has ${text}`)
  return 1
}

const heading = ['VERB', 'PATH', 'CONTROLLER', 'FILTERS', 'HANDLERS', 'TOOL']

/** What only some applications have: scopes that they declare, and tags of approvals and limits. */
interface Extras {
  readonly scopes: boolean
  readonly approvals: boolean
  readonly limits: boolean
}

const extrasOf = (routes: readonly RouteDescription[]): Extras => ({
  scopes: routes[0]?.scopes !== undefined,
  approvals: routes.some(({ approval }) => approval !== undefined),
  limits: routes.some((route) => limitsText(route) !== ''),
})

const headingOf = ({ scopes, approvals, limits }: Extras): readonly string[] => [
  ...heading,
  ...(scopes ? ['SCOPES'] : []),
  ...(approvals ? ['APPROVAL'] : []),
  ...(limits ? ['LIMITS'] : []),
]

/** What every route handles would fill every line: people are told it once, programs find it with `--json`. */
function linesOf(
  routes: readonly RouteDescription[],
  common: readonly string[],
  style: TableStyle,
): readonly string[] {
  const extras = extrasOf(routes)
  const rows = routes.map((route) => cellsOf(route, common, extras))
  const last =
    common.length === 0 || !style.isTerminal ? [] : ['', `every route handles: ${common.join(', ')}`]
  return [...tableLines(headingOf(extras), rows, style), ...last]
}

function cellsOf(route: RouteDescription, common: readonly string[], extras: Extras): readonly string[] {
  const { verb, path, websocket, controller, method, filters, tool } = route
  return [
    websocket ? 'WEBSOCKET' : verb,
    path,
    `${controller}#${method}`,
    filters.map(({ when, name }) => `${when} ${name}`).join(', '),
    handlersOf(route)
      .filter((handler) => !common.includes(handler))
      .join(', '),
    tool ?? '',
    ...(route.scopes === undefined ? [] : [scopesText(route.scopes, route.unless)]),
    ...(extras.approvals ? [approvalText(route)] : []),
    ...(extras.limits ? [limitsText(route)] : []),
  ]
}

/** As the tag has it. */
const scopesText = (scopes: readonly string[], unless: readonly string[] = []): string =>
  [
    ...(scopes.length === 0 ? ['none'] : scopes),
    ...(unless.length === 0 ? [] : [`unless=${unless.join(',')}`]),
  ].join(' ')

/** As the tag has it. */
const approvalText = ({ approval }: RouteDescription): string =>
  approval === undefined
    ? ''
    : [...(approval.unless === undefined ? [] : [`unless=${approval.unless}`]), approval.sentence].join(' ')

type Limit = Exclude<RouteDescription['limit'], undefined | false>

/** As the tags have them. */
const limitsText = ({ limit, timeoutSeconds, audit, idempotencyKey }: RouteDescription): string =>
  [
    ...(limit === undefined ? [] : [`limit ${limit === false ? 'none' : limitText(limit)}`]),
    ...(timeoutSeconds === undefined ? [] : [`timeout ${timeText(timeoutSeconds)}`]),
    ...(audit === undefined ? [] : [`audit ${audit}`]),
    ...(idempotencyKey === undefined ? [] : [['idempotencyKey', ...Object.keys(idempotencyKey)].join(' ')]),
  ].join(', ')

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
