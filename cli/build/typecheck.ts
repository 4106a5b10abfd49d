/** `acmcp build --typecheck`: the application's own TypeScript compiler, in a process of its own, over what the build wrote. */
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { readOrNull } from './build-options.ts'

export interface TypecheckOptions {
  readonly cwd: string
  readonly colour: boolean
  readonly warn: (line: string) => void
}

/** Runs `tsc --noEmit` of the application in `cwd`. Resolves to 0, or to 1 after its errors, or after one line when
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
