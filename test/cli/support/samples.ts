/** The samples of the reference as applications: what they leave out is added, and the real declarations of the package. */
import { readdirSync, readFileSync } from 'node:fs'
import { compile } from '../../../cli/compiler/compile.ts'
import type { Diagnostic } from '../../../cli/compiler/diagnostics/source-diagnostics.ts'
import { createSession } from '../../../cli/compiler/read/program/session.ts'
import { type Files, memoryHost } from './memory-host.ts'

const declarations = readdirSync('dist/runtime', { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.d.ts'),
)
const packaged: Files = Object.fromEntries([
  ...declarations.map((path) => [
    `node_modules/acmcp/dist/runtime/${path}`,
    readFileSync(`dist/runtime/${path}`, 'utf8'),
  ]),
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
    : `/** Orders. */\nexport class Orders extends Controller {\n${text}\n}\n`
  return [path, file.includes("from 'acmcp'") ? file : `import { ${names.join(', ')} } from 'acmcp'\n${file}`]
}

const session = createSession()

/** What the build says of a sample. */
export function judged(sample: string): readonly Diagnostic[] {
  const files = Object.fromEntries(Object.entries(filesOf(sample)).map(whole))
  return compile(memoryHost({ ...packaged, ...files }), { lint: true, session }).diagnostics
}
