/** Loads what `acmcp build` made: `.acmcp/app.mjs`, checked against the committed `generated/mcp.yml`. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AppBundle } from '../contract/bundle.ts'
import { sha256Hex } from '../secret.ts'
import { BootError } from './boot-error.ts'

/** Loads the bundle under `cwd`. Throws `BootError` when there is none, when it is not one, or when
 *  `generated/mcp.yml` is not the file that it was built with: what was reviewed is what the model sees. */
export async function loadBundle(cwd: string): Promise<AppBundle> {
  const file = appFile(cwd)
  if (!existsSync(file)) throw new BootError(noBundle(cwd, file))
  return checked(cwd, await loaded(file))
}

function noBundle(cwd: string, file: string): string {
  if (existsSync(join(cwd, 'app')) || !isWorkspaceRoot(cwd))
    return `there is no bundle at ${file}: run acmcp build`
  return `there is no application in ${cwd}, which is the root of a workspace: run acmcp in the folder of the application, as \`npm exec -w apps/api -- acmcp …\` or \`pnpm --filter api exec acmcp …\``
}

/** Whether this folder is the root of a workspace of npm, yarn or pnpm, whose packages lie in folders below it. */
const isWorkspaceRoot = (folder: string): boolean =>
  existsSync(join(folder, 'pnpm-workspace.yaml')) || hasWorkspaces(join(folder, 'package.json'))

function hasWorkspaces(manifest: string): boolean {
  try {
    const value: unknown = JSON.parse(readFileSync(manifest, 'utf8'))
    return typeof value === 'object' && value !== null && 'workspaces' in value
  } catch {
    return false // there is none, or none that npm reads
  }
}

/** A bundle of another version may ask for what `acmcp/codec` no longer exports, which ends the linking. */
async function loaded(file: string): Promise<unknown> {
  try {
    return await import(pathToFileURL(file).href)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const why = `${file} does not fit what is installed: run acmcp build (${error.message})`
    throw new BootError(why, { cause: error })
  }
}

/** Names the bundle that lies under `cwd` now; null while it is incomplete. */
export function bundleDigest(cwd: string): string | null {
  const files = partsOf(cwd)
  if (!files.every((file) => existsSync(file))) return null
  return sha256Hex(files.map((file) => sha256Hex(readFileSync(file))).join())
}

/** Whether there is a bundle under `cwd`, of whatever kind. */
export const isBuilt = (cwd: string): boolean => existsSync(appFile(cwd))

const appFile = (cwd: string): string => join(cwd, '.acmcp', 'app.mjs')

const partsOf = (cwd: string): readonly string[] =>
  ['app', 'codecs', 'catalogue'].map((part) => join(cwd, '.acmcp', `${part}.mjs`))

function checked(cwd: string, bundle: unknown): AppBundle {
  if (!isBundle(bundle))
    throw new BootError(`${appFile(cwd)} is not a bundle of this version: run acmcp build`)
  refuseUnreviewed(cwd, bundle.mcpDigest)
  return { ...bundle, folder: cwd }
}

function isBundle(value: unknown): value is Omit<AppBundle, 'folder'> {
  const names = ['routes', 'codecs', 'config', 'catalogue', 'mcpDigest', 'version']
  return typeof value === 'object' && value !== null && names.every((name) => name in value)
}

function refuseUnreviewed(cwd: string, digest: string): void {
  const file = join(cwd, 'generated', 'mcp.yml')
  if (!existsSync(file)) throw new BootError(`${file} is missing: run acmcp build and commit it`)
  // the line ends that git makes at a checkout are no other text
  if (sha256Hex(readFileSync(file, 'utf8').replaceAll('\r\n', '\n')) === digest) return
  throw new BootError(
    `${file} is not the one that the bundle was built with: review it, then run acmcp build`,
  )
}
