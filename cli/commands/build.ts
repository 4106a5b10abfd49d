/** `acmcp build`: compiles the application, and writes what it came to, or compares it (`--check`). */
import { Option } from 'commander'
import type { BuildOptions } from '../build/build-options.ts'
import { type Add, addExamples, type CommandContext } from '../command-line/command.ts'
import { stopSignal } from '../command-line/stopping.ts'
import { cacheCompiledCode, optimiseLess } from '../command-line/v8-options.ts'

export const add: Add = (program, start) => {
  const command = program
    .command('build')
    .description('compile the controllers into generated/ and .acmcp/')
    .option('--check', 'write nothing; fail with a diff when generated/ is stale')
    .addOption(
      new Option('--format <format>', 'how problems are shown')
        .choices(['text', 'json', 'github'])
        .default('text'),
    )
    .addOption(
      new Option('--watch', 'build again whenever the application changes').conflicts(['check', 'typecheck']),
    )
    .option('--typecheck', "also run the application's own tsc --noEmit")
    .addOption(
      new Option('--openapi <version>', 'the dialect of generated/openapi.yml')
        .choices(['3.1', '3.0'])
        .default('3.1'),
    )
    .option('--client', 'write a typed client too, generated/client.ts; later builds keep it up to date')
    .addOption(
      new Option(
        '--strict [also]',
        'take warnings for errors; answers: no answer of a tool may pass whole either',
      ).choices(['answers']),
    )
    .option('--overwrite', 'discard edits made by hand and merge conflicts in generated/')
    .allowExcessArguments(false)
    .action((flags: BuildFlags) => start((context) => run(flags, context)))
  addExamples(command, [
    'acmcp build',
    'acmcp build --check --format github',
    'acmcp build --watch',
    'acmcp build --client',
    'acmcp build --check --strict answers',
  ])
}

interface BuildFlags extends Pick<BuildOptions, 'format' | 'openapi' | 'client'> {
  readonly check?: boolean
  readonly overwrite?: boolean
  readonly typecheck?: boolean
  readonly strict?: BuildOptions['strict']
  readonly watch?: boolean
}

/** The exit code: 1 when nothing was written, or what was compared is stale. */
export async function run(
  { watch: isWatching = false, ...flags }: BuildFlags,
  { cwd, errors, progress, print, warn }: CommandContext,
): Promise<number> {
  cacheCompiledCode()
  const off = { check: false, overwrite: false, typecheck: false, strict: false }
  const shown = progress === null || flags.format !== 'text' ? {} : { progress }
  const options = { ...off, ...flags, cwd, colour: errors.colour, ...shown, print, warn }
  const { isElsewhere } = await import('../build/elsewhere.ts')
  if (isWatching && !isElsewhere(cwd)) {
    const { watch } = await import('../build/watch/watch.ts')
    return watch(options, stopSignal())
  }
  optimiseLess()
  const { buildIfChanged } = await import('../build/build-if-changed.ts')
  return buildIfChanged({ ...options, once: true })
}
