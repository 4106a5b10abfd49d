/** What `files` and `include` of tsconfig.json declare for others counts, as it does for `tsc`. */
import t from 'tap'
import { compile } from '../../../cli/compiler/compile.ts'
import { method } from '../support/judge.ts'
import { type Files, memoryHost } from '../support/memory-host.ts'

t.setTimeout(120_000)

const controller = `import { Conflict, Controller } from 'acmcp'
import type { Order } from '../order.ts'
/** Orders. */
export class Orders extends Controller {
${method('@get /', "show(): { order: Order; error: Pick<Conflict, 'reason'>; shared: Shared } { throw new Error() }")}
}
`
const sources: Files = {
  'app/order.ts': 'export interface Order { id: string }\n',
  'app/controllers/orders.ts': controller,
}

const augmented = `declare module '../app/order.ts' { interface Order { total: number } }\n`
const ofPackage = `declare module 'acmcp' { interface Conflict { reason: string } }\n`
const module = 'export {}\n'
const global = 'interface Shared { tag: string }\n'

const compilerOptions = {
  module: 'nodenext',
  target: 'es2023',
  lib: ['es2023'],
  types: [],
  allowImportingTsExtensions: true,
  noEmit: true,
}

const packages: Files = {
  'node_modules/more/package.json': '{"name":"more","version":"1.0.0","types":"./index.d.ts"}',
  'node_modules/more/index.d.ts': `export declare const more: number\n${augmented.replace('../app', '../../app')}${ofPackage}`,
  'node_modules/@x/global/package.json': '{"name":"@x/global","version":"1.0.0","types":"./d.d.ts"}',
  'node_modules/@x/global/d.d.ts': `export declare const tag: string\ndeclare global { ${global} }\n`,
}

/** How each of the three is declared. */
const ways: readonly (readonly [name: string, tsconfig: object, files: Files])[] = [
  [
    'declarations of include',
    { include: ['app', 'types'] },
    {
      'types/more.d.ts': module + augmented,
      'types/acmcp.d.ts': module + ofPackage,
      'types/global.d.ts': global,
    },
  ],
  [
    'files',
    { files: ['types/more.ts', 'types/acmcp.d.ts', 'types/global.d.ts'] },
    {
      'types/more.ts': module + augmented,
      'types/acmcp.d.ts': module + ofPackage,
      'types/global.d.ts': global,
    },
  ],
  [
    'sources of include, and declare global',
    { include: ['app/**/*', 'src/**/*'] },
    {
      'src/deep/more.ts': `export const a = 1\n${augmented.replace('../app', '../../app')}`,
      'src/acmcp.ts': `import 'acmcp'\n${ofPackage}`,
      'src/global.mts': `export const b = 2\ndeclare global { ${global} }\n`,
    },
  ],
  [
    'what tsconfig.json extends',
    { extends: './config/base.json' },
    {
      'config/base.json': '{ "include": ["../types/*.d.ts", "../app"] }',
      'types/more.d.ts': module + augmented,
      'types/acmcp.d.ts': module + ofPackage,
      'types/global.d.ts': global,
    },
  ],
  [
    'all files, where tsconfig.json names none',
    {},
    {
      'more.d.ts': module + augmented.replace('../app', './app'),
      'x/acmcp.d.ts': module + ofPackage,
      'y/global.d.ts': global,
    },
  ],
  [
    'what an included file imports',
    { include: ['app', 'setup.ts'] },
    {
      'setup.ts': `import './types/more.ts'\nimport './types/acmcp.js'\nimport './types/global.js'\nexport const setUp = true\n`,
      'types/more.ts': module + augmented,
      'types/acmcp.d.ts': module + ofPackage,
      'types/global.d.ts': `export {}\ndeclare global { ${global} }\n`,
    },
  ],
  [
    'packages that an included file imports for what they declare, or that types names',
    { include: ['app', 'test'], compilerOptions: { ...compilerOptions, types: ['@x/global'] } },
    { ...packages, 'test/a.test.ts': `import 'more'\nimport { more } from 'more'\nexport const a = more\n` },
  ],
]

const compiled = (tsconfig: object, files: Files): ReturnType<typeof compile> =>
  compile(
    memoryHost({
      ...sources,
      ...files,
      'tsconfig.json': JSON.stringify({ compilerOptions, ...tsconfig }),
    }),
  )

for (const [name, tsconfig, files] of ways) {
  t.test(`the program is that of tsc -p .: ${name}`, async (t) => {
    const { diagnostics, model } = compiled(tsconfig, files)
    t.strictSame(diagnostics, [])
    const text = JSON.stringify([model.schemas, model.controllers[0]?.actions[0]?.results])
    t.match(text, /"name":"total"/)
    t.match(text, /"name":"reason"/)
    t.match(text, /"name":"tag"/)
  })
}

t.test('what tsconfig.json leaves out, and tests that only hold such sources, say nothing', async (t) => {
  const { diagnostics } = compiled(
    { include: ['app', 'test', 'types'], exclude: ['types/old'] },
    {
      'types/old/global.d.ts': global,
      'test/a.ts': `import type {} from 'acmcp'\nexport const text = \`\ndeclare global { ${global} }\n\`\n`,
      'other/global.d.ts': global,
    },
  )
  t.strictSame(
    diagnostics.map(({ code, message }) => `${code} ${message}`),
    ["ACM144 Orders.show().shared: cannot find the type 'Shared'"],
  )
})

t.test(
  'of a package that an included file only takes values from the build says what is missing',
  async (t) => {
    const files = {
      ...packages,
      'test/a.test.ts': `import { more } from 'more'\nimport { tag } from '@x/global'\nexport const a = [more, tag]\n`,
    }
    const { diagnostics, model } = compiled({ include: ['app', 'test'] }, files)
    t.strictSame(
      diagnostics.map(({ code, message }) => `${code} ${message}`),
      ["ACM144 Orders.show().shared: cannot find the type 'Shared'"],
    )
    t.notMatch(JSON.stringify(model.schemas), /"name":"total"/) // development logs what an answer has beyond its type
  },
)
