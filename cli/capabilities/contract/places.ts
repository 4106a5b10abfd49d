/** Where the source of a finding stands: the tag, the parameter, the property or the type that changed; of what is gone the
 *  controller that had it, or the generated file. */
import type { Action, Controller, Model } from '../../compiler/ir/model.ts'
import type { At } from '../../compiler/ir/schema.ts'
import type { ContractChange } from './findings.ts'
import { routeOf } from './tools.ts'

export type ReadFile = (file: string) => string | null

/** Finds places in the sources of one model. */
export function placesIn(model: Model, readFile: ReadFile): (finding: ContractChange) => At {
  const actions = model.controllers.flatMap(({ actions, mcpOnly }) => [...actions, ...mcpOnly])
  const byRoute = new Map(actions.map((action) => [routeOf(action), action]))
  const byName = new Map(actions.flatMap((action) => namesOf(action).map((name) => [name, action] as const)))
  const types = new Map(model.schemas.map(({ name, at }) => [name, at]))
  const scopes = new Map(model.scopes.map(({ name, at }) => [name, at]))
  const lines = linesOf(readFile)
  return (finding) => {
    const { kind, name, route } = finding.subject
    const type = types.get(name)
    if (kind === 'type' && type !== undefined) return propertyAt(type, finding.path, lines)
    if (kind === 'scope') return scopes.get(name) ?? generated('mcp')
    const action = byRoute.get(route ?? '') ?? byName.get(`${kind} ${name}`)
    if (action !== undefined) return placeInAction(action, finding, lines)
    return controllerOf(name, model.controllers)?.at ?? generated(kind === 'route' ? 'openapi' : 'mcp')
  }
}

const generated = (file: 'openapi' | 'mcp'): At => ({ file: `generated/${file}.yml`, line: 1, column: 1 })

const namesOf = ({ tool, prompt, resource }: Action): readonly string[] => [
  ...(tool === null ? [] : [`tool ${tool.name}`]),
  ...(prompt === null ? [] : [`prompt ${prompt.name}`]),
  ...(resource === null ? [] : [`resource ${resource.name}`]),
]

/** Of a toolbox, or of a tool that it no longer has. */
const controllerOf = (name: string, controllers: readonly Controller[]): Controller | undefined =>
  controllers.find(({ id }) => name === id || name.startsWith(`${id}_`))

type Lines = (file: string) => readonly string[]

function linesOf(readFile: ReadFile): Lines {
  const known = new Map<string, readonly string[]>()
  return (file) => {
    const lines = known.get(file) ?? readFile(file)?.split('\n') ?? []
    known.set(file, lines)
    return lines
  }
}

function placeInAction(action: Action, { path, tag, rule }: ContractChange, lines: Lines): At {
  const [name = ''] = path.split(/[.[ ]/, 1)
  const param = action.inputs.find((input) => input.wireName === name || input.name === name)
  const isInput = rule.startsWith('input') || rule === 'argumentText' || rule === 'defaultChanged'
  if (isInput && param !== undefined) return param.at
  if (tag !== null) return tagAt(action, tag, lines)
  return rule === 'routeRenamed' || rule === 'routeNew' ? action.routeAt : action.docAt
}

/** The line of `@tag` in the doc comment above the method; a class may have it instead. */
function tagAt({ docAt, at }: Action, tag: string, lines: Lines): At {
  const all = lines(docAt.file)
  for (let line = docAt.line - 1; line > 0; line -= 1) {
    const text = all[line - 1] ?? ''
    const column = text.indexOf(`@${tag}`)
    if (column >= 0) return { file: docAt.file, line, column: column + 1 }
    if (!/^\s*(?:\*|\/\*\*)/.test(text)) break
  }
  return at
}

/** The line below the type's name on which the property of that name is declared. */
function propertyAt(type: At, path: string, lines: Lines): At {
  const name = /[^.[\]*]+(?=(?:\[[^\]]*\]|\.\*)*$)/.exec(path)?.[0] ?? ''
  if (name === '') return type
  const all = lines(type.file)
  for (let line = type.line; line <= Math.min(all.length, type.line + 200); line += 1) {
    const text = all[line - 1] ?? ''
    const [, before = null] = text.split(name).length > 1 ? [null, text.slice(0, text.indexOf(name))] : []
    const after = before === null ? '' : text.slice(before.length + name.length)
    if (before !== null && /^[\s{;,]*(?:readonly\s+)?["']?$/.test(before) && /^["']?\??\s*:/.test(after))
      return { file: type.file, line, column: before.length + 1 }
    if (line > type.line && /^\}/.test(text)) break
  }
  return type
}
