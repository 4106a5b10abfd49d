/** What the build refuses, with the place and what to write. */

interface Refused {
  readonly title: string
  readonly files: Readonly<Record<string, string>>
  /** `place: code message`, of each line that is told. */
  readonly told: readonly string[]
}

const unknown =
  'error ACM331 import() of a name that only the running program knows: the bundle has no module by that name'

export const refused: readonly Refused[] = [
  {
    title: 'import() of what nobody knows yet',
    files: {
      'app/config.ts': `const relative = './words/en.ts'
let changing = 'zod'
export const config = async (name: string, table: Record<string, string>) => [
  await import(name),
  await import(relative),
  await import(changing),
  await import(table.a),
  await import(name === '' ? 'zod' : name),
  await import('./words/' + name + '.js'),
  await import(\`\${name}/x\`),
]
`,
      'app/words/en.ts': 'export const word = 1\n',
    },
    told: [
      `app/config.ts:4:16 ${unknown}`,
      `app/config.ts:5:16 ${unknown}`,
      `app/config.ts:6:16 ${unknown}`,
      `app/config.ts:7:16 ${unknown}`,
      `app/config.ts:8:16 ${unknown}`,
      "app/config.ts:8:30 error ACM323 'zod' cannot be found: it is not installed",
      "app/config.ts:9:16 error ACM323 './words/**/*.js' cannot be found: there is no such file: for sources write their own extension, .ts",
      `app/config.ts:10:16 ${unknown}`,
    ],
  },
  {
    title: 'a program that is TypeScript, by a path of the working directory',
    files: {
      'app/work.ts': 'export {}\n',
      'app/config.ts': `import { Worker } from 'node:worker_threads'
import { fork } from 'node:child_process'
export const config = () => [new Worker('./app/work.ts'), fork('app/work.ts'), new Worker('./app/gone.mjs')]
`,
    },
    told: [
      "app/config.ts:3:41 error ACM332 './app/work.ts' is TypeScript, and the program that it is to be is found by a path of the working directory",
      "app/config.ts:3:64 error ACM332 'app/work.ts' is TypeScript, and the program that it is to be is found by a path of the working directory",
    ],
  },
  {
    title: 'names of CommonJS in an ES module',
    files: {
      'app/config.ts': `declare const module: { exports: unknown }
export const config = () => [
  require.main === module,
  require.resolve('zod'),
  require('zod'),
  typeof exports === 'object' ? exports : 1,
  ((module: string) => module)('bound'),
  { require },
]
module.exports = 1
`,
    },
    told: [
      'app/config.ts:3:3 error ACM336 require.main is of CommonJS: an ES module has none',
      'app/config.ts:3:20 error ACM336 module is of CommonJS: an ES module has none',
      'app/config.ts:4:3 error ACM336 require.resolve is of CommonJS: an ES module has none',
      "app/config.ts:5:11 error ACM325 require('zod') cannot be bundled: the bundle is an ES module, which has no require",
      'app/config.ts:8:5 error ACM336 require is of CommonJS: an ES module has none',
      'app/config.ts:10:1 error ACM336 module.exports is of CommonJS: an ES module has none',
    ],
  },
  {
    title: 'files that are no modules',
    files: {
      'app/q.sql': 'select 1',
      'app/x.node': '',
      'app/m.wasm': '',
      'app/config.ts': `import sql from './q.sql'
import native from './x.node'
import wasm from "./m.wasm"
export const config = () => [sql, native, wasm]
`,
    },
    told: [
      `app/config.ts:1:17 error ACM335 './q.sql' is no module that Node.js imports`,
      `app/config.ts:2:20 error ACM335 './x.node' is no module that Node.js imports`,
      `app/config.ts:3:18 error ACM335 './m.wasm' is no module that Node.js imports`,
    ],
  },
  {
    title: 'names that another source does not export',
    files: {
      'app/other.ts': 'export const there = 1\n',
      'app/plain.js': 'export const there = 1\n',
      'app/config.ts': `import { gone, there } from './other.ts'
import { lost } from './plain.js'
export const config = () => [gone, there, lost]
`,
    },
    told: [
      'app/config.ts:1:10 error ACM301 No matching export in "app/other.ts" for import "gone"',
      'app/config.ts:2:10 error ACM301 No matching export in "app/plain.js" for import "lost"',
    ],
  },
  {
    title: 'metadata of decorators',
    files: {
      'tsconfig.json': '{"extends":"./base.json"}',
      'base.json': '{"compilerOptions":{"experimentalDecorators":true,"emitDecoratorMetadata":true}}',
      'app/words.ts': `/**
 * Not one.
 *
 * @get /
 */
declare const Column: any, Inject: any, Table: any
@Table() export class Bare { plain = 1 }
@Table()
export class Constructed { constructor(readonly a: string) {} }
export class Row {
  @Column() name = ''
  @Column({ type: 'int' }) age = 1
}
export class Made { run(@Inject('x') _value: string) {} }
`,
      'app/config.ts': "export * from './words.ts'\nexport const config = () => 1\n",
    },
    told: [
      'app/words.ts:8:1 error ACM333 "emitDecoratorMetadata" of tsconfig.json is on, but the bundle has no metadata for @Table',
      'app/words.ts:11:3 error ACM333 "emitDecoratorMetadata" of tsconfig.json is on, but the bundle has no metadata for @Column',
      'app/words.ts:14:25 error ACM333 "emitDecoratorMetadata" of tsconfig.json is on, but the bundle has no metadata for @Inject',
    ],
  },
]
