/** What a build read beside `app/`, of its own folder or of another: the next one may find something else there. */
import { existsSync, realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Observations } from './observations.ts'

/** Absolute. A file that is not there may come. */
export interface ReadPaths {
  readonly files: ReadonlySet<string>
  /** Folders of which the names count. */
  readonly folders: ReadonlySet<string>
}

export const noPaths: ReadPaths = { files: new Set(), folders: new Set() }

/** acmcp as it is compiled. */
const tool = resolve(import.meta.dirname, '../..')

/** What `observations` ask for, but for `app/`, which is watched as a whole, what builds write, and installed packages: one that is a link
 *  to a folder of the monorepo is read there (`extends: '@acme/tsconfig/base.json'`). */
export function readPathsOf(root: string, observations: Observations): ReadPaths {
  const files = new Set<string>()
  const folders = new Set<string>()
  const placeOf = placesOfPackages()
  for (const [question, answer] of observations) {
    const blank = question.indexOf(' ')
    const [kind, path] = [question.slice(0, blank), placeOf(question.slice(blank + 1))]
    if (isLeftOut(root, path)) continue
    if (kind === 'entries' || kind === 'modules') folders.add(path)
    else if (answer !== 'none' && answer !== 'false' && kind !== 'folder' && kind !== 'real') files.add(path)
    else if (kind === 'file' && path.startsWith(`${root}/`)) files.add(missing(root, path))
  }
  return { files, folders }
}

const isLeftOut = (root: string, path: string): boolean =>
  path.includes('/node_modules') ||
  path.startsWith(`${tool}/`) ||
  ['app', 'generated', '.acmcp'].some((name) => `${path}/`.startsWith(`${root}/${name}/`))

/** Where files below `node_modules` lie; each package is looked for once. */
function placesOfPackages(): (path: string) => string {
  const places = new Map<string, string>()
  return (path) => {
    const [folder] = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []
    if (folder === undefined) return path
    const place = places.get(folder) ?? (existsSync(folder) ? realpathSync.native(folder) : folder)
    places.set(folder, place)
    return place + path.slice(folder.length)
  }
}

/** A file that is not there, or the folder above it that would come first. */
function missing(root: string, path: string): string {
  let first = path
  while (dirname(first) !== root && !existsSync(dirname(first))) first = dirname(first)
  return first
}

/** All that either has. */
export const bothPaths = (a: ReadPaths, b: ReadPaths): ReadPaths => ({
  files: new Set([...a.files, ...b.files]),
  folders: new Set([...a.folders, ...b.folders]),
})
