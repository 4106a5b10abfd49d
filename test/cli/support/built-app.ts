/** An application in a folder of its own, with the package linked into it, for tests of the real command line. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { buildIfChanged } from '../../../cli/build/build-if-changed.ts'
import type { BuildOptions, BuildPart } from '../../../cli/build/build-options.ts'
import { partsInCapabilities } from '../../../cli/command-line/command.ts'
import { linkPackage } from '../../support/linked.ts'
import type { Files } from './memory-host.ts'
import { typeErrorsOf } from './type-check.ts'

const main = resolve(import.meta.dirname, '../../../cli/main.js')

/** A new folder with these files, removed after the test. */
export function folderOf(t: { teardown(clean: () => void): void }, files: Files): string {
  const root = emptyFolder(t)
  write(root, 'package.json', '{"name":"shop","version":"1.2.3","license":"MIT","type":"module"}')
  write(root, 'app/config.ts', `export const config: object = {}\n`)
  for (const [path, text] of Object.entries(files)) write(root, path, text)
  for (const path of ['app/config.ts', ...Object.keys(files)]) writtenBefore(join(root, path))
  linkPackage(root)
  return root
}

/** A new folder, removed after the test. */
export function emptyFolder(t: { teardown(clean: () => void): void }): string {
  const root = mkdtempSync(join(tmpdir(), 'acmcp-build-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  return root
}

/** A function that gives copies, each as `folderOf` would, of the folder of these files in which `acmcp build` ran once. */
export function copiesOfBuilt(files: Files): (t: Parameters<typeof folderOf>[0]) => Promise<string> {
  let first: Promise<string> | null = null
  const buildFirst = async (): Promise<string> => {
    const root = folderOf({ teardown: (clean) => void process.once('exit', clean) }, files)
    const { status, stderr } = await built(root)
    if (status !== 0 || stderr !== '') throw new Error(stderr)
    return root
  }
  return async (t) => {
    first ??= buildFirst()
    const root = emptyFolder(t)
    cpSync(await first, root, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
    return root
  }
}

/** A build keeps no record of a source that was written in the very millisecond in which it began. */
export function writtenBefore(file: string): void {
  const before = new Date(Date.now() - 10_000)
  utimesSync(file, before, before)
}

export function write(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

export interface Ran {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

const flags = ['check', 'overwrite', 'typecheck', 'github', 'json', 'client', 'strict'] as const
type Flag = (typeof flags)[number] | Pick<BuildOptions, 'progress'>

/** What `acmcp build` with these flags does in `cwd`, in this process: the compiler is loaded once a test file. */
export async function built(cwd: string, ...provided: readonly Flag[]): Promise<Ran> {
  const stdout: string[] = []
  const stderr: string[] = []
  const [check, overwrite, typecheck, github, json, client, strict] = flags.map((flag) =>
    provided.includes(flag),
  )
  const progress = provided.find((flag) => typeof flag === 'object')
  const status = await buildIfChanged({
    cwd,
    check: check === true,
    overwrite: overwrite === true,
    typecheck: typecheck === true,
    strict: strict === true,
    parts: await partsInCapabilities<BuildPart>('build-part.js'),
    flags: client === true ? { client } : {},
    format: github === true ? 'github' : json === true ? 'json' : 'text',
    colour: false,
    ...progress,
    print: (line) => void stdout.push(`${line}\n`),
    warn: (line) => void stderr.push(`${line}\n`),
  })
  return { status, stdout: stdout.join(''), stderr: stderr.join('') }
}

/** Runs the command line in `cwd`. */
export function acmcp(cwd: string, ...args: readonly string[]): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { cwd, encoding: 'utf8' })
  return { status, stdout, stderr }
}

const options = { module: 'nodenext', target: 'es2023', strict: true, noEmit: true, skipLibCheck: true }
const strict = {
  allowImportingTsExtensions: true,
  noUnusedParameters: true,
  noUnusedLocals: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
}

/** A `tsconfig.json` of the strictest kind. */
export const strictSettings: string = JSON.stringify({
  compilerOptions: { ...options, ...strict, verbatimModuleSyntax: true, types: ['node'] },
  include: ['app', 'generated'],
})

/** What the strictest TypeScript says about the application and its generated files; empty = nothing. */
export function typeErrors(root: string): string {
  write(root, 'tsconfig.json', strictSettings)
  return typeErrorsOf(join(root, 'tsconfig.json'))
}
