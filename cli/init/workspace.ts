/** What an application in a package of a monorepo needs at the root of that. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { commandOf, type Manager, settingsByHand } from './managers.ts'
import type { ProjectFile } from './project-files.ts'

const workflow = '.github/workflows/acmcp.yml'

/** Lines for the files among `files` that mean nothing where they lie; none outside of a workspace. */
export function workspaceByHand(
  root: string,
  files: readonly ProjectFile[],
  manager: Manager,
): readonly string[] {
  const top = workspaceAbove(root)
  if (top === null) return []
  const way = (from: string, to: string): string => relative(from, to).split(sep).join('/')
  const command = commandOf(manager)
  const otherwise = command === 'npm' ? '' : `, by ${command} in place of npm`
  const settings = settingsByHand(manager, top, `${way(root, top)}/`)
  if (files.every(({ path }) => path !== workflow)) return settings
  return [
    `${workflow}: move it to ${way(root, top)}/${workflow}, where GitHub looks for it, and let its steps run in ${way(top, root)}${otherwise}`,
    'Dockerfile: `npx acmcp docs monorepos` has one that installs from the lock file of the workspace',
    ...settings,
  ]
}

/** The folder above that is the root of a workspace of npm, yarn or pnpm. */
export function workspaceAbove(folder: string): string | null {
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
