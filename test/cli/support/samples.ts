/** The samples of the reference as applications: what they leave out is added, and the real declarations of the package. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { compile } from '../../../cli/compiler/compile.ts'
import type { Diagnostic } from '../../../cli/compiler/diagnostics/source-diagnostics.ts'
import { createSession } from '../../../cli/compiler/read/program/session.ts'
import { type Files, memoryHost } from './memory-host.ts'

/** What `acmcp` declares, by path: a file of declarations and those that it imports. */
function declared(path: string, files = new Map<string, string>()): ReadonlyMap<string, string> {
  if (files.has(path)) return files
  const text = readFileSync(path, 'utf8')
  files.set(path, text)
  for (const [, other = ''] of text.matchAll(/["'](\.{1,2}\/[^"']+)\.[jt]s["']/g))
    declared(join(dirname(path), `${other}.d.ts`), files)
  return files
}
const {
  exports: exported,
}: { readonly exports: Readonly<Record<string, string | { readonly types: string }>> } = JSON.parse(
  readFileSync('package.json', 'utf8'),
)
const entries = Object.values(exported).flatMap((item) =>
  typeof item === 'string' ? [] : [normalize(item.types)],
)
/** What zod declares: samples are read with it. */
const zod = readdirSync('node_modules/zod', { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.d\.ts$|^package\.json$/.test(path))
  .map((path) => [`node_modules/zod/${path}`, readFileSync(`node_modules/zod/${path}`, 'utf8')])
const packaged: Files = Object.fromEntries([
  ...zod,
  ...entries
    .flatMap((entry) => [...declared(entry)])
    .map(([path, text]) => [`node_modules/acmcp/${path}`, text]),
  ['node_modules/acmcp/package.json', readFileSync('package.json', 'utf8')],
  ['node_modules/acmcp/index.d.ts', ''],
])
const names = [...readFileSync('dist/runtime/index.d.ts', 'utf8').matchAll(/\{([^}]+)\}/g)]
  .flatMap(([, list = '']) => list.split(','))
  .map((name) => name.trim().replace(/^type /, ''))
  .filter((name) => name !== '')

/** A file begins with a line that is its path in a comment; what is before the first is the controller's. */
function filesOf(sample: string): Files {
  const parts = sample.split(/^\/\/ ((?:app|tsconfig)\S+)\n/m)
  const [before = '', ...rest] = parts
  const files = rest.flatMap((path, index) => (index % 2 === 0 ? [[path, rest[index + 1] ?? '']] : []))
  return Object.fromEntries(before.trim() === '' ? files : [['app/controllers/orders.ts', before], ...files])
}

/** With a class around members, and the imports that a sample leaves out. */
function whole([path, text]: [string, string]): [string, string] {
  if (!path.startsWith('app/controllers/') || !path.endsWith('.ts')) return [path, text]
  const file = /^(export |abstract |class |const |type |import )/m.test(text)
    ? text
    : `/** What customers order. */\nexport class Orders extends Controller {\n${text}\n}\n`
  return [path, file.includes("from 'acmcp'") ? file : `import { ${names.join(', ')} } from 'acmcp'\n${file}`]
}

const session = createSession()

const judge = (files: Files): readonly Diagnostic[] =>
  compile(memoryHost({ ...packaged, ...files }), { lint: true, session }).diagnostics

/** What the build says of a sample. */
export const judged = (sample: string): readonly Diagnostic[] =>
  judge(Object.fromEntries(Object.entries(filesOf(sample)).map(whole)))

/** What the build says of samples beside each other, in one application of all that are a controller alone: of those without a mistake.
 *  What is a mistake only because of another sample has to be judged again, by itself. */
export function judgedTogether(samples: readonly string[]): ReadonlyMap<string, readonly Diagnostic[]> {
  const files = new Map(
    samples.flatMap((sample, index) => {
      const [[path, text] = ['', ''], ...others] = Object.entries(filesOf(sample)).map(whole)
      const isAlone = path === 'app/controllers/orders.ts' && others.length === 0
      return isAlone ? [[`app/controllers/orders${index}.ts`, { sample, text: renamed(text, index) }]] : []
    }),
  )
  for (;;) {
    const found = judge(Object.fromEntries([...files].map(([path, { text }]) => [path, text])))
    const mistakes = found.filter(({ severity }) => severity === 'error')
    if (mistakes.length === 0)
      return new Map(
        [...files].map(([path, { sample }]) => [sample, found.filter(({ at }) => at.file === path)]),
      )
    if (!mistakes.map(({ at }) => files.delete(at.file)).includes(true)) return new Map()
  }
}

const renamed = (text: string, index: number): string => text.replace(/\bOrders\b/g, `Orders${index}`)
