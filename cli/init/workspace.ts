/** What an application in a package of a monorepo needs at the root of that. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import type { ProjectFile } from './project-files.ts'

const workflow = '.github/workflows/acmcp.yml'

/** Lines for the files among `files` that mean nothing where they lie; none outside of a workspace. */
export function workspaceByHand(root: string, files: readonly ProjectFile[]): readonly string[] {
  const top = files.some(({ path }) => path === workflow) ? workspaceAbove(root) : null
  if (top === null) return []
  const way = (from: string, to: string): string => relative(from, to).split(sep).join('/')
  return [
    `${workflow}: move it to ${way(root, top)}/${workflow}, where GitHub looks for it, and let its steps run in ${way(top, root)}`,
    'Dockerfile: `npx acmcp docs monorepos` has one that installs from the lock file of the workspace',
  ]
}

/** What installs the packages of an application in `root`: a workspace of pnpm or yarn is not installed by npm. */
export function installCommand(root: string): string {
  const top = workspaceAbove(root)
  if (top === null) return 'npm install'
  if (existsSync(join(top, 'pnpm-workspace.yaml'))) return 'pnpm install'
  return existsSync(join(top, 'yarn.lock')) ? 'yarn install' : 'npm install'
}

/** The folder above that is the root of a workspace of npm, yarn or pnpm. */
function workspaceAbove(folder: string): string | null {
  for (let above = dirname(folder); ; above = dirname(above)) {
    if (existsSync(join(above, 'pnpm-workspace.yaml')) || hasWorkspaces(join(above, 'package.json')))
      return above
    if (above === dirname(above)) return null
  }
}

function hasWorkspaces(manifest: string): boolean {
  try {
    const value: unknown = JSON.parse(readFileSync(manifest, 'utf8'))
    return typeof value === 'object' && value !== null && 'workspaces' in value
  } catch {
    return false // there is none, or none that npm reads
  }
}
