/** Builds on disk that know the last one, beside builds of the same sources in a new folder: bytes and reports must be
 *  equal. */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { built, folderOf, type Ran, write } from '../support/built-app.ts'
import type { Files } from '../support/memory-host.ts'
import { edits, zoo } from './changes.ts'

type Scope = Parameters<typeof folderOf>[0]

/** What the application has beside its sources, as `folderOf` writes it. */
const settings = ['package.json', 'tsconfig.json']

/** Every file that a build made under `root`, but for what it notes for the next one. */
export function outputsOf(root: string): ReadonlyMap<string, string> {
  const notes = new Set(['build.json', 'reading.json', 'kept.bin'])
  return new Map(
    ['generated', '.acmcp'].flatMap((folder) =>
      (existsSync(join(root, folder)) ? readdirSync(join(root, folder)) : [])
        .filter((name) => !notes.has(name))
        .sort()
        .map((name) => [`${folder}/${name}`, readFileSync(join(root, folder, name), 'utf8')] as const),
    ),
  )
}

/** A full build of the same sources in a folder of its own. */
export async function builtAfresh(
  t: Scope,
  root: string,
): Promise<{ readonly ran: Ran; readonly outputs: ReadonlyMap<string, string> }> {
  const fresh = folderOf(t, {})
  rmSync(join(fresh, 'app'), { recursive: true })
  for (const name of ['app', ...settings]) {
    if (existsSync(join(root, name))) cpSync(join(root, name), join(fresh, name), { recursive: true })
  }
  return { ran: await built(fresh, 'overwrite'), outputs: outputsOf(fresh) }
}

/** Makes the sources under `root` these. */
export function writeAll(root: string, files: Files): void {
  rmSync(join(root, 'app'), { recursive: true })
  for (const [path, text] of Object.entries(files)) write(root, path, text)
}

/** Random edits, a build after each; the names of those after which it was not as it would be in a new folder. */
export async function walkRebuilds(t: Scope, count: number, seed: number): Promise<readonly string[]> {
  const root = folderOf(t, zoo)
  const names = fc.sample(fc.constantFrom(...edits.keys()), { numRuns: count, seed })
  const wrong: string[] = []
  let files = zoo
  let failures = 0
  await built(root, 'overwrite')
  for (const [index, name] of names.entries()) {
    files = failures > 2 ? zoo : (edits.get(name)?.(files, index) ?? files)
    writeAll(root, files)
    const { status, stderr } = await built(root, 'overwrite')
    failures = status === 0 ? 0 : failures + 1
    const { ran, outputs } = await builtAfresh(t, root)
    const isSame = status !== 0 || isEqual(outputsOf(root), outputs)
    if (!isSame || ran.status !== status || ran.stderr !== stderr) wrong.push(`${index}: ${name}`)
  }
  return wrong
}

const isEqual = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean =>
  a.size === b.size && [...a].every(([path, text]) => b.get(path) === text)
