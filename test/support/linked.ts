/** Applications in folders of their own, with this package linked into them as npm would install it. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFolder } from '../flow/support.ts'

/** Links `acmcp`, the types that this repository has, and further packages of its own into `root`. */
export function linkPackage(root: string, more: readonly string[] = []): void {
  const repository = process.cwd()
  mkdirSync(join(root, 'node_modules'), { recursive: true })
  symlinkSync(repository, join(root, 'node_modules/acmcp'))
  for (const name of ['@types', ...more])
    symlinkSync(join(repository, 'node_modules', name), join(root, 'node_modules', name))
}

/** Runs `acmcp build` there. Throws with what it said when it fails. */
export function buildThere(root: string): void {
  const main = join(process.cwd(), 'dist/cli/main.js')
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'build'], {
    cwd: root,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`the application in ${root} does not build:\n${stdout}${stderr}`)
}

/** Writes the files, by path, into a folder of their own and builds there as a user would; returns the folder. */
export function builtFolder(files: Readonly<Record<string, string>>): string {
  const root = temporaryFolder()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  linkPackage(root)
  buildThere(root)
  return root
}
