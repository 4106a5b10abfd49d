/** Repositories of several packages, as npm and pnpm lay them out: an application in `apps/api` beside what it shares. */
import { mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { emptyFolder, write, writtenBefore } from './built-app.ts'
import type { Files } from './memory-host.ts'

export type Layout = 'npm' | 'pnpm'

/** The packages that each of the workspace declares, by its folder. */
export type Declared = Readonly<Record<string, readonly string[]>>

interface Options {
  readonly layout: Layout
  /** By path below the repository. */
  readonly files: Files
  /** npm installs everything once; pnpm gives each folder what its package declares, and nothing else. */
  readonly declared: Declared
}

/** A new repository with these files and what a package manager would install; removed after the test. Returns its real path. */
export function workspaceOf(
  t: Parameters<typeof emptyFolder>[0],
  { layout, files, declared }: Options,
): string {
  const root = realpathSync(emptyFolder(t))
  for (const [path, text] of Object.entries({ 'package.json': rootManifest, ...files })) {
    write(root, path, text)
    writtenBefore(join(root, path))
  }
  const members = new Map(Object.keys(declared).map((folder) => [nameIn(files, folder), folder]))
  if (layout === 'pnpm') write(root, 'pnpm-workspace.yaml', 'packages:\n  - apps/*\n  - packages/*\n')
  for (const [folder, names] of Object.entries(declared)) {
    for (const name of names) {
      const at = join(root, layout === 'npm' ? '' : folder, 'node_modules', name)
      link(at, targetOf(root, { layout, name, member: members.get(name) }))
    }
  }
  return root
}

const rootManifest = '{"name":"acme","private":true,"workspaces":["apps/*","packages/*"]}'

const nameIn = (files: Files, folder: string): string =>
  JSON.parse(files[`${folder}/package.json`] ?? '{}').name

interface Wanted {
  readonly layout: Layout
  readonly name: string
  readonly member: string | undefined
}

/** Where the link of a package leads: to a member of the workspace, to pnpm's store, or to what this repository has installed. */
function targetOf(root: string, { layout, name, member }: Wanted): string {
  if (member !== undefined) return join(root, member)
  const installed = name === 'acmcp' ? process.cwd() : join(process.cwd(), 'node_modules', name)
  if (layout === 'npm') return installed
  const stored = join(root, 'node_modules/.pnpm', `${name.replace('/', '+')}@1.0.0`, 'node_modules', name)
  link(stored, installed)
  return stored
}

function link(at: string, target: string): void {
  mkdirSync(dirname(at), { recursive: true })
  try {
    symlinkSync(target, at)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error // npm installs it once
  }
}
