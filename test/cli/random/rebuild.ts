/** Builds on disk as `--watch` makes them, beside builds of the same sources in a new folder: bytes and reports must be
 *  equal. */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { createBuildSession } from '../../../cli/build/build.ts'
import { buildAgain } from '../../../cli/capabilities/dev/watch/watch.ts'
import { built, folderOf, type Ran, write } from '../support/built-app.ts'
import type { Files } from '../support/memory-host.ts'
import { edits, realPackages, realZoo } from './changes.ts'

type Scope = Parameters<typeof folderOf>[0]

/** What the application has beside its sources, as `folderOf` writes it. */
const settings = ['package.json', 'tsconfig.json']
const packages = ['node_modules/rates', 'node_modules/wide']

/** Every file that a build made under `root`, but for what it notes for the next one. */
export function outputsOf(root: string): ReadonlyMap<string, string> {
  return new Map(
    ['generated', '.acmcp'].flatMap((folder) =>
      (existsSync(join(root, folder)) ? readdirSync(join(root, folder)) : [])
        .filter((name) => name !== 'build.json')
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
  const fresh = realFolder(t, {})
  rmSync(join(fresh, 'app'), { recursive: true })
  for (const name of ['app', ...settings, ...packages]) {
    if (existsSync(join(root, name))) cpSync(join(root, name), join(fresh, name), { recursive: true })
  }
  return { ran: await built(fresh, 'overwrite'), outputs: outputsOf(fresh) }
}

/** Makes the sources under `root` these. */
export function writeAll(root: string, files: Files): void {
  rmSync(join(root, 'app'), { recursive: true })
  for (const [path, text] of Object.entries(files)) write(root, path, text)
}

/** A folder of these files, with what real applications have installed. */
export function realFolder(t: Scope, files: Files): string {
  const root = folderOf(t, files)
  for (const name of realPackages)
    symlinkSync(join(process.cwd(), 'node_modules', name), join(root, 'node_modules', name))
  return root
}

/** What one build of a watching process did; null when there was nothing to do. */
type Rebuild = () => Promise<Ran | null>

/** The builds of one watching process under `root`, one after the other. */
export function watching(t: Scope, root: string): Rebuild {
  const session = createBuildSession(root)
  t.teardown(() => void session.bundler.close())
  let isBuilt = false
  return async () => {
    const printed: string[] = []
    const warned: string[] = []
    const print = (line: string): void => void printed.push(`${line}\n`)
    const warn = (line: string): void => void warned.push(`${line}\n`)
    isBuilt = await buildAgain({ ...usual, overwrite: true, cwd: root, print, warn }, session, isBuilt)
    if (printed.length + warned.length === 0) return null
    return { status: isBuilt ? 0 : 1, stdout: printed.join(''), stderr: warned.join('') }
  }
}

const usual = {
  check: false,
  typecheck: false,
  openapi: '3.1',
  strict: false,
  format: 'text',
  colour: false,
} as const

/** Random edits, a build after each; the names of those after which it was not as it would be in a new folder. */
export async function walkRebuilds(t: Scope, count: number, seed: number): Promise<readonly string[]> {
  const root = realFolder(t, realZoo)
  const rebuild = watching(t, root)
  const names = fc.sample(fc.constantFrom(...edits.keys()), { numRuns: count, seed })
  const wrong: string[] = []
  let files = realZoo
  let failures = 0
  await rebuild()
  for (const [index, name] of names.entries()) {
    files = failures > 2 ? realZoo : (edits.get(name)?.(files, index) ?? files)
    writeAll(root, files)
    const again = await rebuild()
    const { ran, outputs } = await builtAfresh(t, root)
    failures = ran.status === 0 ? 0 : failures + 1
    const isSame = ran.status !== 0 || isEqual(outputsOf(root), outputs)
    const isReported = again === null || (again.status === ran.status && again.stderr === ran.stderr)
    if (!isSame || !isReported || (again === null && ran.status !== 0)) wrong.push(`${index}: ${name}`)
  }
  return wrong
}

const isEqual = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean =>
  a.size === b.size && [...a].every(([path, text]) => b.get(path) === text)
