/** Which declarations come with the language and with Node.js: the standard library, and `@types/node` however a package manager
 *  lays it out (yarn's pnpm linker keeps it under `node_modules/.store/@types-node-…/package`). */
import { posix } from 'node:path'
import { memoizeBy } from '../../cache/memoize.ts'
import type { Host } from './host.ts'
import { ts } from './typescript.ts'

interface Read {
  readonly host: Host
  readonly program: ts.Program
}

/** Whether `symbol` is declared by the standard library (or Node's types). */
export function isLibrary({ host, program }: Read, symbol: ts.Symbol): boolean {
  const file = symbol.declarations?.[0]?.getSourceFile()
  if (file === undefined || !file.isDeclarationFile) return false
  return program.isSourceFileDefaultLibrary(file) || isOfNode(host, file.fileName)
}

/** Whether `type` is declared by the standard library (or Node's types). */
export function isLibraryType(source: Read, type: ts.Type): boolean {
  const symbol = type.getSymbol()
  return symbol !== undefined && !(symbol.flags & ts.SymbolFlags.TypeLiteral) && isLibrary(source, symbol)
}

/** Whether a declaration file belongs to `@types/node`. */
export function isOfNode(host: Host, path: string): boolean {
  if (path.includes('/node_modules/@types/node/')) return true
  if (!/types[-+]node/.test(path)) return false // in each layout the folder tells the package
  return nameOfPackage(host, posix.dirname(path)) === '@types/node'
}

/** The name in the nearest package.json. */
const nameOfPackage = memoizeBy((host: Host, folder: string): unknown => {
  for (let above = folder; above !== '/' && above !== '.'; above = posix.dirname(above)) {
    const text = host.readFile(`${above}/package.json`)
    const name = text === null ? undefined : nameIn(text)
    if (name !== undefined) return name
  }
  return null
})

function nameIn(text: string): unknown {
  try {
    const manifest: unknown = JSON.parse(text)
    return typeof manifest === 'object' && manifest !== null && 'name' in manifest ? manifest.name : undefined
  } catch {
    return undefined
  }
}
