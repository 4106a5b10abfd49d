/** The second pass: what the declarations mean. Base paths, ids, tools, running order of filters, handlers. */
import type {
  Action,
  At,
  Controller,
  Declared,
  DeclaredController,
  DeclaredException,
  DeclaredMethod,
  DeclaredParam,
  DeclaredRoute,
  DeclaredScope,
  DeclaredThrows,
  Doc,
  Filter,
  Handler,
  Hints,
  Model,
  Param,
  Result,
  Tool,
  Verb,
} from './model.ts'

/** Links every controller; controllers come sorted by id, actions in source order. */
export function link({ info, controllers, schemas }: Declared): Model {
  const linked = controllers.map(linkController)
  return { info, schemas, controllers: linked.sort((a, b) => (a.id === b.id ? 0 : a.id < b.id ? -1 : 1)) }
}

function linkController(declared: DeclaredController): Controller {
  const id = snakeCase(declared.symbol.name)
  const actions = declared.methods.flatMap((method) => linkMethod(declared, id, method))
  const isVisible = !declared.hidden || actions.some(({ tool }) => tool !== null)
  const { symbol, doc, at } = declared
  return { id, symbol, toolbox: isVisible ? id : null, actions, doc, at }
}

/** `listOpen` → `list_open`, `HTTPLog` → `http_log`. */
export function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
}

const toolOrder: readonly Verb[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** One action a route. The first by verb is the tool and has the plain id; the others add their verb. */
function linkMethod(
  controller: DeclaredController,
  toolbox: string,
  method: DeclaredMethod,
): readonly Action[] {
  const id = `${toolbox}_${snakeCase(method.name)}`
  const order = [...method.routes].sort((a, b) => toolOrder.indexOf(a.verb) - toolOrder.indexOf(b.verb))
  const [primary] = order
  const taken = new Map<string, number>()
  return method.routes.map((route) => {
    if (route === primary) return linkRoute(controller, method, route, { id, isTool: true })
    const suffixed = `${id}_${route.verb.toLowerCase()}`
    const count = (taken.get(suffixed) ?? 0) + 1
    taken.set(suffixed, count)
    return linkRoute(controller, method, route, {
      id: count === 1 ? suffixed : `${suffixed}_${count}`,
      isTool: false,
    })
  })
}

interface Identity {
  readonly id: string
  readonly isTool: boolean
}

function linkRoute(
  controller: DeclaredController,
  method: DeclaredMethod,
  route: DeclaredRoute,
  { id, isTool }: Identity,
): Action {
  const path = joinPath(controller.base ?? `/${snakeCase(controller.symbol.name)}`, route.path)
  const place = { verb: route.verb, path }
  const isVisible = method.mcp.visible ?? !controller.hidden
  return {
    id,
    method: method.name,
    ...place,
    params: method.params.map((param) => linkParam(param, place)),
    results: linkResults(method),
    errors: method.throws.map(linkThrows),
    filters: filtersOf(controller, method).map((filter) => linkFilter(filter, place)),
    handlers: controller.methods.flatMap((handler) => linkHandlers(controller, handler, place)),
    tool: isTool && isVisible ? toTool(id, method, place) : null,
    doc: method.doc,
    at: method.at,
  }
}

interface Place {
  readonly verb: Verb
  readonly path: string
}

function joinPath(base: string, path: string): string {
  return `${base.replace(/\/$/, '')}${path}`
}

/** The names of a path's parameters, in order. */
export function pathParameters(path: string): readonly string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '')
}

const bodiless: ReadonlySet<Verb> = new Set(['GET', 'DELETE', 'OPTIONS'])

function linkParam(param: DeclaredParam, { verb, path }: Place): Param {
  const plain = bodiless.has(verb) ? 'query' : 'field'
  const inPath = param.from === null && pathParameters(path).includes(param.wireName)
  return { ...param, from: inPath ? 'path' : (param.from ?? plain) }
}

function linkResults(method: DeclaredMethod): readonly Result[] {
  const { result: schema, produces: contentType } = method
  const plain: Result = { status: 200, contentType, schema, doc: docOf('') }
  if (method.returns.length === 0) return [plain]
  return method.returns.map((written) => ({
    status: written.status ?? 200,
    contentType,
    schema: written.schema ?? schema,
    doc: docOf(written.text),
  }))
}

function linkThrows({ status, text }: DeclaredThrows): Result {
  return { status, contentType: null, schema: null, doc: docOf(text) }
}

function docOf(summary: string): Doc {
  return { summary, description: '', deprecated: false, examples: [] }
}

/** The filters that cover a method, furthest ancestor first. */
function filtersOf(controller: DeclaredController, method: DeclaredMethod): readonly DeclaredMethod[] {
  return controller.methods.filter(({ name, filter, depth }) => {
    if (filter === null || !covers(filter, method.name)) return false
    return !controller.skips.some(
      (skip) => skip.filter === name && skip.depth > depth && covers(skip, method.name),
    )
  })
}

function covers({ only, except }: DeclaredScope, name: string): boolean {
  return (only === null || only.includes(name)) && !except.includes(name)
}

function linkFilter({ name, filter, params, at }: DeclaredMethod, place: Place): Filter {
  const when = filter?.when ?? 'before'
  return { when, member: name, params: params.map((param) => linkParam(param, place)), at }
}

function linkHandlers(
  controller: DeclaredController,
  method: DeclaredMethod,
  place: Place,
): readonly Handler[] {
  const [returns] = method.returns
  const text = returns?.text === undefined || returns.text === '' ? method.doc.summary : returns.text
  const all = controller.methods.flatMap(({ exceptions }) => exceptions)
  return method.exceptions.map((exception) => ({
    error: exception.error,
    match: null,
    member: method.name,
    params: method.params.map((param) => linkParam(param, place)),
    results: [{ ...answerOf(exception), schema: method.result, doc: docOf(text) }],
    coveredBy: coverOf(exception, all),
    depth: method.depth,
    at: exception.at,
  }))
}

function answerOf({ status, contentType }: DeclaredException): Pick<Result, 'status' | 'contentType'> {
  return { status: status ?? 200, contentType }
}

/** The place of the first earlier handler of the same class or of one of its ancestors. */
function coverOf(exception: DeclaredException, all: readonly DeclaredException[]): At | null {
  const fitting = [exception.error, ...exception.bases]
  const earlier = all.slice(0, all.indexOf(exception))
  const isFitting = ({ error }: DeclaredException): boolean =>
    fitting.some(({ module, name }) => module === error.module && name === error.name)
  return earlier.find(isFitting)?.at ?? null
}

function toTool(name: string, method: DeclaredMethod, { verb, path }: Place): Tool {
  const { doc, mcp } = method
  const text = doc.description === '' ? doc.summary : doc.description
  return {
    name,
    root: mcp.root === true,
    title: mcp.title,
    description: text === '' ? `${verb} ${path}` : text,
    hints: hintsOf(verb, mcp.hints),
    examples: mcp.examples,
  }
}

function hintsOf(verb: Verb, said: DeclaredMethod['mcp']['hints']): Hints {
  return {
    readOnly: said.readOnly ?? (verb === 'GET' || verb === 'OPTIONS'),
    destructive: said.destructive ?? verb === 'DELETE',
    idempotent: said.idempotent ?? (verb === 'PUT' || verb === 'DELETE'),
    openWorld: said.openWorld ?? false,
  }
}
