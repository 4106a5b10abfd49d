/** The rules that look at one controller; see `check.ts`. */
import type { DeclaredController } from './declared.ts'
import { type Diagnostic, handlerArgumentRequired } from './diagnostics.ts'
import { isFile } from './link/arguments.ts'
import type { Action, Controller, NoTool, Param } from './model.ts'
import {
  argumentIsHeader,
  badToolName,
  bodyNotAllowed,
  handledTwice,
  handlerNeverRuns,
  handlerStatusMissing,
  handlerTakesBody,
  headerNeverSent,
  optionalPathRequired,
  pathParameterUnused,
  shownWithoutTool,
  toolTextMissing,
  twoBodies,
  typeWithoutResponder,
} from './rule-diagnostics.ts'

/** What the rules look at. */
export interface Subject {
  readonly controller: Controller
  readonly declared: DeclaredController
  /** Content types of the application's own responders. */
  readonly responders: readonly string[]
}

type Rule = (subject: Subject) => readonly Diagnostic[]

/** All run, all are reported. */
export const controllerRules: readonly Rule[] = [
  toolNamesAreSafe,
  toolsHaveTexts,
  pathParametersAreRead,
  optionalPathParametersAreOptional,
  bodiesAreReadOnce,
  handlersCanRun,
  handlersHaveStatuses,
  handlerTypesHaveResponders,
  handlerArgumentsAreOptional,
  shownToolsAreTools,
  uploadsAreFields,
  toolsGetTheirHeaders,
  headersAreNoArguments,
]

function toolNamesAreSafe({ controller }: Subject): readonly Diagnostic[] {
  return controller.actions
    .filter(({ tool }) => tool !== null && !/^[A-Za-z0-9_-]{1,64}$/.test(tool.name))
    .map(({ at, id }) => badToolName(at, id))
}

function toolsHaveTexts({ controller }: Subject): readonly Diagnostic[] {
  return controller.actions
    .filter(({ tool, doc }) => tool !== null && doc.summary === '')
    .map(({ at, id }) => toolTextMissing(at, id))
}

function pathParametersAreRead({ controller }: Subject): readonly Diagnostic[] {
  const longest = controller.actions.filter(({ shortOf }) => shortOf === null)
  return longest.flatMap((action) => {
    const names = [...action.path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '')
    if (names.length === 0) return []
    const read = paramsOf(action).filter(({ from }) => from === 'path' || from === 'rest')
    return names
      .filter((name) => !read.some(({ wireName }) => wireName === name))
      .map((name) => pathParameterUnused(action.at, name, action.path))
  })
}

/** What the action and its filters read. */
const paramsOf = ({ params, filters }: Action): Action['params'] =>
  filters.length === 0 ? params : [...params, ...filters.flatMap((filter) => filter.params)]

function optionalPathParametersAreOptional({ controller }: Subject): readonly Diagnostic[] {
  return controller.actions.flatMap((action) =>
    paramsOf(action)
      .filter(({ from, required }) => from === 'absent' && required)
      .map(({ at, name }) => optionalPathRequired(at, name, action.path)),
  )
}

function bodiesAreReadOnce({ controller }: Subject): readonly Diagnostic[] {
  return controller.actions.flatMap(({ params, verb, method }) => {
    const bodies = params.filter(({ from }) => from === 'body')
    const [body] = bodies
    if (body === undefined) return []
    if (['GET', 'DELETE', 'OPTIONS'].includes(verb)) return [bodyNotAllowed(body.at, body.name, verb)]
    const hasFields = params.some(({ from }) => from === 'field')
    return bodies.length > 1 || hasFields ? [twoBodies(body.at, method)] : []
  })
}

const whyNot: Readonly<Record<Exclude<NoTool, 'hidden' | 'other'>, string>> = {
  socket: 'a tool call has no socket',
  file: 'a tool call sends no file',
  events: 'a tool call gets one answer, not events',
}

function shownToolsAreTools({ controller, declared }: Subject): readonly Diagnostic[] {
  const shown = declared.methods.filter(({ mcp }) => mcp.root === true || mcp.visible === true)
  return shown.flatMap(({ at, name }) => {
    const reasons = controller.actions.flatMap(({ method, noTool }) =>
      method === name ? (noTool ?? []) : [],
    )
    const why = reasons.find((reason) => reason !== 'hidden' && reason !== 'other')
    return why === undefined ? [] : [shownWithoutTool(at, name, whyNot[why])]
  })
}

/** A required header that no tool call carries, and that is no model's to choose. */
function toolsGetTheirHeaders({ controller }: Subject): readonly Diagnostic[] {
  const tools = controller.actions.flatMap(({ tool }) => tool ?? [])
  const headers = new Map<string, { readonly param: Param; readonly tools: string[] }>()
  for (const { name, missing } of tools) {
    for (const param of missing) {
      const key = JSON.stringify([param.at, param.wireName])
      const known = headers.get(key) ?? { param, tools: [] }
      headers.set(key, { param, tools: [...known.tools, name] })
    }
  }
  return [...headers.values()].map(({ param, tools }) =>
    headerNeverSent(param.at, param.wireName, tools, controller.symbol.name),
  )
}

function headersAreNoArguments({ controller }: Subject): readonly Diagnostic[] {
  const tools = controller.actions.flatMap(({ tool }) => tool ?? [])
  return tools.flatMap((tool) =>
    tool.arguments
      .filter(({ param }) => param.from === 'header')
      .map(({ argument, param }) => argumentIsHeader(param.at, tool.name, argument, param.wireName)),
  )
}

function uploadsAreFields({ controller }: Subject): readonly Diagnostic[] {
  return controller.actions.flatMap((action) =>
    paramsOf(action)
      .filter(({ schema, from }) => isFile(schema) && from !== 'field')
      .map(({ at, name }) => bodyNotAllowed(at, name, action.verb)),
  )
}

function handlersCanRun({ controller }: Subject): readonly Diagnostic[] {
  return controller.actions
    .flatMap(({ handlers }) => handlers)
    .flatMap(({ at, member, error, coveredBy, isRepeated }) => {
      if (coveredBy === null) return []
      if (isRepeated) return [handledTwice(at, error.name, coveredBy)]
      return [handlerNeverRuns(at, `${member} of ${error.name}`, coveredBy)]
    })
}

function handlersHaveStatuses({ declared }: Subject): readonly Diagnostic[] {
  return declared.methods.flatMap(({ name, exceptions }) =>
    exceptions.filter(({ status }) => status === null).map(({ at }) => handlerStatusMissing(at, name)),
  )
}

const builtInTypes = ['application/json', 'application/yaml', 'text/yaml', 'text/plain']

/** `type=` of a handler needs something that writes it. Source: specification, Exception handlers 5. */
function handlerTypesHaveResponders({ declared, responders }: Subject): readonly Diagnostic[] {
  const exceptions = declared.methods.flatMap((method) => method.exceptions)
  return exceptions.flatMap(({ at, contentType }) => {
    const type = contentType?.split(';')[0]?.trim().toLowerCase()
    const isKnown = type === undefined || builtInTypes.includes(type) || responders.includes(type)
    return isKnown ? [] : [typeWithoutResponder(at, type)]
  })
}

function handlerArgumentsAreOptional({ declared }: Subject): readonly Diagnostic[] {
  return declared.methods
    .filter(({ exceptions }) => exceptions.length > 0)
    .flatMap(({ params }) => params)
    .flatMap(({ at, name, from, required }) => {
      if (from === 'body') return [handlerTakesBody(at, name)]
      return required ? [handlerArgumentRequired(at, name)] : []
    })
}
