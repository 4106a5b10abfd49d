/** The compiler's host over the real file system. */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import type { Host } from '../compiler/read/host.ts'

/** A host whose root is `directory`. Links are followed; `null` stands for whatever cannot be read. */
export function diskHost(directory: string): Host {
  return {
    root: resolve(directory).split(sep).join('/'),
    readFile: (path) => (isFile(path) ? readFileSync(path, 'utf8') : null),
    fileExists: isFile,
    directoryExists: (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true,
    readDirectory: (path) => (existsSync(path) ? entriesOf(path) : []),
    realPath: (path) => (existsSync(path) ? realpathSync(path).split(sep).join('/') : path),
  }
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true

function entriesOf(path: string): ReturnType<Host['readDirectory']> {
  return readdirSync(path).flatMap((name) => {
    const found = statSync(`${path}/${name}`, { throwIfNoEntry: false })
    return found === undefined ? [] : [{ name, isDirectory: found.isDirectory() }]
  })
}
