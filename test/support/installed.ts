/** Packages that are no dependency of ours: judges, clients and peers. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Installs them under `node_modules/.cache/acmcp-<name>` unless these versions are there already, and answers where. Needs
 *  the registry the first time. */
export function installed(name: string, dependencies: Readonly<Record<string, string>>): string {
  const folder = join(process.cwd(), `node_modules/.cache/acmcp-${name}`)
  const wanted = JSON.stringify({ private: true, dependencies })
  const marker = join(folder, 'installed.json')
  if (existsSync(marker) && readFileSync(marker, 'utf8') === wanted) return join(folder, 'node_modules')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), wanted)
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  writeFileSync(marker, wanted)
  return join(folder, 'node_modules')
}
