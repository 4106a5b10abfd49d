/** Applications in folders of their own, with this package linked into them as npm would install it. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

/** Links `acmcp` and the types of Node into `root`. */
export function linkPackage(root: string): void {
  const repository = process.cwd()
  mkdirSync(join(root, 'node_modules'), { recursive: true })
  symlinkSync(repository, join(root, 'node_modules/acmcp'))
  symlinkSync(join(repository, 'node_modules/@types'), join(root, 'node_modules/@types'))
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
