/** A full reading begins without the insides of packages. What it comes to must be what whole packages give. */
import t from 'tap'
import { type Compilation, compile } from '../../../cli/compiler/compile.ts'
import type { Host } from '../../../cli/compiler/read/program/host.ts'
import { loadCatalogue } from '../codecs/printed.ts'
import { type Files, memoryHost, notesWith } from '../support/memory-host.ts'

const settings = (options: object): Files => ({
  'tsconfig.json': JSON.stringify({
    compilerOptions: { lib: ['es2023'], module: 'nodenext', types: ['thing'], ...options },
  }),
})

/** A package of types, and the files it is made of. */
const thing = (files: Files): Files => ({
  'node_modules/@types/thing/package.json': '{"name":"@types/thing","types":"index.d.ts"}',
  ...Object.fromEntries(
    Object.entries(files).map(([path, text]) => [`node_modules/@types/thing/${path}`, text]),
  ),
})

const index = (text: string): Files => thing({ 'index.d.ts': text })

/** The name in a file that no program looks into, so that whole packages are read. */
const whole: Files = { 'app/whole.ts': `import 'nothing'\nexport const one = 1\n` }

const outcome = ({ reading, ...rest }: Compilation): object => ({
  ...rest,
  globals: reading.graph.globals,
  units: reading.units,
})

/** The application with a method that answers `type`, as a full reading and as whole packages give it. */
function bothOf(type: string, around: Files): readonly [Compilation, Compilation] {
  const notes = notesWith(
    `/**\n * Shows.\n *\n * @get /\n */\n  show(): { value: ${type} } { throw new Error() }`,
  )
  const files = { ...settings({}), ...notes, ...around }
  return [compile(memoryHost(files)), compile(memoryHost({ ...files, ...whole }))]
}

/** What the answer is made of, or the codes of what is wrong. */
const answerOf = ({ catalogue, diagnostics }: Compilation): string =>
  diagnostics.length > 0 ? diagnostics.map(({ code }) => code).join() : shapeOf(catalogue)

const shapeOf = (catalogue: string): string =>
  JSON.stringify(loadCatalogue(catalogue).tools[0]?.outputSchema?.properties?.value) ?? 'nothing'

const text = '{"type":"string"}'
const number = '{"type":"number"}'
const cases: readonly [name: string, type: string, around: Files, answer: string][] = [
  ['of a script', 'Stamp', index('interface Stamps {}\ndeclare type Stamp = number\n'), number],
  ['of a module', 'Stamp', index('export {}\ndeclare global { type Stamp = number }\n'), number],
  [
    'inside an ambient module',
    'Stamp',
    index(`/* } */ declare module "a" {\n  const brace: '}'\n  global { type Stamp = number } // {\n}\n`),
    number,
  ],
  ['of a namespace', 'Thing.Stamp', index('declare namespace Thing { type Stamp = number }\n'), number],
  [
    'of a module that is a namespace for scripts',
    'Thing.Stamp',
    index('export type Stamp = number\nexport as namespace Thing\n'),
    number,
  ],
  [
    'of a file that the package refers to',
    'Stamp',
    thing({
      'index.d.ts': '/** Types. */\n/// <reference path="inner.d.ts" />\n',
      'inner.d.ts': 'type Stamp = number\n',
    }),
    number,
  ],
  [
    'of a file that the package imports',
    'Stamp',
    thing({
      'index.d.ts': `export type T = import(/* here */ './inner.d.ts').T\n`,
      'inner.d.ts': 'export type T = 1\ndeclare global { type Stamp = number }\n',
    }),
    number,
  ],
  [
    'that the language has too',
    'ReturnType<typeof parseFloat>',
    index('declare function parseFloat(a: 1): string\n'),
    text,
  ],
  [
    'that adds to what the language has',
    "Intl.DateTimeFormatOptions['year2']",
    index('declare namespace Intl { interface DateTimeFormatOptions { year2: number } }\n'),
    number,
  ],
  [
    'in what acmcp declares',
    'Stamp',
    {
      ...index(`export {}\ndeclare module 'acmcp' { interface Extra { n: number } }\n`),
      ...notesWith(
        `/**\n * Shows.\n *\n * @get /\n */\n  show(): { value: Extra['n'] } { throw new Error() }`,
        'Controller, type Extra',
      ),
    },
    number,
  ],
]

t.test('a name that a package declares for all means what it means there', (t) => {
  for (const [name, type, around, answer] of cases) {
    const [light, all] = bothOf(type, around)
    t.equal(answerOf(light), answer, name)
    t.strictSame(outcome(light), outcome(all), `${name}: as with whole packages`)
  }
  t.end()
})

t.test('the application itself may declare for all, and name its types', (t) => {
  const own = {
    'declare global': { 'app/all.ts': 'export {}\ndeclare global { type Stamp = number }\n' },
    'a reference': { 'app/all.ts': '/// <reference types="other" />\nexport {}\n' },
  }
  const other: Files = {
    'node_modules/@types/other/package.json': '{"name":"@types/other","types":"index.d.ts"}',
    'node_modules/@types/other/index.d.ts': 'type Stamp = number\n',
  }
  for (const [name, files] of Object.entries(own)) {
    const [light, all] = bothOf('Stamp', { ...index('type Other = 1\n'), ...other, ...files })
    t.equal(answerOf(light), number, name)
    t.strictSame(outcome(light), outcome(all), `${name}: as with whole packages`)
  }
  t.end()
})

t.test('a type that acmcp takes from another package is that type', (t) => {
  const declared = memoryHost({}).readFile('/shop/node_modules/acmcp/index.d.ts') ?? ''
  const files: Files = {
    'node_modules/acmcp/index.d.ts': `import type { Table } from 'big'\nexport interface Row { n: Table }\n${declared}`,
    'node_modules/big/package.json': '{"name":"big","types":"index.d.ts"}',
    'node_modules/big/index.d.ts': 'export type Table = number\n',
    ...notesWith(
      `/**\n * Shows.\n *\n * @get /\n */\n  show(): { value: Row['n'] } { throw new Error() }`,
      'Controller, type Row',
    ),
  }
  const [light, all] = bothOf('string', { ...index(''), ...files })
  t.equal(answerOf(light), number)
  t.strictSame(outcome(light), outcome(all))
  t.end()
})

t.test('the files of packages are looked at, so that a later build sees when one changes', (t) => {
  const asked = new Set<string>()
  const files = {
    ...settings({}),
    ...notesWith('/**\n * Shows.\n *\n * @get /\n */\n  show(): number { return 1 }'),
  }
  const types = thing({ 'index.d.ts': `import './inner.d.ts'\n`, 'inner.d.ts': 'export type T = 1\n' })
  const host = memoryHost({ ...files, ...types })
  const spy: Host = { ...host, readFile: (path) => asked.add(path) && host.readFile(path) }
  t.strictSame(compile(spy).diagnostics, [])
  for (const path of Object.keys(types)) t.ok(asked.has(`/shop/${path}`), path)
  t.end()
})
