/** Applications in folders of their own, with this package linked into them as npm would install it. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildIfChanged } from '../../cli/build/build-if-changed.ts'
import { temporaryFolder } from '../flow/support.ts'

/** Links `acmcp`, the types that this repository has, and further packages of its own into `root`. */
export function linkPackage(root: string, more: readonly string[] = []): void {
  const repository = process.cwd()
  mkdirSync(join(root, 'node_modules'), { recursive: true })
  symlinkSync(repository, join(root, 'node_modules/acmcp'))
  for (const name of ['@types', ...more])
    symlinkSync(join(repository, 'node_modules', name), join(root, 'node_modules', name))
}

/** Runs `acmcp build` there, as a process. Throws with what it said when it fails. */
export function buildThere(root: string): void {
  const main = join(process.cwd(), 'dist/cli/main.js')
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'build'], {
    cwd: root,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`the application in ${root} does not build:\n${stdout}${stderr}`)
}

type Files = Readonly<Record<string, string>>

/** By the files, as JSON. */
const builds = new Map<string, Promise<string>>()

/** A folder of its own with the files, by path, in which they are built; the same files are built once a process. */
export async function builtFolder(files: Files): Promise<string> {
  const key = JSON.stringify(files)
  const first = builds.get(key) ?? buildFiles(files)
  builds.set(key, first)
  const root = temporaryFolder()
  cpSync(await first, root, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  return root
}

async function buildFiles(files: Files): Promise<string> {
  const root = temporaryFolder()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  linkPackage(root)
  const said: string[] = []
  const say = (line: string): void => void said.push(line)
  const status = await buildIfChanged({
    cwd: root,
    check: false,
    overwrite: false,
    typecheck: false,
    format: 'text',
    strict: false,
    colour: false,
    print: say,
    warn: say,
  })
  if (status !== 0) throw new Error(`the application in ${root} does not build:\n${said.join('\n')}`)
  return root
}
