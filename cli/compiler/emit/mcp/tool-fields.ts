/** What is told of a tool beside its schemas: a row for each field of a `ToolEntry`, with what the catalogue has of it and how
 *  `mcp.yml` shows that. */
import type { ToolEntry, ToolLooks, ToolWords } from '../../../../runtime/contract/mcp.ts'
import { type Featured, type FeaturePlace, fieldsAt, joinedFields } from '../../ir/features.ts'
import type { ToolView } from '../../schema/tools.ts'
import { oneLine, type Plain } from '../yaml.ts'

type Identity = 'name' | 'route' | 'toolbox'
type Shaped = 'inputSchema' | 'outputSchema' | 'arguments' | 'renamed'
type Reported = Omit<ToolEntry, keyof (ToolWords & ToolLooks) | Identity | Shaped>

interface Row<Value> {
  /** Undefined = it is absent. */
  readonly entry: (view: ToolView) => Value
  /** As it is unless this says more; what is absent, null or false has no line. */
  line?(value: NonNullable<Value>, view: ToolView): Plain
}
type Rows = { readonly [Name in keyof Reported]-?: Row<Reported[Name]> }

const texts = {
  title: { entry: ({ tool }) => tool.title },
  summary: { entry: ({ tool }) => tool.summary, line: () => undefined },
  description: { entry: ({ tool }) => tool.description },
  keywords: { entry: ({ tool }) => listed(tool.keywords), line: oneLine },
} satisfies Partial<Rows>

const behaviour = {
  root: { entry: ({ tool }) => tool.root },
  shown: { entry: ({ tool }) => tool.isShown || undefined },
  hints: {
    entry: ({ tool }) => tool.hints,
    line: (hints) => oneLine(Object.entries(hints).flatMap(([hint, holds]) => (holds ? [hint] : []))),
  },
} satisfies Partial<Rows>

const answers = {
  paging: { entry: ({ paging }) => paging ?? undefined, line: oneLine },
  brief: {
    entry: ({ brief }) => brief ?? undefined,
    line: ({ names }) => oneLine(names),
  },
  repeatable: { entry: ({ tool }) => tool.isRepeatable || undefined },
  untrusted: { entry: ({ untrusted }) => listed(untrusted), line: oneLine },
} satisfies Partial<Rows>

const listed = (names: readonly string[]): readonly string[] | undefined =>
  names.length === 0 ? undefined : names

/** None is forgotten: TypeScript asks for each. */
const others: Omit<Rows, keyof typeof texts> = { ...behaviour, ...answers }

/** What the catalogue has. */
export const shownFields = (view: ToolView): object => ({
  ...entriesOf(texts, view),
  ...joinedFields(view.action.features, ({ tool }) => tool.texts.entry),
  ...entriesOf(others, view),
  ...wordsOf(view),
})

const entriesOf = (rows: Readonly<Record<string, Row<unknown>>>, view: ToolView): object =>
  Object.fromEntries(Object.entries(rows).map(([name, { entry }]) => [name, entry(view)]))

/** The lines above the arguments. */
export const textLines = (view: ToolView): object => ({
  ...linesOf(texts, view),
  ...joinedFields(view.action.features, ({ tool }) => tool.texts.lines),
})

/** The lines below them. */
export const behaviourLines = (view: ToolView): object => ({
  ...linesOf(behaviour, view),
  ...wordsOf(view),
  ...(view.tool.paging?.isNone === true ? { paging: 'none' } : {}),
  ...linesAt(view.action, ['call', 'retry', 'answer']),
  ...linesOf(answers, view),
  ...(view.leavesOut.length === 0 ? {} : { leavesOut: oneLine(view.leavesOut) }),
})

/** What optional tags at these places say. The catalogue needs none of it. */
export const linesAt = (action: Featured, places: readonly FeaturePlace[]): object =>
  Object.fromEntries(
    Object.entries(fieldsAt(action, places, ({ lines }) => lines)).map(([name, value]) => [
      name,
      typeof value === 'object' ? oneLine(value) : value,
    ]),
  )

function linesOf(rows: Readonly<Record<string, Row<unknown>>>, view: ToolView): object {
  const lines = Object.entries(rows).flatMap(([name, { entry, line = asItIs }]) => {
    const value = entry(view)
    return value === undefined || value === null || value === false ? [] : [[name, line(value, view)]]
  })
  return Object.fromEntries(lines)
}

const asItIs = (value: unknown): Plain => value

/** What optional words say, by the word itself. */
const wordsOf = ({ action }: ToolView): object =>
  fieldsAt(action, ['answer', 'call', 'access', 'retry'], ({ tool }) => tool.words)
