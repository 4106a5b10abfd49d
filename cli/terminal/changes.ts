/** The last lines of a build: how much it made, what is no tool, and how what the application serves differs from the build before. */
import type { Counts, WithoutTool } from '../compiler/compile.ts'

/** What an application serves. Texts differ when what a caller can tell does. */
export interface Contents {
  /** By verb and path. */
  readonly routes: ReadonlyMap<string, string>
  /** By name. `tokens` is an estimate of what it costs a model. */
  readonly tools: ReadonlyMap<string, { readonly text: string; readonly tokens: number }>
}

/** `routes added: POST /notes`, `tools changed: notes_index (80 -> 85 tokens)`, …; one line that says so when nothing did. */
export function changeLines(before: Contents, now: Contents): readonly string[] {
  const routes = compared(before.routes, now.routes, (text, other) => text === other)
  const tools = compared(before.tools, now.tools, (item, other) => item.text === other.text)
  const [first, then] = [totalOf(before), totalOf(now)]
  const lines = [
    ...lineOf('routes added', routes.added),
    ...lineOf('routes removed', routes.removed),
    ...lineOf('routes changed', routes.changed),
    ...lineOf('tools added', tools.added.map(priced(now))),
    ...lineOf('tools removed', tools.removed.map(priced(before))),
    ...lineOf(
      'tools changed',
      tools.changed.map((name) => `${name} (${fromTo(tokensIn(before, name), tokensIn(now, name))})`),
    ),
    ...(first === then ? [] : [`what models read: ${fromTo(first, then)}`]),
  ]
  return lines.length === 0 ? ['no route and no tool changed'] : lines
}

interface Compared {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
}

function compared<Value>(
  before: ReadonlyMap<string, Value>,
  now: ReadonlyMap<string, Value>,
  areSame: (value: Value, other: Value) => boolean,
): Compared {
  return {
    added: [...now.keys()].filter((key) => !before.has(key)),
    removed: [...before.keys()].filter((key) => !now.has(key)),
    changed: [...now].flatMap(([key, value]) => {
      const old = before.get(key)
      return old === undefined || areSame(old, value) ? [] : [key]
    }),
  }
}

/** More are counted. */
const maxNamed = 8

function lineOf(what: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) return []
  const more = names.length - maxNamed
  return [`${what}: ${names.slice(0, maxNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`]
}

const tokensIn = ({ tools }: Contents, name: string): number => tools.get(name)?.tokens ?? 0

const totalOf = ({ tools }: Contents): number =>
  [...tools.values()].reduce((sum, { tokens }) => sum + tokens, 0)

const priced =
  (contents: Contents) =>
  (name: string): string =>
    `${name} (${counted(tokensIn(contents, name))})`

/** `80 tokens`, or `80 -> 85 tokens` */
const fromTo = (before: number, now: number): string =>
  before === now ? counted(now) : `${before} -> ${counted(now)}`

const counted = (tokens: number): string => `${tokens} ${tokens === 1 ? 'token' : 'tokens'}`

/** `1 controller, 5 routes (+1), 4 tools, about 1,200 tokens; 3 files written` */
export function summary(counts: Counts, last: Counts | null, written: number): string {
  const text = (name: keyof Counts, word: string, many: string): string => {
    const more = last === null ? 0 : counts[name] - last[name]
    const change = more === 0 ? '' : ` (${more > 0 ? '+' : '-'}${grouped(Math.abs(more))})`
    return `${grouped(counts[name])} ${counts[name] === 1 ? word : many}${change}`
  }
  const parts = [
    text('controllers', 'controller', 'controllers'),
    text('routes', 'route', 'routes'),
    text('tools', 'tool', 'tools'),
    `about ${text('tokens', 'token', 'tokens')}`,
  ]
  return `${parts.join(', ')}; ${written} ${written === 1 ? 'file' : 'files'} written`
}

/** Thousands with commas, whatever the locale. */
const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',')

const reasons = { socket: 'a WebSocket', file: 'takes a file', events: 'a stream' }

/** `no tools: POST /files (takes a file), GET /events (a stream); hidden from models: 3 routes`; null when every route is one. */
export function toollessLine({ unfit, hidden }: WithoutTool): string | null {
  const named = unfit.slice(0, maxNamed).map(({ route, why }) => `${route} (${reasons[why]})`)
  const more = unfit.length - named.length
  const texts = [
    ...(named.length === 0
      ? []
      : [`no tools: ${named.join(', ')}${more === 0 ? '' : ` and ${grouped(more)} more`}`]),
    ...(hidden === 0 ? [] : [`hidden from models: ${grouped(hidden)} ${hidden === 1 ? 'route' : 'routes'}`]),
  ]
  return texts.length === 0 ? null : texts.join('; ')
}
