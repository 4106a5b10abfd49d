/** `node dist/test/torture/type-cost.torture.js`: what the compiler costs above `tsc --noEmit` of the same program, each in a
 *  process of its own, for types that repeat themselves, grow, branch and never end: at most 2 s of CPU and 200 MB. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ts from 'typescript'
import { diskHost } from '../../cli/build/disk.ts'
import { compile } from '../../cli/compiler/compile.ts'
import { linkPackage } from '../support/linked.ts'

const maxMs = 2_000
const maxBytes = 200e6

const tree =
  'interface Tree { value: number; children: Tree[]; parent?: Tree; at: Date; m: Map<string, Tree> }\n'
const deep = 'type Deep<T> = { [K in keyof T]?: Deep<T[K]> }\n'
const chain = Array.from({ length: 400 }, (_, index) => `interface I${index} { n: I${(index + 1) % 400}[] }`)
const doubled = Array.from({ length: 30 }, (_, index) => `type D${index + 1} = Two<D${index}>`)

const cases: readonly (readonly [name: string, declarations: string])[] = [
  ['a plain type', 'type Subject = { a: string }'],
  ['a recursive type mapped by a recursive one', `${tree}${deep}type Subject = Deep<Omit<Tree, 'at' | 'm'>>`],
  ['the document of a browser, all optional', `${deep}type Subject = Deep<HTMLElement>`],
  ['lists in lists for ever', 'interface Grow<T> { v: T; next?: Grow<T[]> }\ntype Subject = Grow<string>'],
  [
    'objects in objects for ever',
    'type Grow<T> = { v: T; next?: Grow<{ in: T }> }\ntype Subject = Grow<string>',
  ],
  [
    'two ways to grow',
    'type Grow<T, U> = { v: T; u: U; a?: Grow<T[], U>; b?: Grow<T, U[]> }\ntype Subject = Grow<string, number>',
  ],
  [
    'a mapped type that doubles',
    'type G<T> = { [K in keyof T]: G<{ a: T[K]; b: T[K] }> }\ntype Subject = G<{ x: 1 }>',
  ],
  [
    'tuples for ever',
    "type T<A extends unknown[]> = { n: A['length']; more?: T<[...A, 1]> }\ntype Subject = T<[]>",
  ],
  ['400 types in a circle', `${chain.join('\n')}\ntype Subject = I0`],
  [
    'two to the power of 30 parts',
    `type Two<T> = { x: T; y: T; z: { lit: 1 } }\ntype D0 = { n: string }\n${doubled.join('\n')}\ntype Subject = Two<{ d: D30 }>`,
  ],
  [
    'two to the power of 28 parts without a name',
    'type Two<T> = { x: T; y: T }\ntype In<T> = Two<Two<Two<Two<T>>>>\ntype Subject = { d: In<In<In<In<In<In<In<{ a: 1 }>>>>>>> }',
  ],
  [
    'permutations',
    'interface P<A, B, C, D, E, F> { v: [A, B, C, D, E, F]; s?: P<B, A, C, D, E, F>; r?: P<B, C, D, E, F, A> }\ntype Subject = P<1, 2, 3, 4, 5, 6>',
  ],
  [
    'a deep reading of type-fest',
    `${tree}type Subject = import('type-fest').PartialDeep<Tree, { recurseIntoArrays: true }>`,
  ],
  [
    'zod, recursive',
    "import { z } from 'zod'\nconst C = z.object({ n: z.string(), get sub() { return z.array(C) } })\ntype Subject = z.infer<typeof C>",
  ],
]

interface Cost {
  readonly ms: number
  readonly bytes: number
  readonly errors: number
}

const options: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2023,
  strict: true,
  noEmit: true,
  skipLibCheck: true,
}

const errorsBy = {
  tsc: (root: string): number => {
    const program = ts.createProgram([`${root}/app/controllers/kinds.ts`, `${root}/app/config.ts`], options)
    return ts.getPreEmitDiagnostics(program).length
  },
  acmcp: (root: string): number =>
    compile(diskHost(root)).diagnostics.filter(({ severity }) => severity === 'error').length,
}

function costOf(by: keyof typeof errorsBy, root: string): Cost {
  const { stdout, stderr } = spawnSync(process.execPath, [import.meta.filename, by, root], {
    encoding: 'utf8',
  })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

function applicationOf(declarations: string): string {
  const root = mkdtempSync(join(tmpdir(), 'acmcp-cost-'))
  mkdirSync(join(root, 'app/controllers'), { recursive: true })
  linkPackage(root)
  for (const name of ['zod', 'type-fest'])
    symlinkSync(join(process.cwd(), 'node_modules', name), join(root, 'node_modules', name))
  writeFileSync(join(root, 'package.json'), '{"name":"shop","version":"1.0.0","type":"module"}')
  writeFileSync(join(root, 'app/config.ts'), 'export const config: object = {}\n')
  writeFileSync(
    join(root, 'app/controllers/kinds.ts'),
    `import { Controller } from 'acmcp'\n${declarations}\n/** Kinds. */\nexport class Kinds extends Controller {\n  /**\n   * Takes it.\n   *\n   * @post /\n   */\n  take(value: Subject): Subject { return value }\n}\n`,
  )
  return root
}

function judge([name, declarations]: readonly [string, string]): boolean {
  const root = applicationOf(declarations)
  const [tsc, own] = [costOf('tsc', root), costOf('acmcp', root)]
  rmSync(root, { recursive: true, force: true })
  const [ms, bytes] = [own.ms - tsc.ms, own.bytes - tsc.bytes]
  const isFine = ms <= maxMs && bytes <= maxBytes && tsc.errors === 0
  process.stdout.write(
    `types: ${isFine ? 'fine ' : 'WRONG'} ${name}: ${ms} ms and ${Math.round(bytes / 1e6)} MB above tsc (${tsc.ms} ms, ${Math.round(tsc.bytes / 1e6)} MB, ${tsc.errors} errors); ${own.errors} errors\n`,
  )
  return isFine
}

const [by, root = ''] = process.argv.slice(2)
if (by === 'tsc' || by === 'acmcp') {
  const errors = errorsBy[by](root)
  const { user, system } = process.cpuUsage()
  const bytes = process.resourceUsage().maxRSS * 1024
  process.stdout.write(JSON.stringify({ ms: Math.round((user + system) / 1000), bytes, errors }))
} else {
  process.exitCode = cases.map(judge).every((isFine) => isFine) ? 0 : 1
}
