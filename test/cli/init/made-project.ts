/** Projects that `acmcp init` makes, and whether they work. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { linkPackage } from '../../support/linked.ts'
import { built } from '../support/built-app.ts'

interface Clean {
  teardown(clean: () => void): void
}

export function emptyFolder(t: Clean): string {
  const folder = mkdtempSync(join(tmpdir(), 'acmcp-init-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** All files by path, but for what is installed. */
export function filesOf(folder: string): Readonly<Record<string, string>> {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  return Object.fromEntries(found.map((file) => [file.slice(folder.length + 1), readFileSync(file, 'utf8')]))
}

/** What a new project's package.json has. */
export const manifest = (name: string): object => ({
  name,
  version: '0.1.0',
  private: true,
  type: 'module',
  engines: { node: '>=20.19' },
  scripts: {
    build: 'acmcp build',
    dev: 'acmcp dev',
    start: 'acmcp serve',
    test: 'acmcp build && node --test',
    version: 'acmcp build && git add generated',
  },
  dependencies: { acmcp: '^0.1.0' },
  devDependencies: { '@types/node': '^20.19.0', typescript: '~6.0.3' },
})

/** Builds the project with every warning and type checked, and runs its own tests. `isChecked`: another test has checked the types of
 *  the same files. */
export async function works(
  t: { strictSame(found: unknown, wanted: unknown): void },
  root: string,
  { isChecked = false }: { readonly isChecked?: boolean } = {},
): Promise<void> {
  linkPackage(root, ['kysely', 'zod'])
  symlinkSync(join(process.cwd(), 'node_modules/typescript'), join(root, 'node_modules/typescript'))
  const { status, stderr } = await built(root, 'strict', ...(isChecked ? [] : (['typecheck'] as const)))
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined, NODE_OPTIONS: undefined } // it is no part of this test run
  const tests = spawnSync(process.execPath, ['--test', '--test-reporter=tap'], {
    cwd: root,
    encoding: 'utf8',
    env,
  })
  t.strictSame(
    { status, stderr, tests: tests.status, failed: /^# fail .*$/m.exec(tests.stdout)?.[0] },
    { status: 0, stderr: '', tests: 0, failed: '# fail 0' },
  )
}
