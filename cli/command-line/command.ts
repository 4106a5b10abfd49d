/** What commands are made of: the process that one runs in, how one is added to the command line, and where those of capabilities lie. */
import { existsSync, readdirSync } from 'node:fs'
import type { Command } from 'commander'
import type { TableStyle } from '../terminal/table.ts'

/** What a command knows of the process that runs it. The style is that of `print`. */
export interface CommandContext extends TableStyle {
  readonly cwd: string
  /** Of this process: `.env` is read into it. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** Of the package. */
  readonly version: string
  /** The program of this command line. */
  readonly main: string
  /** A line of what was asked for, on standard output. */
  readonly print: (line: string) => void
  /** The same without a line break: bytes as they are. */
  readonly write: (bytes: Uint8Array) => void
  /** A line for people, on standard error. */
  readonly warn: (line: string) => void
  /** Where `warn` writes. */
  readonly errors: TableStyle
  /** One line there that is written over; null where there is no terminal. */
  readonly progress: ((line: string) => void) | null
  /** Whether questions can be answered. */
  readonly isInteractive: boolean
  /** Runs what loads the application: what its modules write to the console does not stand in what was asked for, and what they
   *  leave running does not keep the process. */
  readonly besideApplication: <Code extends number>(run: () => Promise<Code>) => Promise<Code>
}

/** Runs a command; what `work` resolves to is the exit code. */
export type Start = (work: (context: CommandContext) => Promise<number>) => Promise<void>

/** Adds a command, or a group of them, with its options and examples. */
export type Add = (program: Command, start: Start) => void | Promise<void>

/** What the file of a command exports, beside what runs it; that loads what it needs when it is called. */
export interface CommandModule {
  readonly add: Add
  /** In the help. A hundred is a purpose: to begin and build (100), to serve (200), to manage access (300), what there is (400), to try
   *  it (500), what is wrong (600), to read (700). Absent = at the end. */
  readonly place?: number
}

const known = new WeakMap<Command, readonly string[]>()

/** What a user would type. Shown in the command's `--help` and in the reference. */
export function addExamples(command: Command, examples: readonly string[]): void {
  known.set(command, examples)
  command.addHelpText('after', ['', 'Examples:', ...examples.map((line) => `  $ ${line}`)].join('\n'))
}

export const examplesOf = (command: Command): readonly string[] => known.get(command) ?? []

// What capabilities bring to the command line is found by where it lies: no file of the core names one.

const room = new URL('../capabilities/', import.meta.url)

/** Where `path` exists in the folder of a capability, by the name of that. */
export const inCapabilities = (path: string): readonly URL[] =>
  readdirSync(room)
    .sort()
    .map((name) => new URL(`${name}/${path}`, room))
    .filter((found) => existsSync(found))

/** What the files of that name export, as `part`. */
export async function partsInCapabilities<Part>(name: string): Promise<readonly Part[]> {
  const modules = await Promise.all(
    inCapabilities(name).map((file): Promise<{ readonly part: Part }> => import(file.href)), // the caller knows what it is
  )
  return modules.map(({ part }) => part)
}
