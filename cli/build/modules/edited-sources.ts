/** The sources of one build whose text the bundle takes with edits, and what they say beside. */

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'
import type { Diagnostic } from '../../compiler/diagnostics/source-diagnostics.ts'
import { type BundledSource, bundledSource } from '../../compiler/read/modules/bundled-source.ts'
import { createMetadataReader } from '../../compiler/read/modules/decorator-metadata.ts'
import { editedText, placesModule } from '../../compiler/read/modules/edited-text.ts'
import type { Host } from '../../compiler/read/program/host.ts'

/** Looks at each source once. */
export class EditedSources {
  readonly #host: Host
  readonly #seen = new Map<string, BundledSource>()
  readonly #lostMetadata: (path: string) => readonly Diagnostic[]

  constructor(host: Host) {
    this.#host = host
    this.#lostMetadata = createMetadataReader(host)
  }

  /** `paths` are absolute. */
  look(paths: readonly string[]): void {
    for (const path of paths) {
      if (this.#seen.has(path)) continue
      const { edits, programs, diagnostics } = bundledSource(this.#host, path)
      const isForeign = path.includes('/node_modules/') // the application cannot change it
      const found = isForeign ? [] : [...diagnostics, ...this.#lostMetadata(path)]
      this.#seen.set(path, { edits, programs, diagnostics: found })
    }
  }

  /** Those that have edits. */
  get edited(): readonly string[] {
    return [...this.#seen].flatMap(([path, { edits }]) => (edits.length > 0 ? [path] : []))
  }

  /** Those that run as programs of their own. */
  get programs(): readonly string[] {
    return [...this.#seen.values()].flatMap(({ programs }) => programs)
  }

  get diagnostics(): readonly Diagnostic[] {
    return [...this.#seen.values()].flatMap(({ diagnostics }) => diagnostics)
  }

  /** The text of a source as the bundle takes it; undefined = as it is. */
  textOf(path: string): string | undefined {
    this.look([path])
    const { edits } = this.#seen.get(path) ?? { edits: [] }
    return edits.length === 0 ? undefined : editedText(path, this.#host.readFile(path) ?? '', edits)
  }
}

/** Beside this file, compiled. */
const sourceModuleFile = fileURLToPath(new URL('./source-module.js', import.meta.url))

/** Gives `paths` to esbuild as `textOf` has them. A plugin is asked through a pipe: for those alone. */
export function editing(
  paths: readonly string[],
  textOf: (path: string) => string | undefined,
): readonly Plugin[] {
  if (paths.length === 0) return []
  const filter = new RegExp(`^(?:${paths.map(literalPattern).join('|')})$`)
  const edited: Plugin = {
    name: 'acmcp-edited',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: new RegExp(`^${placesModule}$`) }, () => ({ path: 'module', namespace: 'acmcp' }))
      onLoad({ filter: /^module$/, namespace: 'acmcp' }, () => ({
        contents: readFileSync(sourceModuleFile, 'utf8'),
        loader: 'js',
      }))
      onLoad({ filter, namespace: 'file' }, ({ path }) => {
        const contents = textOf(path)
        return contents === undefined ? undefined : { contents, loader: /ts$/.test(path) ? 'ts' : 'default' }
      })
    },
  }
  return [edited]
}

/** As a regular expression. */
export const literalPattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
