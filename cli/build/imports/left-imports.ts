/** The imports that a bundle leaves to Node.js. One rule: TypeScript is bundled wherever it lies, JavaScript that is imported by
 *  a package's name is not. */
import { dirname, posix } from 'node:path'
import type { Metafile } from 'esbuild'
import { noModule } from '../../compiler/diagnostics/import-diagnostics.ts'
import type { Diagnostic } from '../../compiler/diagnostics/source-diagnostics.ts'
import type { Host } from '../../compiler/read/program/host.ts'
import { importPlace } from '../../compiler/read/program/import-places.ts'
import {
  createResolver,
  type FoundModule,
  type Resolver,
  whyMissing,
} from '../../compiler/read/program/package-files.ts'
import { noRequire, peerMissing } from '../build-diagnostics.ts'

/** Where esbuild is to find an import; null = it leaves the import as it is. */
export interface Redirect {
  readonly path: string
  readonly external: boolean
}

/** What a build knows of packages. */
export interface Packages {
  readonly host: Host
  readonly resolve: Resolver
}

export const packagesOf = (host: Host, conditions: readonly string[]): Packages => ({
  host,
  resolve: createResolver(host, conditions),
})

/** The application has one copy of it in its process, for all importers. */
const isOurs = (specifier: string): boolean => specifier === 'acmcp' || specifier.startsWith('acmcp/')

/** Where an import in a file in `folder` leads if it is not to stay as written: TypeScript comes into the bundle, and what only
 *  another package has installed is named by its place. */
export function redirectOf({ host, resolve }: Packages, specifier: string, folder: string): Redirect | null {
  if (isOurs(specifier)) return null
  const found = resolve(specifier, folder)
  if (found.kind !== 'file') return null
  if (found.isTypeScript) return { path: found.real, external: false }
  if (isBelow(host.root, folder)) return null
  const own = resolve(specifier, host.root)
  if (own.kind === 'file' && own.real === found.real) return null
  return { path: posix.relative(`${host.root}/.acmcp`, found.path), external: true }
}

const isBelow = (root: string, folder: string): boolean => folder === root || folder.startsWith(`${root}/`)

/** An import that is left in the bundle, and the file that has it. */
export interface LeftImport {
  readonly file: string
  readonly specifier: string
  readonly kind: string
}

/** What Node.js has to find when it loads the bundle; not what `entry`, which is ours, imports. */
export function leftImports(
  { inputs, outputs }: Metafile,
  root: string,
  entry: string,
): readonly LeftImport[] {
  const left = new Set(
    Object.values(outputs).flatMap(({ imports }) => imports.map(({ path, kind }) => `${kind} ${path}`)),
  )
  return Object.entries(inputs).flatMap(([input, { imports }]) =>
    imports.flatMap(({ path, kind, external }) =>
      external === true && input !== entry && left.has(`${kind} ${path}`)
        ? [{ file: posix.resolve(root, input), specifier: path, kind }]
        : [],
    ),
  )
}

/** Imports that Node.js would not find, at their places: errors, but for `import()` in a `try`. */
export function unresolved(packages: Packages, left: readonly LeftImport[]): readonly Diagnostic[] {
  return left.flatMap((leftImport) => {
    const isRequire = leftImport.kind.startsWith('require')
    const found = isRequire ? null : foundBy(packages, leftImport)
    if (found !== null && found.kind !== 'missing') return []
    const { at, isTried } = importPlace(packages.host, leftImport.file, leftImport)
    if (found === null) return isTried ? [] : [noRequire(at, `'${leftImport.specifier}'`)]
    const report = isTried && leftImport.kind === 'dynamic-import' ? peerMissing : noModule
    return [report(at, leftImport.specifier, whyMissing(packages.host, leftImport, found))]
  })
}

/** A path of a redirect is there. */
function foundBy({ host, resolve }: Packages, { file, specifier }: LeftImport): FoundModule {
  if (!specifier.startsWith('.')) {
    const there = resolve(specifier, dirname(file))
    return there.kind === 'missing' ? resolve(specifier, host.root) : there
  }
  const path = [`${host.root}/.acmcp`, dirname(file)]
    .map((folder) => posix.resolve(folder, specifier))
    .find((text) => host.fileExists(text))
  if (path === undefined)
    return { kind: 'missing', folder: null, file: posix.resolve(dirname(file), specifier) }
  return { kind: 'file', path, real: path, isTypeScript: false }
}
