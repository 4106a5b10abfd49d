/** What a build went by beside what the compiler asked for: the inputs of the bundle, settings, and the tool itself. */
import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { filesBelow, type Host } from '../../compiler/read/program/host.ts'
import { observeSettings } from '../../compiler/read/program/tsconfig.ts'
import type { SeenHost } from '../observations.ts'

/** Asks `host` what the bundler went by: its inputs, their neighbours, and the settings that lie above them. Says
 *  whether that is all: not when an input changed after `since` (ms). */
export function observeInputs(host: SeenHost, inputs: readonly string[], since: number): boolean {
  const folders = new Set<string>()
  for (const input of inputs) {
    const stat = statSync(input, { throwIfNoEntry: false }) // it may just have gone
    if (stat === undefined || stat.ctimeMs >= since) return false
    host.record(input)
    folders.add(dirname(input))
  }
  const settings = new Set<string>()
  for (const folder of folders) {
    host.readDirectory(folder)
    nearest(host, folder, ['package.json'])
    const found = nearest(host, folder, ['tsconfig.json', 'jsconfig.json'])
    if (found !== null && found !== `${host.root}/tsconfig.json`) settings.add(found) // the compiler asked for that one
  }
  for (const path of settings) observeSettings(host, path)
  return true
}

/** The first file of these names in `folder` or above it. */
function nearest(host: Host, folder: string, names: readonly string[]): string | null {
  for (let above = folder; ; above = dirname(above)) {
    const found = names.map((name) => join(above, name)).find((path) => host.readFile(path) !== null)
    if (found !== undefined) return found
    if (above === dirname(above)) return null
  }
}

/** Asks `host` what the tool itself is made of: its own files, those in `folders`, and the versions of the packages that do the
 *  work. */
export function observeTool(host: SeenHost, folders: readonly string[]): void {
  const room = resolve(import.meta.dirname, '../..')
  for (const path of filesBelow(host, room, (name) => name.endsWith('.js'))) host.record(path)
  for (const folder of folders)
    for (const path of filesBelow(host, folder, (name) => name.endsWith('.ts'))) host.record(path)
  const { resolve: locate } = createRequire(import.meta.url)
  for (const name of ['ts-morph', 'esbuild']) nearest(host, dirname(locate(name)), ['package.json'])
}
