/** The tools of each controller, as the catalogue prints them and as checks and documents ask about them. */
import { keeper } from '../cache/memoize.ts'
import type { Action, Controller, Model, NoTool } from '../ir/model.ts'
import { SharedSchemas } from './shared-schemas.ts'
import { printTool, typesOf } from './tool-entry.ts'

/** What the other documents ask of a tool. */
export interface ToolFacts {
  readonly name: string
  readonly root: boolean
  /** Of its description and input schema. */
  readonly characters: number
  /** An estimate of what it costs a model: four characters are one token. */
  readonly tokens: number
}

/** A route that could be a tool, were it not for what it takes or answers. */
export interface Toolless {
  readonly route: string
  readonly why: Exclude<NoTool, 'hidden' | 'other'>
}

interface Tools {
  readonly routes: number
  /** In source order. */
  readonly tools: readonly ToolFacts[]
  /** The names of the types that they take and answer. */
  readonly types: readonly string[]
  readonly toolless: readonly Toolless[]
  /** How many routes are hidden from models. */
  readonly hidden: number
  /** Their JSON and that of their schemas, as it stands between single quotes. */
  readonly text: string
}

/** The tools of one controller; it is no toolbox when it has none. */
export interface Toolbox extends Tools {
  readonly controller: Controller
}

const keepTools = keeper<Tools>('catalogue.tools')

/** The tools of every controller, by id. */
export function toolboxesOf({ controllers, schemas }: Model): readonly Toolbox[] {
  return controllers.map((controller) => {
    const make = (): Tools => printTools(controller, schemas)
    return { controller, ...keepTools(controller, schemas, { context: '', make }) }
  })
}

function printTools({ id, actions }: Controller, named: Model['schemas']): Tools {
  const shared = new SharedSchemas()
  const all = actions.flatMap((action) => {
    const { tool } = action
    return tool === null
      ? []
      : [{ tool, ...printTool(named, action, { tool, toolbox: id, schemas: shared }) }]
  })
  const { definitions, schemas } = shared.json
  const tools = `[${all.map(({ json }) => json).join(',')}]`
  return {
    routes: actions.length,
    tools: all.map(({ tool: { name, root }, characters }) => {
      return { name, root, characters, tokens: Math.ceil(characters / 4) }
    }),
    types: typeNames(actions, named),
    toolless: actions.flatMap(toollessOf),
    hidden: actions.filter(({ noTool }) => noTool === 'hidden').length,
    text: escaped(`{"definitions":${definitions},"schemas":${schemas},"tools":${tools}}`),
  }
}

function typeNames(actions: readonly Action[], named: Model['schemas']): readonly string[] {
  const types = actions.flatMap((action) =>
    action.tool === null ? [] : typesOf(named, action.tool, action.tool.output),
  )
  return [...new Set(types.map(({ name }) => name))].sort()
}

function toollessOf({ noTool: why, verb, path }: Action): readonly Toolless[] {
  return why === null || why === 'hidden' || why === 'other' ? [] : [{ route: `${verb} ${path}`, why }]
}

/** The text escaped, to stand between single quotes. */
export const escaped = (json: string): string => json.replace(/[\\']/g, '\\$&')

/** Whether models see the controller. */
export const isShown = ({ tools }: Toolbox): boolean => tools.length > 0

/** The text of a toolbox. */
export const fullText = ({ summary, description }: Controller['doc']): string =>
  description === '' ? summary : description

/** Whether the instructions name it: it has more than root tools. */
export const isListed = ({ tools }: Toolbox): boolean => tools.some(({ root }) => !root)

/** One line for each toolbox that is listed. */
export function instructionsOf(toolboxes: readonly Toolbox[]): string {
  return toolboxes
    .filter(isListed)
    .map(({ controller: { id, doc } }) => (doc.summary === '' ? id : `${id}: ${doc.summary}`))
    .join('\n')
}

const sum = (tools: readonly ToolFacts[]): number => tools.reduce((total, { tokens }) => total + tokens, 0)

/** What all tools cost a model. */
export const allTokens = (toolboxes: readonly Toolbox[]): number =>
  sum(toolboxes.flatMap(({ tools }) => tools))

/** What the tools cost that are listed at the endpoint's own path. */
export const rootTokens = (toolboxes: readonly Toolbox[]): number =>
  sum(toolboxes.flatMap(({ tools }) => tools.filter(({ root }) => root)))
