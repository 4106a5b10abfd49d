/** The last lines of a build of `acmcp dev`: how what the application serves differs from the build before. */

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
