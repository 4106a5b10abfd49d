/** The help desk that `acmcp init --example desk` writes, in folders of its own. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { projectFiles } from '../../cli/capabilities/init/project-files.ts'
import { linkPackage } from './linked.ts'

/** Its files by path, package.json and the settings of TypeScript among them. */
export function deskFiles(): ReadonlyMap<string, string> {
  const manifest = { name: 'desk', version: '0.1.0', license: 'MIT', private: true, type: 'module' }
  const files = [...projectFiles('both'), ...projectFiles('desk')].map(
    ({ path, text }) => [path, text] as const,
  )
  return new Map([...files, ['package.json', JSON.stringify(manifest)]])
}

/** What it imports beside `acmcp`. */
export const deskPackages: readonly string[] = ['kysely', 'zod']

/** Writes it into `root`, ready to be built. */
export function writeDesk(root: string): void {
  for (const [path, text] of deskFiles()) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  linkPackage(root, deskPackages)
}
