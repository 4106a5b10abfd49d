/** The contract of another tree: of a git revision, or of a folder. Nothing of it is built or run, and git is run without a
 *  shell, without filters and without its configuration's programs. */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { isAbsolute, join, posix, resolve } from 'node:path'
import { promisify } from 'node:util'
import { type Contract, contractFiles } from './compare.ts'

/** Why there is no contract, in a sentence for people. */
export class NoCommittedContract extends Error {}

const longestMs = 30_000
const maxBytes = 256 * 1024 * 1024

/** `reference`: a folder that has `generated/`, a revision (`origin/main`, `v1.2.0`), or one with the application's folder in
 *  its tree (`origin/main:apps/desk`). Throws `NoCommittedContract`. */
export async function committedContract(cwd: string, reference: string): Promise<Contract> {
  if (reference.startsWith('-') || reference.trim() === '')
    throw new NoCommittedContract(`${JSON.stringify(reference)} is no revision of git and no folder`)
  const contract = await contractAt(cwd, reference)
  if (/^openapi: ["']?3\.0\b/m.test(contract.openapi))
    throw new NoCommittedContract(
      `the ${contractFiles.openapi} of ${reference} is OpenAPI 3.0, which acmcp no longer writes or compares: build it there as 3.1, without --openapi`,
    )
  return contract
}

async function contractAt(cwd: string, reference: string): Promise<Contract> {
  const folder = resolve(cwd, reference)
  if (existsSync(join(folder, contractFiles.openapi))) return contractIn(folder)
  if (/^\.{0,2}[/\\]/.test(reference) || isAbsolute(reference))
    throw new NoCommittedContract(`${reference} has no ${contractFiles.openapi}`)
  return revisionContract(cwd, reference)
}

function contractIn(folder: string): Contract {
  const read = (file: string): string => {
    try {
      return readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n')
    } catch {
      throw new NoCommittedContract(`${folder} has no ${file}`)
    }
  }
  return { openapi: read(contractFiles.openapi), mcp: read(contractFiles.mcp) }
}

async function revisionContract(cwd: string, reference: string): Promise<Contract> {
  const [revision = '', written] = splitOnce(reference)
  const root = await git(cwd, ['rev-parse', '--show-toplevel'], 'this folder is in no repository of git')
  const unknown = `git knows no revision ${revision}: fetch it first, as \`git fetch --depth 1 origin main\` does`
  const commit = await git(
    cwd,
    ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`],
    unknown,
  )
  const own = await git(cwd, ['rev-parse', '--show-prefix'], `${root} has no such folder`)
  const folder = written === undefined ? own : folderIn(written)
  const read = (file: string): Promise<string> =>
    git(cwd, ['cat-file', 'blob', `${commit}:${folder}${file}`], `${revision} has no ${folder}${file}`, false)
  return { openapi: await read(contractFiles.openapi), mcp: await read(contractFiles.mcp) }
}

/** As git has it: from the root of the tree, with a slash at its end; empty = the root. */
function folderIn(written: string): string {
  const folder = posix.normalize(`${written.replaceAll('\\', '/')}/`)
  return folder === './' || folder === '/' ? '' : folder
}

/** At the first colon, behind which git itself expects a path. */
function splitOnce(text: string): readonly [string, string?] {
  const colon = text.indexOf(':')
  return colon < 0 ? [text] : [text.slice(0, colon), text.slice(colon + 1)]
}

/** What a partial clone lacks git would fetch, by a program that the repository's own configuration names. */
const offline = (): NodeJS.ProcessEnv => ({
  ...process.env,
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  GIT_TERMINAL_PROMPT: '0',
})

/** What git prints; without its last line break. */
async function git(
  cwd: string,
  args: readonly string[],
  otherwise: string,
  isTrimmed = true,
): Promise<string> {
  try {
    const options = {
      cwd,
      encoding: 'utf8',
      maxBuffer: maxBytes,
      timeout: longestMs,
      env: offline(),
    } as const
    const { stdout } = await promisify(execFile)('git', ['--no-replace-objects', ...args], options)
    return isTrimmed ? stdout.replace(/\n$/, '') : stdout
  } catch (error) {
    const { code, stderr = '' } = error as { readonly code?: unknown; readonly stderr?: string }
    if (code === 'ENOENT') throw new NoCommittedContract('git is not installed, or not on the PATH')
    if (/dubious ownership/.test(stderr))
      throw new NoCommittedContract(stderr.trim().split('\n')[0] ?? otherwise)
    if (/promisor|transport '.*' not allowed/.test(stderr))
      throw new NoCommittedContract(
        `${otherwise} in this partial clone: \`git fetch --refetch --no-filter\` brings all of it`,
      )
    throw new NoCommittedContract(otherwise)
  }
}
