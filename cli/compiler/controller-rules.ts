/** The rules that look at one controller; see `check.ts`. */
import type { DeclaredController } from './declared.ts'
import { type Diagnostic, handlerArgumentRequired } from './diagnostics.ts'
import { isFile, noToolBecause } from './link/tools.ts'
import type { Action, Controller } from './model.ts'
import {
  badToolName,
  bodyNotAllowed,
  handledTwice,
  handlerNeverRuns,
  handlerStatusMissing,
  handlerTakesBody,
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

function shownToolsAreTools({ declared }: Subject): readonly Diagnostic[] {
  return declared.methods
    .filter(({ mcp, routes }) => routes.length > 0 && (mcp.root === true || mcp.visible === true))
    .flatMap((method) => {
      const why = noToolBecause(method)
      return why === null ? [] : [shownWithoutTool(method.at, method.name, why)]
    })
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
      if (isRepeated) return [handledTwice(at, error.name, coveredBy.at)]
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
