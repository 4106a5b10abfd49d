/** A build that is not run, and for which no compiler is loaded, when nothing changed since the last one; and `--typecheck` behind it. */
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type BuildOptions, checksOf, readOrNull, settingsOf, show } from './build-options.ts'
import { diskHost } from './disk.ts'
import { observed } from './observations.ts'
import { type BuildState, changesSince, hasOutputs, readState } from './up-to-date.ts'

/** Builds the application in `cwd` and resolves to the exit code: 0, 1 when nothing was written, or 2 when there is nothing to
 *  compare with. */
export async function buildIfChanged(options: BuildOptions): Promise<0 | 1 | 2> {
  const state = readState(options.cwd)
  if (!options.typecheck) return buildFiles(options, state)
  const code = await buildFiles(options, state)
  if (code !== 0) return code
  return typecheck(options)
}

async function buildFiles(options: BuildOptions, state: BuildState | null): Promise<0 | 1 | 2> {
  const seen = observed(diskHost(options.cwd))
  const changes = state === null ? null : changesSince(state, seen.host, settingsOf(options))
  if (checksOf(options).length === 0 && state !== null && changes?.length === 0 && hasOutputs(state)) {
    show(options, state.diagnostics)
    if (options.format === 'text' && !options.check) options.print('nothing changed')
    return 0
  }
  const { buildApplication, createBuildSession } = await import('./build.ts')
  const session = createBuildSession(options.cwd, options)
  try {
    return await buildApplication(options, { session, since: null, counts: state?.counts ?? null })
  } finally {
    await session.bundler.close()
  }
}

export interface TypecheckOptions {
  readonly cwd: string
  readonly colour: boolean
  readonly warn: (line: string) => void
}

/** The application's own TypeScript compiler, in a process of its own, over what the build wrote. Resolves to 0, or to 1 after its errors, or after one line when
 *  there is no TypeScript or no tsconfig.json. */
export async function typecheck({ cwd, colour, warn }: TypecheckOptions): Promise<0 | 1> {
  const tsc = compilerOf(cwd)
  if (tsc === null)
    return refuse(warn, 'typescript is not installed: run `npm install --save-dev typescript@6.0`')
  if (readOrNull(join(cwd, 'tsconfig.json')) === null)
    return refuse(warn, 'there is no tsconfig.json: the README of acmcp has one to begin with')
  const child = spawn(process.execPath, [tsc, '--noEmit', '--pretty', String(colour), '-p', '.'], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const parts: Buffer[] = []
  child.stdout.on('data', (part: Buffer) => parts.push(part))
  const status = await new Promise<number | null>((done, fail) => child.on('close', done).on('error', fail))
  const text = Buffer.concat(parts).toString('utf8').trimEnd()
  if (text !== '') warn(text)
  if (status !== 0 && text === '') warn(`acmcp: tsc ended with ${status}`)
  return status === 0 ? 0 : 1
}

function refuse(warn: (line: string) => void, why: string): 1 {
  warn(`acmcp: --typecheck: ${why}`)
  return 1
}

/** The program `tsc` that the application has installed, or null. */
function compilerOf(cwd: string): string | null {
  try {
    const manifest = createRequire(join(cwd, 'package.json')).resolve('typescript/package.json')
    const { bin } = JSON.parse(readOrNull(manifest) ?? '{}')
    return join(dirname(manifest), typeof bin === 'string' ? bin : (bin?.tsc ?? 'bin/tsc'))
  } catch {
    return null
  }
}
