/** The compiler's host over the real file system. */
import {
  type Dirent,
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { resolve, sep } from 'node:path'
import type { Host } from '../compiler/read/program/host.ts'
import type { Stamps } from './observations.ts'

/** A host whose root is `directory`. Links are followed; `null` stands for whatever cannot be read. */
export function diskHost(directory: string, now: () => number = Date.now): Host & Stamps {
  return {
    root: realFolder(resolve(directory)).split(sep).join('/'),
    readFile: (path) => contentOf(() => readFileSync(path, 'utf8')),
    readBytes: (path) => contentOf(() => readFileSync(path)),
    fileExists: isFile,
    directoryExists: (path) => statOf(path)?.isDirectory() === true,
    readDirectory: (path) => contentOf(() => entriesOf(path)) ?? [],
    realPath: (path) => (existsSync(path) ? realpathSync.native(path).split(sep).join('/') : path),
    stampOf: (path) => stampOf(path, now()),
  }
}

/** esbuild resolves symbolic links: real paths are compared. */
const realFolder = (path: string): string => (existsSync(path) ? realpathSync.native(path) : path)

const isFile = (path: string): boolean => statOf(path)?.isFile() === true

/** The clocks of file systems tick: a file may change twice within a tick (FAT: two seconds). */
const tickMs = 2000

/** What is another after every change of a file's text, as far as the file system tells: no program can set the time of the last
 *  change of a file, as they can that of its text. Source: git, Documentation/technical/racy-git. */
function stampOf(path: string, now: number): string | null {
  const found = statOf(path)
  if (found === null || found.ctimeMs > now - tickMs) return null
  const { dev, ino, size, mtimeMs, ctimeMs } = found
  return [dev, ino, size, mtimeMs, ctimeMs].join('/')
}

/** A path may also lead through a file (`base.json/package.json`, which TypeScript asks for) or come to itself. */
const absent = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP'])

const statOf = (path: string): Stats | null => contentOf(() => statSync(path))

/** A file that exists but may not be read is an error that the build reports: it is thrown. */
function contentOf<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof Error && 'code' in error && absent.has(String(error.code))) return null
    throw error
  }
}

function entriesOf(path: string): ReturnType<Host['readDirectory']> {
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const isDirectory = entry.isSymbolicLink() ? isDirectoryBehind(path, entry) : entry.isDirectory()
    return isDirectory === null ? [] : [{ name: entry.name, isDirectory }]
  })
}

function isDirectoryBehind(path: string, { name }: Dirent): boolean | null {
  return statOf(`${path}/${name}`)?.isDirectory() ?? null
}
