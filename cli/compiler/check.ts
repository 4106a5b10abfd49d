/** The third pass: rules over the whole model. All run, all are reported. */
import {
  badToolName,
  bodyNotAllowed,
  type Diagnostic,
  exampleWithoutTool,
  handlerArgumentRequired,
  handlerNeverRuns,
  handlerStatusMissing,
  idTaken,
  pathParameterUnused,
  routeTaken,
  toolTextMissing,
  twoBodies,
  unknownMethod,
} from './diagnostics.ts'
import type { Action, At, Declared, Model } from './model.ts'

type Rule = (model: Model, declared: Declared) => readonly Diagnostic[]

const rules: readonly Rule[] = [
  routesAreDistinct,
  idsAreDistinct,
  toolNamesAreSafe,
  toolsHaveTexts,
  pathParametersAreRead,
  bodiesAreReadOnce,
  handlersCanRun,
  handlersHaveStatuses,
  handlerArgumentsAreOptional,
  examplesHaveTools,
  scopesNameMethods,
]

/** Everything that is wrong with the model. */
export function check(model: Model, declared: Declared): readonly Diagnostic[] {
  return rules.flatMap((rule) => rule(model, declared))
}

const actionsOf = ({ controllers }: Model): readonly Action[] => controllers.flatMap(({ actions }) => actions)

function routesAreDistinct(model: Model): readonly Diagnostic[] {
  const route = ({ verb, path }: Action): string =>
    `${verb} ${path.replace(/:\w+/g, ':').replace(/(.)\/$/, '$1')}`
  return repeated(actionsOf(model), route).map(([action, first]) =>
    routeTaken(action.at, `${action.verb} ${action.path}`, first.at),
  )
}

function idsAreDistinct(model: Model): readonly Diagnostic[] {
  return repeated(actionsOf(model), ({ id }) => id).map(([action, first]) =>
    idTaken(action.at, action.id, first.at),
  )
}

/** Each later one of an equal key, with the first; places decide which is the first. */
function repeated<T extends { readonly at: At }>(
  items: readonly T[],
  keyOf: (item: T) => string,
): readonly (readonly [later: T, first: T])[] {
  const firsts = new Map<string, T>()
  return items.flatMap((item) => {
    const first = firsts.get(keyOf(item))
    if (first === undefined) firsts.set(keyOf(item), item)
    return first === undefined ? [] : [[item, first] as const]
  })
}

function toolNamesAreSafe(model: Model): readonly Diagnostic[] {
  return actionsOf(model)
    .filter(({ tool }) => tool !== null && !/^[A-Za-z0-9_-]{1,64}$/.test(tool.name))
    .map(({ at, id }) => badToolName(at, id))
}

function toolsHaveTexts(model: Model): readonly Diagnostic[] {
  return actionsOf(model)
    .filter(({ tool, doc }) => tool !== null && doc.summary === '')
    .map(({ at, id }) => toolTextMissing(at, id))
}

function pathParametersAreRead(model: Model): readonly Diagnostic[] {
  return actionsOf(model).flatMap((action) => {
    const read = [action, ...action.filters]
      .flatMap(({ params }) => params)
      .filter(({ from }) => from === 'path')
    const names = [...action.path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '')
    return names
      .filter((name) => !read.some(({ wireName }) => wireName === name))
      .map((name) => pathParameterUnused(action.at, name, action.path))
  })
}

function bodiesAreReadOnce(model: Model): readonly Diagnostic[] {
  return actionsOf(model).flatMap((action) => {
    const bodies = action.params.filter(({ from }) => from === 'body')
    const fields = action.params.filter(({ from }) => from === 'field')
    const [body] = bodies
    if (body === undefined) return []
    if (['GET', 'DELETE', 'OPTIONS'].includes(action.verb))
      return [bodyNotAllowed(body.at, body.name, action.verb)]
    return bodies.length > 1 || fields.length > 0 ? [twoBodies(body.at, action.method)] : []
  })
}

function examplesHaveTools(model: Model, { controllers }: Declared): readonly Diagnostic[] {
  const tools = new Set(
    actionsOf(model).flatMap(({ tool }) => tool?.examples.map(({ at }) => JSON.stringify(at)) ?? []),
  )
  return controllers.flatMap(({ methods }) =>
    methods.flatMap(({ name, mcp, routes }) =>
      mcp.examples
        .filter(({ at }) => routes.length > 0 && !tools.has(JSON.stringify(at)))
        .map(({ at }) => exampleWithoutTool(at, name)),
    ),
  )
}

function handlersCanRun(model: Model): readonly Diagnostic[] {
  return actionsOf(model)
    .flatMap(({ handlers }) => handlers)
    .flatMap(({ at, member, error, coveredBy }) =>
      coveredBy === null ? [] : [handlerNeverRuns(at, `${member} of ${error.name}`, coveredBy)],
    )
}

function handlersHaveStatuses(_model: Model, { controllers }: Declared): readonly Diagnostic[] {
  return controllers.flatMap(({ methods }) =>
    methods.flatMap(({ name, exceptions }) =>
      exceptions.filter(({ status }) => status === null).map(({ at }) => handlerStatusMissing(at, name)),
    ),
  )
}

function handlerArgumentsAreOptional(_model: Model, { controllers }: Declared): readonly Diagnostic[] {
  return controllers
    .flatMap(({ methods }) => methods.filter(({ exceptions }) => exceptions.length > 0))
    .flatMap(({ params }) => params.filter(({ required }) => required))
    .map(({ at, name }) => handlerArgumentRequired(at, name))
}

function scopesNameMethods(_model: Model, { controllers }: Declared): readonly Diagnostic[] {
  return controllers.flatMap(({ methods, skips }) => {
    const routes = methods.filter((method) => method.routes.length > 0).map(({ name }) => name)
    const filters = methods.flatMap(({ name, filter }) => (filter === null ? [] : [{ ...filter, name }]))
    const strangers = skips
      .filter(({ filter }) => !filters.some(({ name }) => name === filter))
      .map(({ at, filter }) => unknownMethod(at, 'skipFilter', `filter '${filter}'`))
    const scopes = [
      ...filters.filter(({ at }) => isAlone(controllers, at)).map((one) => ({ ...one, tag: 'filter' })),
      ...skips.map((one) => ({ ...one, tag: 'skipFilter' })),
    ]
    const unknown = scopes.flatMap(({ only, except, at, tag }) =>
      [...(only ?? []), ...except]
        .filter((name) => !routes.includes(name))
        .map((name) => unknownMethod(at, tag, `route method '${name}'`)),
    )
    return [...strangers, ...unknown]
  })
}

/** A filter that several classes inherit may name methods that only some of them have. */
function isAlone(controllers: Declared['controllers'], at: At): boolean {
  const owners = controllers.filter(({ methods }) =>
    methods.some(({ filter }) => filter?.at.file === at.file && filter.at.line === at.line),
  )
  return owners.length === 1
}
