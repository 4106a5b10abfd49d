/** The third pass: rules over the whole model. All run, all are reported. */

import type { Declared } from './declared.ts'
import { type Diagnostic, handlerArgumentRequired } from './diagnostics.ts'
import { isFile, noToolBecause } from './link/tools.ts'
import type { Action, At, Model } from './model.ts'
import {
  badToolName,
  bodyNotAllowed,
  controllerNameTaken,
  exampleWithoutTool,
  handledTwice,
  handlerNeverRuns,
  handlerStatusMissing,
  handlerTakesBody,
  idTaken,
  optionalPathRequired,
  pathParameterUnused,
  routeTaken,
  shownWithoutTool,
  toolTextMissing,
  twoBodies,
  typeWithoutResponder,
  unknownMethod,
} from './rule-diagnostics.ts'

type Rule = (model: Model, declared: Declared) => readonly Diagnostic[]

const rules: readonly Rule[] = [
  routesAreDistinct,
  controllersAreDistinct,
  idsAreDistinct,
  toolNamesAreSafe,
  toolsHaveTexts,
  pathParametersAreRead,
  optionalPathParametersAreOptional,
  bodiesAreReadOnce,
  handlersCanRun,
  handlersHaveStatuses,
  handlerTypesHaveResponders,
  handlerArgumentsAreOptional,
  examplesHaveTools,
  shownToolsAreTools,
  uploadsAreFields,
  scopesNameMethods,
]

/** Everything that is wrong with the model. */
export function check(model: Model, declared: Declared): readonly Diagnostic[] {
  return rules.flatMap((rule) => rule(model, declared))
}

const actionsOf = ({ controllers }: Model): readonly Action[] => controllers.flatMap(({ actions }) => actions)

function routesAreDistinct(model: Model): readonly Diagnostic[] {
  const route = ({ verb, path }: Action): string =>
    `${verb} ${path.replace(/\*?:\w+/g, (name) => name.slice(0, 1)).replace(/(.)\/$/, '$1')}`
  return repeated(actionsOf(model), route).map(([action, first]) =>
    routeTaken(action.at, `${action.verb} ${action.path}`, first.at),
  )
}

/** `Notes` and `notes` have one tag, one toolbox and one half of every id. */
function controllersAreDistinct({ controllers }: Model): readonly Diagnostic[] {
  return repeated(controllers, ({ id }) => id).map(([controller, first]) =>
    controllerNameTaken(controller.at, controller.symbol.name, first.at),
  )
}

function idsAreDistinct({ controllers }: Model): readonly Diagnostic[] {
  const firsts = [...new Map([...controllers].reverse().map((one) => [one.id, one])).values()]
  const actions = firsts.flatMap((controller) => controller.actions)
  return repeated(actions, ({ id }) => id).map(([action, first]) => idTaken(action.at, action.id, first.at))
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
  const longest = actionsOf(model).filter(({ shortOf }) => shortOf === null)
  return longest.flatMap((action) => {
    const read = [action, ...action.filters]
      .flatMap(({ params }) => params)
      .filter(({ from }) => from === 'path' || from === 'rest')
    const names = [...action.path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '')
    return names
      .filter((name) => !read.some(({ wireName }) => wireName === name))
      .map((name) => pathParameterUnused(action.at, name, action.path))
  })
}

function optionalPathParametersAreOptional(model: Model): readonly Diagnostic[] {
  return actionsOf(model).flatMap(({ params, filters, path }) =>
    [...params, ...filters.flatMap((filter) => filter.params)]
      .filter(({ from, required }) => from === 'absent' && required)
      .map(({ at, name }) => optionalPathRequired(at, name, path)),
  )
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

function shownToolsAreTools(_model: Model, { controllers }: Declared): readonly Diagnostic[] {
  return controllers.flatMap(({ methods }) =>
    methods
      .filter(({ mcp, routes }) => routes.length > 0 && (mcp.root === true || mcp.visible === true))
      .flatMap((method) => {
        const why = noToolBecause(method)
        return why === null ? [] : [shownWithoutTool(method.at, method.name, why)]
      }),
  )
}

function uploadsAreFields(model: Model): readonly Diagnostic[] {
  return actionsOf(model).flatMap(({ params, filters, verb }) =>
    [...params, ...filters.flatMap((filter) => filter.params)]
      .filter(({ schema, from }) => isFile(schema) && from !== 'field')
      .map(({ at, name }) => bodyNotAllowed(at, name, verb)),
  )
}

function handlersCanRun(model: Model): readonly Diagnostic[] {
  return actionsOf(model)
    .flatMap(({ handlers }) => handlers)
    .flatMap(({ at, member, error, coveredBy, isRepeated }) => {
      if (coveredBy === null) return []
      if (isRepeated) return [handledTwice(at, error.name, coveredBy)]
      return [handlerNeverRuns(at, `${member} of ${error.name}`, coveredBy)]
    })
}

function handlersHaveStatuses(_model: Model, { controllers }: Declared): readonly Diagnostic[] {
  return controllers.flatMap(({ methods }) =>
    methods.flatMap(({ name, exceptions }) =>
      exceptions.filter(({ status }) => status === null).map(({ at }) => handlerStatusMissing(at, name)),
    ),
  )
}

const builtInTypes = ['application/json', 'application/yaml', 'text/yaml', 'text/plain']

/** `type=` of a handler needs something that writes it. Source: specification, Exception handlers 5. */
function handlerTypesHaveResponders(
  _model: Model,
  { controllers, responders }: Declared,
): readonly Diagnostic[] {
  const known = new Set([...builtInTypes, ...responders])
  const exceptions = controllers.flatMap(({ methods }) => methods.flatMap((method) => method.exceptions))
  return exceptions.flatMap(({ at, contentType }) => {
    const type = contentType?.split(';')[0]?.trim().toLowerCase()
    return type === undefined || known.has(type) ? [] : [typeWithoutResponder(at, type)]
  })
}

function handlerArgumentsAreOptional(_model: Model, { controllers }: Declared): readonly Diagnostic[] {
  return controllers
    .flatMap(({ methods }) => methods.filter(({ exceptions }) => exceptions.length > 0))
    .flatMap(({ params }) => params)
    .flatMap(({ at, name, from, required }) => {
      if (from === 'body') return [handlerTakesBody(at, name)]
      return required ? [handlerArgumentRequired(at, name)] : []
    })
}

function scopesNameMethods(_model: Model, { controllers }: Declared): readonly Diagnostic[] {
  return controllers.flatMap(({ methods, skips, tls }) => {
    const routes = methods.filter((method) => method.routes.length > 0).map(({ name }) => name)
    const filters = methods.flatMap(({ name, filter }) => (filter === null ? [] : [{ ...filter, name }]))
    const strangers = skips
      .filter(({ filter }) => filter !== '' && !filters.some(({ name }) => name === filter))
      .map(({ at, filter }) => unknownMethod(at, 'skipFilter', `filter '${filter}'`))
    const scopes = [
      ...filters.filter(({ at }) => isAlone(controllers, at)).map((one) => ({ ...one, tag: 'filter' })),
      ...skips.map((one) => ({ ...one, tag: 'skipFilter' })),
      ...tls.filter(({ at }) => isOwnTls(controllers, at)).map((one) => ({ ...one, tag: 'requireTls' })),
    ]
    const unknown = scopes.flatMap(({ only, except, at, tag }) =>
      [...(only ?? []), ...except]
        .filter((name) => !routes.includes(name))
        .map((name) => unknownMethod(at, tag, `route method '${name}'`)),
    )
    return [...strangers, ...unknown]
  })
}

/** A scope that several classes inherit may name methods that only some of them have. */
function isOwnTls(controllers: Declared['controllers'], at: At): boolean {
  const has = ({ tls }: Declared['controllers'][number]): boolean =>
    tls.some((one) => one.at.file === at.file && one.at.line === at.line)
  return controllers.filter(has).length === 1
}

/** A filter that several classes inherit may name methods that only some of them have. */
function isAlone(controllers: Declared['controllers'], at: At): boolean {
  const owners = controllers.filter(({ methods }) =>
    methods.some(({ filter }) => filter?.at.file === at.file && filter.at.line === at.line),
  )
  return owners.length === 1
}
