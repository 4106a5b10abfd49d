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
  const manager = managerOf(top)
  const otherwise = manager === 'npm' ? '' : `, by ${manager} in place of npm`
  return [
    `${workflow}: move it to ${way(root, top)}/${workflow}, where GitHub looks for it, and let its steps run in ${way(top, root)}${otherwise}`,
    'Dockerfile: `npx acmcp docs monorepos` has one that installs from the lock file of the workspace',
  ]
}

/** What manages the packages of an application in `root`: a workspace of pnpm or yarn is not installed by npm. */
export const packageManager = (root: string): Manager => managerOf(workspaceAbove(root))

type Manager = 'npm' | 'pnpm' | 'yarn'

function managerOf(workspace: string | null): Manager {
  if (workspace === null) return 'npm'
  if (existsSync(join(workspace, 'pnpm-workspace.yaml'))) return 'pnpm'
  return existsSync(join(workspace, 'yarn.lock')) ? 'yarn' : 'npm'
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
