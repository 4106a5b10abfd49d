/** Loads what `acmcp build` made: `.acmcp/app.mjs`, checked against the committed `generated/mcp.yml`. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { BootError } from './boot-error.ts'
import type { AppBundle } from './contract.ts'
import { sha256Hex } from './secret.ts'

/** Loads the bundle under `cwd`. Throws `BootError` when there is none, when it is not one, or when
 *  `generated/mcp.yml` is not the file that it was built with: what was reviewed is what the model sees. */
export async function loadBundle(cwd: string): Promise<AppBundle> {
  const file = join(cwd, '.acmcp', 'app.mjs')
  if (!existsSync(file)) throw new BootError(`there is no bundle at ${file}: run acmcp build`)
  const bundle: unknown = await import(pathToFileURL(file).href)
  if (!isBundle(bundle)) throw new BootError(`${file} is not a bundle of this version: run acmcp build`)
  refuseUnreviewed(cwd, bundle.mcpDigest)
  return bundle
}

function isBundle(value: unknown): value is AppBundle {
  const names = ['routes', 'codecs', 'config', 'catalogue', 'mcpDigest']
  return typeof value === 'object' && value !== null && names.every((name) => name in value)
}

function refuseUnreviewed(cwd: string, digest: string): void {
  const file = join(cwd, 'generated', 'mcp.yml')
  if (!existsSync(file)) throw new BootError(`${file} is missing: run acmcp build and commit it`)
  if (sha256Hex(readFileSync(file)) === digest) return
  throw new BootError(
    `${file} is not the one that the bundle was built with: review it, then run acmcp build`,
  )
}
