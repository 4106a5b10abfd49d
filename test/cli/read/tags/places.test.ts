/** Every tag and every word of `@mcp` in every place: what it says is used, or it is reported at its token. Source: language.md,
 *  Nothing is lost silently. */
import t from 'tap'
import { features } from '../../../../cli/capabilities/index.ts'
import { tagEntries } from '../../../../cli/capabilities/reference/entries.ts'
import { compile } from '../../../../cli/compiler/compile.ts'
import type { Model } from '../../../../cli/compiler/ir/model.ts'
import { languageOf, type Place, type Word } from '../../../../cli/compiler/read/language.ts'
import { memoryHost } from '../../support/memory-host.ts'

t.setTimeout(240_000)

const { tagTable, mcpTable } = languageOf(features)

/** A tag as somebody writes it, where it fits; the type of the value that it is about. Of others the reference has one. */
const samples: Readonly<Record<string, readonly [text: string, type?: string]>> = {
  base: ['/elsewhere'],
  get: ['/more'],
  post: ['/more'],
  put: ['/more'],
  patch: ['/more'],
  delete: ['/more'],
  options: ['/more'],
  websocket: ['/more'],
  returns: ['201 what there is'],
  produces: ['text/plain'],
  param: ['id - which one'],
  throws: ['{Conflict} 409 it is there'],
  filter: ['before'],
  skipFilter: ['guard'],
  requireTls: [''],
  scope: ['notes:read'],
  approval: ['Do it'],
  exception: ['{Conflict} 409'],
  icon: ['./list.svg'],
  complete: ['id of=plan'],
  minimum: ['1', 'number'],
  maximum: ['9', 'number'],
  exclusiveMinimum: ['1', 'number'],
  exclusiveMaximum: ['9', 'number'],
  multipleOf: ['2', 'number'],
  minLength: ['1'],
  maxLength: ['9'],
  minItems: ['1', 'string[]'],
  maxItems: ['9', 'string[]'],
  uniqueItems: ['', 'string[]'],
  pattern: ['^a'],
  format: ['email'],
  choice: ['s Small', "'s' | 'l'"],
  title: ['The value'],
  default: ['one'],
  example: ['one'],
  deprecated: [''],
  secret: [''],
  untrusted: [''],
  'mcp title': ['="A title"'],
  'mcp describe': [' for models'],
  'mcp name': ['=given_name'],
  'mcp keywords': [' other, words'],
  'mcp header': [' id=Id'],
  'mcp example': [' {"id":"a"}'],
  'mcp resource': [' uri=notes://CELL/{id}'],
  'mcp skill': [' when it is of use'],
  'mcp brief': [' id'],
  'mcp paging': [' none'],
  'mcp readOnly': ['=false'],
}

const rows: ReadonlyMap<string, Word> = new Map([
  ...[...tagTable].filter(([name]) => name !== 'mcp'),
  ...[...mcpTable].map(([name, row]) => [`mcp ${name}`, row] as const),
])

const examples: ReadonlyMap<string, string> = new Map(
  tagEntries().map(({ name, samples }) => [name.replace('@', ''), samples[0]?.text ?? '']),
)

/** As the reference has it first; null = it has none. */
function inReference(name: string): string | null {
  const lines = (examples.get(name) ?? '').split('\n')
  const written = lines.map((line) => line.slice(line.indexOf('@')).replace(/ \*\/$/, ''))
  return (
    written.find((line) => line.startsWith(`@${name}`) && !/^\w/.test(line.slice(name.length + 1))) ?? null
  )
}

function writtenAs(name: string): string | null {
  const [sample] = samples[name] ?? []
  return sample === undefined
    ? inReference(name)
    : `@${name}${name.startsWith('mcp ') ? '' : ' '}${sample}`.trimEnd()
}

/** Lines of a doc comment. */
const doc = (...lines: readonly string[]): string =>
  `/**\n${lines.map((line) => ` * ${line}\n`).join('')} */\n`

const route = (...tags: readonly string[]): string =>
  `${doc('Shows one.', '', '@get /:id', ...tags)}show(id: string): RESULT { return VALUE }`
const others = `${doc('Plans.', '', '@mcp prompt')}plan(id: string): string { return id }
${doc('Waits.', '', '@get /waiting')}waits(): void {}`

/** A controller below a class with a filter. */
const controller = (members: string, { head = 'export class CELL', tags = ['@base /CELL'] } = {}): string => `
abstract class AboveCELL extends Controller {
${doc('@filter before')}guard(id?: string): void {}
}
${doc('Notes.', '', ...tags)}${head} extends AboveCELL {
${members}
}
`
const method = (...lines: readonly string[]): string => controller(`${lines.join('\n')}\n${others}`)
const values = (
  property: string,
  parameter: string,
  alias: string,
): string => `${doc(alias)}export type AliasCELL = TYPE
export interface InputCELL {
${doc(property)}own?: TYPE
other?: AliasCELL
}
${method(
  `${doc('Takes one.', '', '@get /taken')}taken(\n${doc(parameter)}id: TYPE): void { void id }`,
  `${doc('Adds one.', '', '@post /')}add(input: Body<InputCELL>): void { void input }`,
)}`

/** Sources with `TAG` in one place; `CELL` is the name of the controller, `TYPE` that of a value. */
const places: Readonly<Record<string, string>> = {
  class: controller(`${route()}\n${others}`, { tags: ['TAG'] }),
  'abstract class with heirs': `${controller(`${route()}\n${others}`, { head: 'export abstract class BaseCELL', tags: ['TAG'] })}export class CELL extends BaseCELL {}\n`,
  'abstract class without heirs': controller(route(), { head: 'export abstract class CELL', tags: ['TAG'] }),
  route: method(route('TAG')),
  'hidden route': controller(`${route('TAG')}\n${others}`, { tags: ['@mcp hide'] }),
  resource: method(route('@mcp hide', '@mcp resource', 'TAG')),
  filter: method(`${doc('Watches.', '', '@filter before', 'TAG')}watch(id?: string): void { void id }`),
  handler: method(
    `${doc('Nothing.', '', '@exception {NotFound} 404', 'TAG')}missing(error: NotFound, id?: string): RESULT { void [error, id]; return VALUE }`,
  ),
  prompt: method(`${doc('Asks.', '', '@mcp prompt', 'TAG')}ask(id: string): string { return id }`),
  completion: method(
    `${doc('Ids.', '', '@complete id of=plan', 'TAG')}ids(id: string): string[] { return [id] }`,
  ),
  'WebSocket route': method(
    `${doc('Chats.', '', '@websocket /chat/:id', 'TAG')}chat(socket: { close(): void }, id: string): void { void [socket, id] }`,
  ),
  'untagged method': method(`${doc('Helps.', '', 'TAG')}help(id: string): RESULT { return VALUE }`),
  property: values('TAG', '', ''),
  parameter: values('', 'TAG', ''),
  'type alias': values('', '', 'TAG'),
  'plain function': `${method()}${doc('Helps.', '', 'TAG')}export function help(id: string): string { return id }\n`,
}

interface Cell {
  readonly name: string
  readonly place: string
  readonly id: string
  readonly text: string
}

/** What the method returns where that is no text. */
const results: Readonly<Record<string, readonly [type: string, value: string]>> = {
  complete: ['string[]', '[id ?? ""]'],
  'mcp brief': ['{ id: string; text: string }', '{ id: id ?? "", text: "" }'],
}

const cells: readonly Cell[] = Object.entries(places).flatMap(([place, source], row) =>
  [...rows.keys()].map((name, column): Cell => {
    const id = `C${row}x${column}`
    // what a resource is read by has no body, and needs no key
    const isOfPost = ['consumes', 'idempotencyKey'].includes(name) && place !== 'resource'
    const address = isOfPost ? '@post /' : '@get /:id'
    const [result, returned] = results[name] ?? ['string', 'id ?? ""']
    const text = source
      .replaceAll('CELL', id)
      .replaceAll('TYPE', samples[name]?.[1] ?? 'string')
      .replaceAll('RESULT', result)
      .replaceAll('VALUE', returned)
      .replace('@get /:id', address)
    return {
      name,
      place,
      id,
      text: `import { type Body, Conflict, Controller, NotFound } from 'acmcp'\n${text}`,
    }
  }),
)

const fileOf = ({ id }: Cell): string => `app/controllers/${id}.ts`

const compiled = (all: readonly Cell[], textOf: (cell: Cell) => string) =>
  compile(
    memoryHost({
      'app/config.ts': `import { defineApp } from 'acmcp'\nexport const config: object = defineApp({ scopes: { 'notes:read': 'read notes' } })\n`,
      'app/controllers/list.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
      'app/controllers/value.json': '{ "type": "object" }',
      ...Object.fromEntries(all.map((cell) => [fileOf(cell), textOf(cell)])),
    }),
  )

const isPlace = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).join() === 'file,line,column'

/** All that is known of one controller, by its name, without places. */
function effects({ controllers, schemas }: Model): ReadonlyMap<string, string> {
  const written = (value: unknown): string =>
    JSON.stringify(value, (_key, inner: unknown) => (isPlace(inner) ? undefined : inner))
  const types = new Map<string, string>()
  for (const schema of schemas) {
    const id = /C\d+x\d+/.exec(schema.name)?.[0] ?? ''
    types.set(id, `${types.get(id) ?? ''}${written(schema)}`)
  }
  return new Map(
    controllers.map((item) => {
      const { name } = item.symbol
      return [name, `${written(item)}${types.get(name)}`.replace(new RegExp(name, 'gi'), 'CELL')]
    }),
  )
}

/** The same for all cells that differ in their tag alone. */
const plainText = ({ id, text }: Cell): string => text.replaceAll(id, 'CELL')

/** Where the tag of a cell stands. */
function placeOf({ text }: Cell): string {
  const lines = text.slice(0, text.indexOf('TAG')).split('\n')
  return `${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`
}

/** What is said and holds anyway. */
const states: Readonly<Record<string, (model: Model, cell: Cell) => boolean>> = {
  'mcp noroot': (model, cell) => shownTools(model, cell).every(({ root }) => !root),
  'mcp hide': (model, cell) => shownTools(model, cell).length === 0,
  'mcp show': (model, cell) => shownTools(model, cell).length > 0,
}

const shownTools = ({ controllers }: Model, { id }: Cell) =>
  controllers.flatMap(({ symbol, actions }) =>
    symbol.name === id ? actions.flatMap(({ method, tool }) => (method === 'waits' ? [] : (tool ?? []))) : [],
  )

/** What each place is, in the words of the table. */
const kinds: Readonly<Record<string, readonly Place[]>> = {
  class: ['class'],
  'abstract class with heirs': ['abstract class'],
  'abstract class without heirs': ['abstract class'],
  route: ['method', 'route', 'tool'],
  'hidden route': ['method', 'route'],
  resource: ['method', 'route', 'resource'],
  filter: ['method', 'filter'],
  handler: ['method', 'handler'],
  prompt: ['method', 'prompt'],
  completion: ['method', 'completion'],
  'WebSocket route': ['method', 'socket'],
  'untagged method': ['method'],
  property: ['property', 'value'],
  parameter: ['value'],
  'type alias': ['alias', 'value'],
  'plain function': [],
}

const plainRoutes = ['get', 'post', 'put', 'patch', 'delete', 'options']
const requests = [...plainRoutes, 'websocket', 'complete', 'mcp prompt']

/** What fits such a place, and not beside what the method is already. */
const conflicts: Readonly<Record<string, readonly string[]>> = {
  route: ['websocket', 'filter', 'exception'],
  'hidden route': ['websocket', 'filter', 'exception'],
  resource: ['websocket', 'filter', 'exception', 'consumes', 'idempotencyKey', 'mcp hide', 'mcp resource'],
  filter: [...requests, 'filter', 'exception'],
  handler: [...requests, 'filter'],
  prompt: ['websocket', 'filter', 'exception', 'mcp prompt'],
  completion: ['websocket', 'filter', 'exception', 'approval', 'complete'],
  'WebSocket route': requests
    .filter((name) => name !== 'websocket')
    .concat('filter', 'exception', 'approval'),
}

/** What has a text in the model, of which `@deprecated` is a part. */
const hasText = ['class', 'prompt', 'completion', 'WebSocket route']

/** What a cell comes to by the table. What JSDoc knows may stand anywhere; what an abstract class says waits for an heir. */
function wanted({ name, place }: Cell): 'used' | 'reported' | 'silent' {
  const row = rows.get(name)
  if (row?.on.some((item) => kinds[place]?.includes(item)) === true) {
    if (place === 'abstract class without heirs') return 'silent'
    return conflicts[place]?.includes(name) === true ? 'reported' : 'used'
  }
  if (name === 'mcp show' && place === 'hidden route') return 'used' // it makes the route a tool
  if (row?.alsoOf !== 'jsdoc') return 'reported'
  if (name === 'deprecated' && hasText.includes(place)) return 'used'
  const isOfMethods = ['param', 'returns', 'throws'].includes(name)
  if (place.includes('class')) return isOfMethods ? 'reported' : 'silent'
  const isRead = kinds[place]?.[0] === 'method' && place !== 'untagged method'
  return isRead && isOfMethods ? 'reported' : 'silent' // the samples say a status, which would be lost
}

t.test('every tag in every place is used, or reported at its token', async (t) => {
  t.strictSame(
    [...rows.keys()].filter((name) => writtenAs(name) === null),
    [],
    'each has a sample',
  )
  t.strictSame(
    Object.keys(samples).filter((name) => !rows.has(name)),
    [],
    'no sample is of another word',
  )
  const plain = new Map(cells.map((cell) => [plainText(cell), cell]))
  const without = compiled([...plain.values()], ({ text }) => text.replace('TAG', ''))
  t.strictSame(
    without.diagnostics.filter(({ severity }) => severity === 'error'),
    [],
    'no place is wrong by itself',
  )
  const tagged = compiled(cells, ({ name, id, text }) =>
    text.replace('TAG', (writtenAs(name) ?? '').replace('CELL', id)),
  )
  const [before, now] = [effects(without.model), effects(tagged.model)]
  const outcomes = cells.map((cell) => {
    const found = tagged.diagnostics.filter(({ at, code }) => at.file === fileOf(cell) && code !== 'ACM237')
    const isReported = found.some(({ at }) => `${at.line}:${at.column}` === placeOf(cell))
    const isUsed =
      before.get(plain.get(plainText(cell))?.id ?? '') !== now.get(cell.id) ||
      states[cell.name]?.(tagged.model, cell) === true
    return { cell, outcome: isReported ? 'reported' : isUsed ? 'used' : 'silent' }
  })
  const reported = outcomes.map(({ cell, outcome }) => `${cell.name} on ${cell.place}: ${outcome}`)
  t.strictSame(
    reported,
    cells.map((cell) => `${cell.name} on ${cell.place}: ${wanted(cell)}`),
  )
  t.ok(cells.length > 800 && outcomes.filter(({ outcome }) => outcome === 'used').length > 150)
})

/** What cannot be read stands on an abstract class that nobody extends, and on its methods: heirs would be wrong. */
const broken: Readonly<Record<string, readonly string[]>> = {
  class: [
    '@base no-path',
    '@skipFilter guard onyl=show',
    '@requireTls onyl=show',
    '@scope none',
    '@limit 60',
    '@approval none',
    '@timeout soon',
    '@audit lax',
    '@idempotencyKey none',
    '@icon ./lost.svg',
    '@mcp keywords ,',
    '@mcp budget x',
    '@mcp hidee',
    '@scop notes:read',
  ],
  method: [
    '@get no-path',
    '@filter befor',
    '@exception {Missing} 404',
    '@exception {NotFound} 999',
    '@produces text',
    '@consumes text',
    '@idempotencyKey none',
    '@complete id',
    '@approval',
    '@mcp rot',
    '@mcp keywords ,',
    '@limit 60',
    '@requireTls',
    '@skipFilter guard',
    '@base /notes',
  ],
}

const served = {
  'app/controllers/served.ts': `import { Controller } from 'acmcp'
export class Served extends Controller {
  /** Lists.
   * @get / */
  index(): void {}
}
`,
}

t.test(
  'what cannot be read on an abstract class is reported without heirs too, wherever it stands',
  async (t) => {
    const all = ['app/controllers', 'app'].flatMap((folder) =>
      Object.entries(broken).flatMap(([where, tags]) => tags.map((tag) => ({ folder, where, tag }))),
    )
    const fileAt = (index: number): string => `${all[index]?.folder}/case-${index}.ts`
    const texts = all.map(({ where, tag }, index): readonly [string, string] => {
      const members = where === 'class' ? route() : `${doc('Shows.', '', tag)}show(): void {}`
      const head = `export abstract class Case${index} extends Controller {`
      const text = `import { Controller, NotFound } from 'acmcp'\n${doc(where === 'class' ? tag : '')}${head}\n${members}\n}\n`
      return [fileAt(index), text.replace('RESULT', 'string').replace('VALUE', 'id')]
    })
    const { diagnostics } = compile(memoryHost({ ...Object.fromEntries(texts), ...served }))
    const silent = all.filter(({ tag }, index) => {
      const lines = (texts[index]?.[1] ?? '').split('\n')
      const line = lines.findIndex((text) => text.includes(tag)) + 1
      return !diagnostics.some(({ at }) => at.file === fileAt(index) && at.line === line)
    })
    t.strictSame(silent, [])
  },
)

const said = (file: string, text: string): readonly string[] =>
  compile(memoryHost({ ...served, [file]: text })).diagnostics.map(
    ({ code, severity, at, message, hint }) =>
      `${code} ${severity} ${at.line}:${at.column} ${message} | ${hint}`,
  )

t.test('a tag that would protect a route is an error where it protects nothing', async (t) => {
  const tagged = `import { Controller } from 'acmcp'
export class Notes extends Controller {
  /**
   * Shows.
   *
   * @get /
   * @requireTls
   */
  show(): void {}
}
`
  t.strictSame(said('app/controllers/notes.ts', tagged), [
    'ACM112 error 7:6 @requireTls on a method has no effect | Remove it, or move it: it may stand on a controller class or an abstract one for those that extend it.',
  ])
})

t.test('a misspelt word of @mcp on a class is told by the words that a class takes', async (t) => {
  const tagged =
    "import { Controller } from 'acmcp'\n/** @mcp hidee */\nexport class Notes extends Controller {\n/** @get / */\nshow(): void {} }\n"
  t.match(said('app/controllers/notes.ts', tagged), [
    "ACM113 error 2:10 @mcp: cannot read 'hidee' | Write one of these on a class: hide, keywords, skill, budget. Did you mean 'hide'?",
  ])
})

t.test('text of JSDoc on a class, which no document has, is a warning', async (t) => {
  const tagged =
    "import { Controller } from 'acmcp'\n/** @returns all */\nexport class Notes extends Controller {\n/** @get / */\nshow(): void {} }\n"
  t.match(said('app/controllers/notes.ts', tagged), [
    /^ACM155 warning 2:5 @returns on a class is in no document/,
  ])
})

t.test('a controller that serves nothing, and one with decorators alone, are warned of', async (t) => {
  const idle =
    "import { Controller } from 'acmcp'\nexport class Notes extends Controller {\nshow(): void {} }\n"
  t.match(said('app/controllers/notes.ts', idle), [
    /^ACM156 warning 2:14 the controller Notes serves nothing/,
  ])
  const decorated =
    "import { Controller as At, Get } from 'nest'\n@Controller('notes')\nexport class Notes {\n@Get()\nshow(): void {} }\n"
  t.match(said('app/controllers/notes.ts', decorated), [
    /^ACM157 warning 2:1 @Controller of Notes is a decorator/,
    /^ACM157 warning 4:1 @Get of Notes is a decorator/,
  ])
})
