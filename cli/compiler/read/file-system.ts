/** Lets ts-morph see the host's files, and nothing else: every write is refused. */
import type { FileSystemHost, RuntimeDirEntry } from 'ts-morph'
import type { Host } from './host.ts'

/** A ts-morph file system over `host`. Its writing methods throw: the compiler writes nothing. */
export function fileSystemOf(host: Host): FileSystemHost {
  const readFileSync = (path: string): string => {
    const text = host.readFile(path)
    if (text === null) throw Object.assign(new Error(`no such file: ${path}`), { code: 'ENOENT' })
    return text
  }
  return {
    isCaseSensitive: () => true,
    readDirSync: (path) => host.readDirectory(path).map((entry) => toEntry(path, entry)),
    readFile: async (path) => readFileSync(path),
    readFileSync,
    fileExists: async (path) => host.fileExists(path),
    fileExistsSync: (path) => host.fileExists(path),
    directoryExists: async (path) => host.directoryExists(path),
    directoryExistsSync: (path) => host.directoryExists(path),
    realpathSync: (path) => host.realPath(path),
    getCurrentDirectory: () => host.root,
    glob: async () => [],
    globSync: () => [],
    delete: refuse,
    deleteSync: refuse,
    writeFile: refuse,
    writeFileSync: refuse,
    mkdir: refuse,
    mkdirSync: refuse,
    move: refuse,
    moveSync: refuse,
    copy: refuse,
    copySync: refuse,
  }
}

function toEntry(directory: string, entry: { name: string; isDirectory: boolean }): RuntimeDirEntry {
  const { name, isDirectory } = entry
  return { name: `${directory}/${name}`, isFile: !isDirectory, isDirectory, isSymlink: false }
}

function refuse(): never {
  throw new Error('the compiler writes nothing')
}
