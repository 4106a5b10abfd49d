/** What the project's package.json asks for when it wants this package. */
import { existsSync, readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What npm wrote of what it installed beside us, from `node_modules/acmcp/dist/cli/init/`. */
const hiddenLock = fileURLToPath(new URL('../../../../.package-lock.json', import.meta.url))

/** This version from the registry; or the file, relative to `root`, that npm installed us from, as `npx ./acmcp.tgz init` does: the
 *  registry may not have it. */
export function ownRange(version: string, root: string): string {
  const resolved = existsSync(hiddenLock) ? resolvedIn(readFileSync(hiddenLock, 'utf8')) : ''
  if (!resolved.startsWith('file:')) return `^${version}`
  const file = resolve(hiddenLock, '../..', resolved.slice('file:'.length))
  return `file:${relative(root, file).replaceAll('\\', '/')}`
}

function resolvedIn(lock: string): string {
  const { packages }: { packages?: Record<string, { resolved?: string }> } = JSON.parse(lock)
  return packages?.['node_modules/acmcp']?.resolved ?? ''
}
