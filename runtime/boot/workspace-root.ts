/** The root of a workspace of npm, yarn or pnpm, whose packages lie in folders below it. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Whether this folder is one. */
export const isWorkspaceRoot = (folder: string): boolean =>
  existsSync(join(folder, 'pnpm-workspace.yaml')) || hasWorkspaces(join(folder, 'package.json'))

function hasWorkspaces(manifest: string): boolean {
  try {
    const value: unknown = JSON.parse(readFileSync(manifest, 'utf8'))
    return typeof value === 'object' && value !== null && 'workspaces' in value
  } catch {
    return false // there is none, or none that npm reads
  }
}
