/** The files that `acmcp init` copies, `templates/project/`: what every application has (`both`), and one application. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What `--example` may name, the first one by default. */
export const exampleNames = ['notes', 'desk'] as const

export type ExampleName = (typeof exampleNames)[number]

export type Variant = ExampleName | 'empty'

export interface ProjectFile {
  /** Relative to the project, with `/`. */
  readonly path: string
  readonly text: string
}

/** From `dist/cli/capabilities/init/` in the package. */
const folder = fileURLToPath(new URL('../../../../templates/project/', import.meta.url))

/** Sorted by path. */
export function projectFiles(part: Variant | 'both'): readonly ProjectFile[] {
  const root = join(folder, part)
  return readdirSync(root, { recursive: true, encoding: 'utf8' }) // under Plug'n'Play an entry knows no folder
    .filter((path) => statSync(join(root, path)).isFile())
    .map((path) => ({ path: targetOf(path), text: readFileSync(join(root, path), 'utf8') }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** npm leaves `.gitignore` out of packages and obeys it: files with a dot are stored with `_`. */
const targetOf = (stored: string): string => stored.replaceAll('\\', '/').replace(/(^|\/)_/g, '$1.')
