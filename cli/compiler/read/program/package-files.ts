/** Where an import by a package's name leads when Node.js runs it, and TypeScript where a package names it: Node.js' own way
 *  through `node_modules` and `exports`. Source: Node.js, Modules: ECMAScript modules, Resolution Algorithm Specification. */
import { isBuiltin } from 'node:module'
import { type Host, pathFrom } from './host.ts'

export type FoundModule =
  | { readonly kind: 'builtin' }
  /** `path` goes through `node_modules`, `real` is where the file lies. */
  | { readonly kind: 'file'; readonly path: string; readonly real: string; readonly isTypeScript: boolean }
  /** `folder` is that of the package; null = there is none of that name. */
  | { readonly kind: 'missing'; readonly folder: string | null; readonly file: string | null }

/** What `specifier`, no relative path, is for a file in `folder`. */
export type Resolver = (specifier: string, folder: string) => FoundModule

/** A resolver that looks a thing up once. `custom` are conditions of `exports` that hold beside Node's own where they lead to
 *  TypeScript: those of tsconfig.json. */
export function createResolver(host: Host, custom: readonly string[]): Resolver {
  const known = new Map<string, FoundModule>()
  return (specifier, folder) => {
    const key = `${specifier}\0${folder}`
    const before = known.get(key)
    if (before !== undefined) return before
    const found = resolveWith(host, custom, { specifier, folder })
    known.set(key, found)
    return found
  }
}

/** Why a module is not there, as the end of a sentence; `file` imports it. */
export function whyMissing(
  { root }: Host,
  { specifier, file }: { readonly specifier: string; readonly file: string },
  { folder, file: wanted }: Extract<FoundModule, { readonly kind: 'missing' }>,
): string {
  if (specifier.startsWith('node:')) return `Node.js ${process.version} has no such module`
  if (wanted !== null) return `there is no ${pathFrom(root, wanted)}`
  if (folder !== null) return `${pathFrom(root, folder)}/package.json does not export it`
  return `it is not installed${file.startsWith(`${root}/`) ? '' : ` for ${pathFrom(root, file)}`}`
}

interface Import {
  readonly specifier: string
  readonly folder: string
}

function resolveWith(host: Host, custom: readonly string[], wanted: Import): FoundModule {
  const { specifier } = wanted
  if (isBuiltin(specifier) || /^(data|file):/.test(specifier)) return { kind: 'builtin' }
  const [, name = '', rest = ''] = /^(@[^/]+\/[^/]+|[^/@:][^/:]*)(\/.*)?$/.exec(specifier) ?? []
  const folder = name === '' ? null : packageFolder(host, wanted.folder, name)
  if (folder === null) return { kind: 'missing', folder: null, file: null }
  const manifest = manifestIn(host, folder)
  const look = (conditions: readonly string[]): FoundModule =>
    fileIn(host, { folder, manifest, subpath: `.${rest}`, conditions: new Set([...node, ...conditions]) })
  const found = custom.length === 0 ? null : look(custom)
  return found?.kind === 'file' && found.isTypeScript ? found : look([])
}

const node: readonly string[] = ['node', 'import', 'module-sync']

type Manifest = Readonly<Record<string, unknown>>

/** The folder of a package as a file in `from` sees it: itself, or one in a `node_modules` above; null = there is none. */
function packageFolder(host: Host, from: string, name: string): string | null {
  const own = ownFolder(host, from)
  if (own !== null) {
    const { name: ownName, exports } = manifestIn(host, own)
    if (ownName === name && exports !== undefined) return own
  }
  for (let folder = from; folder !== ''; folder = above(folder)) {
    const there = `${folder}/node_modules/${name}`
    if (!folder.endsWith('/node_modules') && host.directoryExists(there)) return there
  }
  return null
}

/** The folder of the package that a file in `folder` belongs to. */
function ownFolder(host: Host, folder: string): string | null {
  for (let text = folder; text !== '' && !text.endsWith('/node_modules'); text = above(text)) {
    if (host.fileExists(`${text}/package.json`)) return text
  }
  return null
}

const above = (folder: string): string => folder.slice(0, Math.max(folder.lastIndexOf('/'), 0))

function manifestIn(host: Host, folder: string): Manifest {
  try {
    const value: unknown = JSON.parse(host.readFile(`${folder}/package.json`) ?? '{}')
    return isObject(value) ? value : {}
  } catch {
    return {} // its reader reports the error
  }
}

interface Sought {
  readonly folder: string
  readonly manifest: Manifest
  readonly subpath: string
  readonly conditions: ReadonlySet<string>
}

function fileIn(host: Host, { folder, manifest, subpath, conditions }: Sought): FoundModule {
  const { exports, main } = manifest
  const isOpen = exports === undefined || exports === null
  const named = isOpen ? null : exported(exports, subpath, conditions)
  const wanted = isOpen ? openNames(subpath, main) : named === null ? [] : [named]
  const paths = wanted.map((text) => `${folder}/${text.replace(/^\.\//, '')}`)
  const path = paths.flatMap(sourcesOf).find((text) => host.fileExists(text))
  if (path === undefined) return { kind: 'missing', folder, file: paths[0] ?? null }
  return { kind: 'file', path, real: host.realPath(path), isTypeScript: isTypeScript(path) }
}

/** Names to look for in a package that exports whatever it has. */
function openNames(subpath: string, main: unknown): readonly string[] {
  if (subpath !== '.') return [subpath, `${subpath}.ts`, `${subpath}/index.ts`]
  const entry = typeof main === 'string' && main !== '' ? main.replace(/\/$/, '') : null
  const named = entry === null ? [] : [entry, `${entry}.js`, `${entry}/index.js`]
  return [...named, 'index.js', 'index.ts']
}

/** A JavaScript file, or the TypeScript that it would be made of. */
function sourcesOf(path: string): readonly string[] {
  if (!/\.[cm]?jsx?$/.test(path)) return [path]
  return [
    path,
    path.replace(/js(x?)$/, 'ts$1'),
    ...(path.endsWith('.js') ? [path.replace(/js$/, 'tsx')] : []),
  ]
}

const isTypeScript = (path: string): boolean => /\.([cm]?ts|tsx)$/.test(path) && !/\.d\.[cm]?ts$/.test(path)

/** What `exports` says of a subpath; null = it is not exported. */
function exported(exports: unknown, subpath: string, conditions: ReadonlySet<string>): string | null {
  const hasPaths = isObject(exports) && Object.keys(exports).some((key) => key.startsWith('.'))
  const table: Manifest = hasPaths ? exports : { '.': exports }
  if (Object.hasOwn(table, subpath)) return targetOf(table[subpath], conditions, '') ?? null
  const patterns = Object.keys(table).filter((key) => key.split('*').length === 2)
  const fitting = patterns.flatMap((key) => {
    const [before = '', behind = ''] = key.split('*')
    const isLongEnough = subpath.length >= before.length + behind.length
    return isLongEnough && subpath.startsWith(before) && subpath.endsWith(behind)
      ? [{ key, before, behind }]
      : []
  })
  const [best] = fitting.sort((a, b) => b.before.length - a.before.length || b.key.length - a.key.length)
  if (best === undefined) return null
  const star = subpath.slice(best.before.length, subpath.length - best.behind.length)
  return targetOf(table[best.key], conditions, star) ?? null
}

/** null = it says that there is nothing, undefined = it says nothing. */
function targetOf(value: unknown, conditions: ReadonlySet<string>, star: string): string | null | undefined {
  if (typeof value === 'string') return value.replaceAll('*', star)
  if (value === null) return null
  if (Array.isArray(value)) {
    const all: readonly unknown[] = value
    return all.map((item) => targetOf(item, conditions, star)).find((item) => typeof item === 'string')
  }
  if (!isObject(value)) return undefined
  for (const [condition, target] of Object.entries(value)) {
    const found =
      condition === 'default' || conditions.has(condition) ? targetOf(target, conditions, star) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

const isObject = (value: unknown): value is Manifest =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
