/** `acmcp build`: compiles the application, and writes what it came to, or compares it (`--check`). */
import { Option } from 'commander'
import type { BuildOptions } from '../build/build-options.ts'
import { type Add, addExamples, type CommandContext } from '../command-line/command.ts'
import { stopSignal } from '../command-line/stopping.ts'
import { cacheCompiledCode, optimiseLess } from '../command-line/v8-options.ts'

export const place = 130

export const add: Add = (program, start) => {
  const command = program
    .command('build')
    .description('compile the controllers into generated/ and .acmcp/')
    .option('--check', 'write nothing; fail with a diff when generated/ is stale')
    .option(
      '--against <ref>',
      'with --check: also tell how the contract differs from that of a git revision or a folder',
    )
    .addOption(
      new Option('--fail <class>', 'the least of the changes that fail')
        .choices(['breaking', 'dangerous', 'texts', 'any'])
        .default('breaking'),
    )
    .option('--summary <file>', 'with --against: add a summary in Markdown to this file')
    .addOption(
      new Option('--format <format>', 'how problems are shown')
        .choices(['text', 'json', 'github'])
        .default('text'),
    )
    .addOption(
      new Option('--watch', 'build again whenever the application changes').conflicts(['check', 'typecheck']),
    )
    .addOption(
      new Option('--poll', 'with --watch: look for changes where the file system tells of none')
        .implies({ watch: true })
        .conflicts(['check', 'typecheck']),
    )
    .option('--typecheck', "also run the application's own tsc --noEmit")
    .option('--client', 'write a typed client too, generated/client.ts; later builds keep it up to date')
    .option('--strict', 'take warnings for errors')
    .option('--overwrite', 'discard edits made by hand and merge conflicts in generated/')
    .allowExcessArguments(false)
    .action((flags: BuildFlags) => start((context) => run(flags, context)))
  addExamples(command, [
    'acmcp build',
    'acmcp build --check --format github',
    'acmcp build --watch',
    'acmcp build --client',
    'acmcp build --check --against origin/main --format github --summary "$GITHUB_STEP_SUMMARY"',
  ])
}

interface BuildFlags extends Pick<BuildOptions, 'format' | 'client' | 'against' | 'fail' | 'summary'> {
  readonly check?: boolean
  readonly overwrite?: boolean
  readonly typecheck?: boolean
  readonly strict?: BuildOptions['strict']
  readonly watch?: boolean
  readonly poll?: boolean
}

/** The exit code: 1 when nothing was written, or what was compared is stale or fails, 2 when `--against` has no contract. */
export async function run(
  { watch: isWatching = false, poll: isWanted = false, ...flags }: BuildFlags,
  { cwd, clock, env, errors, progress, print, warn }: CommandContext,
): Promise<number> {
  if (flags.against !== undefined && flags.check !== true) {
    warn('acmcp: --against compares what a build would write: it needs --check')
    return 1
  }
  cacheCompiledCode()
  const off = { check: false, overwrite: false, typecheck: false, strict: false }
  const shown = progress === null || flags.format !== 'text' ? {} : { progress }
  const options = { ...off, ...flags, cwd, clock, colour: errors.colour, ...shown, print, warn }
  const { isElsewhere } = await import('../build/elsewhere.ts')
  if (isWatching && !isElsewhere(cwd)) {
    const { watch } = await import('../build/watch/watch.ts')
    const { pollReason } = await import('../build/watch/poll-reason.ts')
    const poll = pollReason([cwd, `${cwd}/app`], { isWanted, env })
    return watch({ ...options, poll }, stopSignal())
  }
  optimiseLess()
  const { buildIfChanged } = await import('../build/build-if-changed.ts')
  return buildIfChanged({ ...options, once: true })
}
