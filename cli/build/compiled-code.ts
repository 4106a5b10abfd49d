/** Keeps what V8 compiled of large modules from one process to the next, where Node cannot by itself
 *  (`module.enableCompileCache`, 22.1): half of what it takes to load TypeScript is to compile its nine megabytes. */
import { createHash } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import module, { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { cachedDataVersionTag } from 'node:v8'
import { Script } from 'node:vm'
import { crc32 } from 'node:zlib'

/** Loads TypeScript before the compiler asks for it. */
export function loadTypeScript(): void {
  const { resolve } = createRequire(require.resolve('ts-morph'))
  loadCompiled(join(dirname(resolve('@ts-morph/common')), 'typescript.js'))
}

/** Loads the CommonJS module `file` into `require`'s cache; without an effect where that is not to be had. What this process
 *  compiles of it until its end, the next one finds. */
function loadCompiled(file: string): void {
  const folder = require.cache[file] === undefined && existsSync(file) ? cacheFolder() : null
  if (folder === null) return
  const tag = cachedDataVersionTag() // Node's version, V8's flags, the processor's features
  const kept = join(folder, `${nameOf(file, tag)}.bin`)
  const cachedData = keptIn(kept)
  const script = new Script(wrapped(readFileSync(file, 'utf8')), {
    filename: file,
    columnOffset: -head.length, // places in the first line too are those of the file
    ...(cachedData === null ? {} : { cachedData }),
  })
  if (script.cachedDataRejected !== false)
    process.once('exit', () => {
      if (cachedDataVersionTag() === tag) keep(kept, script.createCachedData())
    })
  run(script, file)
}

const require = createRequire(import.meta.url)

/** As Node wraps CommonJS modules. Source: Node.js, Modules, the module wrapper. */
const head = '(function (exports, require, module, __filename, __dirname) { '
const wrapped = (text: string): string => `${head}${text}\n})`

function run(script: Script, file: string): void {
  const own = createRequire(file)
  const loaded = new module.Module(file)
  loaded.filename = file
  require.cache[file] = loaded
  try {
    script.runInThisContext().call(loaded.exports, loaded.exports, own, loaded, file, dirname(file))
    loaded.loaded = true
  } catch (error) {
    delete require.cache[file]
    throw error
  }
}

/** Null where Node keeps compiled code itself, or nobody wants it kept. */
function cacheFolder(): string | null {
  const { NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE } = process.env
  if ('enableCompileCache' in module || NODE_DISABLE_COMPILE_CACHE !== undefined) return null
  const folder = join(NODE_COMPILE_CACHE ?? tmpdir(), `acmcp-compiled-${process.getuid?.() ?? ''}`)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return isOwn(folder) ? folder : null
  } catch {
    return null // it is read-only
  }
}

/** Whoever could write there could run code here. */
function isOwn(folder: string): boolean {
  const found = lstatSync(folder)
  const isPrivate =
    process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o022) === 0)
  return found.isDirectory() && isPrivate
}

function nameOf(file: string, tag: number): string {
  const { size, mtimeMs } = statSync(file)
  return createHash('sha256')
    .update(JSON.stringify([file, size, mtimeMs, tag, process.version]))
    .digest('hex')
}

/** What was kept, behind its checksum; null when it is not as it was kept. */
function keptIn(path: string): Buffer | null {
  try {
    const all = readFileSync(path)
    const bytes = all.subarray(checksumSize)
    return all.readUInt32LE(0) === crc32(bytes) ? bytes : null
  } catch {
    return null
  }
}

const checksumSize = 4

/** Another process may read or write it meanwhile. */
function keep(path: string, bytes: Buffer): void {
  const made = `${path}.${process.pid}`
  const checksum = Buffer.alloc(checksumSize)
  checksum.writeUInt32LE(crc32(bytes))
  try {
    writeFileSync(made, Buffer.concat([checksum, bytes]))
    renameSync(made, path)
  } catch {
    rmSync(made, { force: true }) // there is no room: the next process compiles again
  }
}
