#!/usr/bin/env node
/** The command line: arguments in, exit code out. What a command needs is loaded when it runs, so that `serve` never loads the
 *  compiler. */
import { Console } from 'node:console'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { CommanderError } from 'commander'
import type { CommandContext, Start } from './command-line/command.ts'
import { createProgram } from './program.ts'
import { printableWithStyles } from './terminal/table.ts'

/** The reader may leave (`acmcp explain @get | head -1`): what is left is dropped, and the work goes on. */
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

/** Colours by https://no-color.org. */
const styleOf = ({ isTTY }: { isTTY?: boolean }): CommandContext['errors'] => ({
  isTerminal: isTTY === true,
  colour: isTTY === true && (process.env.NO_COLOR ?? '') === '',
})

async function besideApplication<Code extends number>(run: () => Promise<Code>): Promise<Code> {
  globalThis.console = new Console(process.stderr)
  const code = await run()
  return new Promise(() => process.stdout.write('', () => process.exit(code))) // when all is written
}

const { version }: { readonly version: string } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
)

const errors = styleOf(process.stderr)
const { isTerminal, colour } = styleOf(process.stdout)

const start: Start = async (work) => {
  const { cwd }: { readonly cwd?: string } = program.opts()
  if (process.versions.pnp !== undefined && process.argv[2] !== 'init') {
    context.warn(
      "acmcp: Yarn Plug'n'Play has no node_modules, where acmcp and Node.js look for packages: write `nodeLinker: node-modules` into .yarnrc.yml and run `yarn install`",
    )
    process.exitCode = 1
    return
  }
  if (cwd === undefined) process.exitCode = await work(context)
  else process.exitCode = enterFolder(cwd) ? await work({ ...context, cwd: process.cwd() }) : 2
}

/** Modules of the application, its processes and paths of settings begin there too. */
function enterFolder(folder: string): boolean {
  try {
    process.chdir(folder)
    return true
  } catch {
    process.stderr.write(`acmcp: --cwd: there is no folder ${resolve(folder)}\n`)
    return false
  }
}

const context: CommandContext = {
  cwd: process.cwd(),
  env: process.env,
  clock: () => Date.now(),
  version,
  main: import.meta.filename,
  print: (line) => void process.stdout.write(`${isTerminal ? printableWithStyles(line) : line}\n`),
  write: (bytes) => void process.stdout.write(bytes),
  warn: (line) => void process.stderr.write(`${printableWithStyles(line)}\n`),
  isTerminal,
  colour,
  errors,
  progress: errors.colour ? (line) => void process.stderr.write(`\r\u001b[K${line}`) : null,
  isInteractive: process.stdin.isTTY === true && process.stdout.isTTY === true,
  besideApplication,
}

const program = await createProgram(version, start, process.argv[2])

try {
  await program.parseAsync(process.argv)
} catch (error) {
  if (!(error instanceof CommanderError)) throw error
  process.exitCode = error.exitCode === 0 ? 0 : 2
}
