/** How the tools of a toolbox work together, as far as their types and addresses say it. */
import type { Action, ToolArgument } from '../../ir/model.ts'
import type { NamedSchema, Schema } from '../../ir/schema.ts'
import { alternativesOf } from '../../ir/schema-walk.ts'
import type { Param } from '../../ir/steps.ts'
import { schemaNamed } from '../references.ts'
import { anyOf, type Line, type Section, type ToolAction } from './parts.ts'

type Named = readonly NamedSchema[]

/** Which tool answers what others take, and which one shows what another one changes. */
export function cooperationOf(actions: readonly ToolAction[], named: Named): Section {
  const sources = actions.map((one) => ({ ...one, answers: answeredNames(one, named) }))
  const takings = actions.flatMap((taker) =>
    taker.tool.arguments.flatMap((argument) => takingOf(taker, argument, sources)),
  )
  return {
    title: 'How they work together',
    lead: '',
    lines: [...takingLines(takings), ...actions.flatMap((writer) => lookBefore(writer, actions))],
    end: '',
  }
}

interface Source extends ToolAction {
  /** The properties of what it answers, or of the items of it. */
  readonly answers: ReadonlySet<string>
}

/** A tool takes what another one answers. */
interface Taking {
  readonly taker: string
  readonly source: string
  readonly property: string
  readonly argument: string
}

/** From the tool that reads before those that write, and from what needs little before what needs more. */
function takingOf(
  { tool, action }: ToolAction,
  { argument, param }: ToolArgument,
  all: readonly Source[],
): readonly Taking[] {
  if (!param.required || !isReference(param)) return []
  const found = all
    .filter((one) => one.tool !== tool && !takes(one, argument))
    .flatMap((one) => {
      const property = propertyFor(action, param, one)
      return property === null ? [] : [{ ...one, property }]
    })
    .sort((a, b) => effort(a) - effort(b))
  return found
    .slice(0, 1)
    .map(({ tool: { name: source }, property }) => ({ taker: tool.name, source, property, argument }))
}

/** One line for all that take the same: of each as much as the caller may call. */
function takingLines(takings: readonly Taking[]): readonly Line[] {
  const alike = new Map<string, readonly Taking[]>()
  for (const one of takings) {
    const { source, property, argument } = one
    const key = JSON.stringify([source, property, argument])
    alike.set(key, [...(alike.get(key) ?? []), one])
  }
  return [...alike.values()].flatMap((all) => {
    const takers = all.map(({ taker, source }) => ({ groups: [[source, taker]], text: ` \`${taker}\`` }))
    const groups = anyOf(takers)
    const head = all.slice(0, 1).map((one) => ({ groups, text: headOf(one) }))
    return [...head, ...takers, { groups, text: '\n' }]
  })
}

function headOf({ source, property, argument }: Taking): string {
  const passed = property === argument ? '' : `, passed as \`${argument}\``
  return `- \`${source}\` answers the \`${property}\`${passed} of:`
}

/** Names something that there is: a variable of the path, or an argument that is called an id. */
const isReference = ({ from, wireName }: Param): boolean =>
  from === 'path' || /(?:^id|_id|Id)$/.test(wireName)

const takes = ({ tool }: ToolAction, argument: string): boolean =>
  tool.arguments.some((one) => one.argument === argument && one.param.required)

/** By its own name; of a variable right behind the address of a list, the `id` in that list. */
function propertyFor({ path }: Action, { from, wireName }: Param, source: Source): string | null {
  if (source.answers.has(wireName)) return wireName
  const list = source.action.path.replace(/\/$/, '')
  const isBehind =
    from === 'path' && (path === `${list}/:${wireName}` || path.startsWith(`${list}/:${wireName}/`))
  return isBehind && source.answers.has('id') ? 'id' : null
}

const effort = ({ tool }: ToolAction): number =>
  (tool.hints.readOnly ? 0 : 100) + tool.arguments.filter(({ param }) => param.required).length

/** What is at the same address is looked at before it is changed. */
function lookBefore(writer: ToolAction, actions: readonly ToolAction[]): readonly Line[] {
  const { action, tool } = writer
  if (tool.hints.readOnly || !action.path.includes(':')) return []
  const shown = actions.find((one) => one.tool.hints.readOnly && one.action.path === action.path)
  if (shown === undefined) return []
  const why = tool.hints.destructive ? ': what it takes away does not come back' : ''
  const text = `- Look with \`${shown.tool.name}\` before you call \`${tool.name}\`${why}.\n`
  return [{ groups: [[tool.name, shown.tool.name]], text }]
}

function answeredNames({ tool }: ToolAction, named: Named): ReadonlySet<string> {
  if (tool.output === null) return new Set()
  const objects = objectsIn(tool.output, named)
  const lists = objects.flatMap(({ properties }) =>
    properties.flatMap(({ schema }) => itemsIn(schema, named)),
  )
  const items = [...itemsIn(tool.output, named), ...lists]
  const inner = items.flatMap((schema) => objectsIn(schema, named))
  return new Set([...objects, ...inner].flatMap(({ properties }) => properties.map(({ name }) => name)))
}

const kindsIn = (schema: Schema, named: Named): readonly Schema[] =>
  alternativesOf(schema, (name) => schemaNamed(name, named))

const objectsIn = (schema: Schema, named: Named): readonly Extract<Schema, { kind: 'object' }>[] =>
  kindsIn(schema, named).flatMap((one) => (one.kind === 'object' ? [one] : []))

const itemsIn = (schema: Schema, named: Named): readonly Schema[] =>
  kindsIn(schema, named).flatMap((one) => (one.kind === 'array' ? [one.items] : []))
