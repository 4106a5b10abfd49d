/** JavaScript of CommonJS that sources import by a path: Node.js loads it by itself. It has `require`, `__dirname` and native modules
 *  beside it, which no bundle of ES modules keeps. */
import { dirname, posix, resolve } from 'node:path'
import type { Metafile } from 'esbuild'
import type { Redirect } from './left-imports.ts'

export interface CommonJsImport {
  readonly specifier: string
  /** See `importKey`. */
  readonly key: string
  readonly path: string
}

/** A specifier in a folder. */
export const importKey = (folder: string, specifier: string): string => `${folder}\0${specifier}`

/** The imports of such files that came into a bundle. */
export function commonJsImports(root: string, { inputs }: Metafile): readonly CommonJsImport[] {
  const isCommonJs = (path: string): boolean => inputs[path]?.format === 'cjs' && /\.c?js$/.test(path)
  return Object.entries(inputs).flatMap(([input, { imports }]) =>
    isCommonJs(input)
      ? []
      : imports.flatMap(({ path, original }) => {
          if (original === undefined || !isCommonJs(path)) return []
          const key = importKey(dirname(resolve(root, input)), original)
          return [{ specifier: original, key, path: resolve(root, path) }]
        }),
  )
}

/** The path by which the bundle names it. */
export const leftBeside = (root: string, path: string): Redirect => {
  const relative = posix.relative(`${root}/.acmcp`, path)
  return { path: relative, external: true }
}
