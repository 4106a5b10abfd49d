/** Everything that the compiler may know of the world: files, read-only. Paths are absolute, with forward slashes. */
import { posix } from 'node:path'

/** Files, read-only. */
export interface Host {
  /** The application's directory, which holds `package.json`, `app/` and `generated/`. */
  readonly root: string
  /** The text of a file, or null when there is none. */
  readFile(path: string): string | null
  /** The bytes of a file, or null when there is none. */
  readBytes(path: string): Uint8Array | null
  /** The digest of a file's text where it is known without reading; null where it is not. */
  readonly digestOf?: (path: string) => string | null
  fileExists(path: string): boolean
  directoryExists(path: string): boolean
  /** The entries of a directory, in any order; none when there is no such directory. */
  readDirectory(path: string): readonly { readonly name: string; readonly isDirectory: boolean }[]
  /** The path with symbolic links followed. */
  realPath(path: string): string
  /** As `modulesIn` and `mayDeclareForOthers` below say of a directory and a file, where the caller keeps no more of the answer. */
  readonly modulesIn?: (path: string) => ReturnType<Host['readDirectory']>
  readonly mayDeclareForOthers?: (path: string) => boolean
}

/** The directories in a directory, and the files that TypeScript may include. */
export const modulesIn = (host: Host, path: string): ReturnType<Host['readDirectory']> =>
  host.modulesIn?.(path) ??
  host.readDirectory(path).filter((entry) => isModuleEntry(entry) && !isOfBuild(host, path, entry))

/** What a build makes beside the application is there for the next one alone. */
const isOfBuild = ({ root }: Host, path: string, { name }: { readonly name: string }): boolean =>
  path === root && name === 'generated'

const isModuleEntry = ({ name, isDirectory }: ReturnType<Host['readDirectory']>[number]): boolean =>
  isDirectory ? !/^\.|^node_modules$/.test(name) : /\.[mc]?tsx?$/.test(name)

/** Whether a file may say something about files that do not import it: it declares modules or globals, imports what does, or is no
 *  module. */
export function mayDeclareForOthers(host: Host, path: string): boolean {
  const known = host.mayDeclareForOthers?.(path)
  if (known !== undefined) return known
  const text = host.readFile(path) ?? ''
  return (
    /^[ \t]*(?:export[ \t]+)?declare[ \t]+(?:global|module)\b|^import[ \t]*['"]/m.test(text) ||
    !/^[ \t]*(?:import|export)\b/m.test(text)
  )
}

/** A path relative to `root`, also of a file outside of it. */
export const pathFrom = (root: string, path: string): string =>
  path.startsWith(`${root}/`) ? path.slice(root.length + 1) : posix.relative(root, path)

/** Orders texts by code unit: total, and the same on every machine and in every locale. */
export function byText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** The files below `directory` whose name passes `wanted`, sorted. */
export function filesBelow(
  host: Host,
  directory: string,
  wanted: (name: string) => boolean,
): readonly string[] {
  return host
    .readDirectory(directory)
    .flatMap(({ name, isDirectory }) => {
      const path = `${directory}/${name}`
      if (isDirectory) return name === 'node_modules' ? [] : filesBelow(host, path, wanted)
      return wanted(name) ? [path] : []
    })
    .sort(byText)
}

/** The application's own sources, sorted. */
export const sourceFiles = (host: Host): readonly string[] =>
  filesBelow(host, `${host.root}/app`, (name) => /\.m?ts$/.test(name))
