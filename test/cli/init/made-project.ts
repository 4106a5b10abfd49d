/** Projects that `acmcp init` makes, and whether they work. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { linkPackage } from '../../support/linked.ts'
import { built, type Ran } from '../support/built-app.ts'
import { acmcpIn } from '../support/here.ts'
import { typeErrorsOf } from '../support/type-check.ts'

interface Clean {
  teardown(clean: () => void): void
}

export function emptyFolder(t: Clean): string {
  const folder = mkdtempSync(join(tmpdir(), 'acmcp-init-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** What `acmcp init` does in `cwd`, in this process. */
export const init = (cwd: string, ...args: readonly string[]): Promise<Ran> =>
  acmcpIn({ cwd, env: {}, version: '0.1.0' }, 'init', ...args)

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

interface WorksOptions {
  /** Another test has checked the types of the same files. */
  readonly isChecked?: boolean
  /** Its tests are found and run as its `npm test` does, a process each; otherwise one process imports them all. */
  readonly isFound?: boolean
}

/** Builds the project with every warning, checks its types, and runs its own tests. */
export async function works(
  t: { strictSame(found: unknown, wanted: unknown): void },
  root: string,
  { isChecked = false, isFound = false }: WorksOptions = {},
): Promise<void> {
  linkPackage(root, ['kysely', 'zod'])
  symlinkSync(join(process.cwd(), 'node_modules/typescript'), join(root, 'node_modules/typescript'))
  const { status, stderr } = await built(root, 'strict')
  const types = isChecked ? '' : typeErrorsOf(join(root, 'tsconfig.json'))
  const tests = spawnSync(
    process.execPath,
    ['--test-reporter=tap', ...(isFound ? ['--test'] : importing(root))],
    {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, NODE_TEST_CONTEXT: undefined, NODE_OPTIONS: undefined }, // it is no part of this test run
    },
  )
  t.strictSame(
    { status, stderr, types, tests: tests.status, failed: /^# fail .*$/m.exec(tests.stdout)?.[0] },
    { status: 0, stderr: '', types: '', tests: 0, failed: '# fail 0' },
  )
}

/** The flags for a script of the project's tests. */
function importing(root: string): readonly string[] {
  const tests = readdirSync(join(root, 'test')).filter((file) => file.endsWith('.test.mjs'))
  return ['--input-type=module', '-e', tests.map((file) => `await import('./test/${file}')`).join('\n')]
}
