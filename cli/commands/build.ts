/** `acmcp build`: compiles the application, and writes what it came to, or compares it (`--check`). */
import { Option } from 'commander'
import type { BuildOptions, BuildPart } from '../build/build-options.ts'
import { buildParts } from '../command-line/capability-files.ts'
import { type Add, addExamples, type CommandContext } from '../command-line/command.ts'
import { cacheCompiledCode, optimiseLess } from '../command-line/v8-options.ts'

export const place = 130

export const add: Add = async (program, start) => {
  const parts = await buildParts()
  const command = program
    .command('build')
    .description('compile the controllers into generated/ and .acmcp/')
    .allowExcessArguments(false)
    .action((flags: BuildFlags) => start((context) => run(parts, flags, context)))
  for (const own of ownOptions()) {
    const further = parts.flatMap(({ behind, options }) => (behind === own.long ? options : []))
    for (const option of [own, ...further]) command.addOption(option)
  }
  addExamples(command, [
    'acmcp build',
    'acmcp build --check --format github',
    'acmcp build --watch',
    'acmcp build --client',
    'acmcp build --check --against origin/main --format github --summary "$GITHUB_STEP_SUMMARY"',
  ])
}

const ownOptions = (): readonly Option[] => [
  new Option('--check', 'write nothing; fail with a diff when generated/ is stale'),
  new Option('--format <format>', 'how problems are shown')
    .choices(['text', 'json', 'github'])
    .default('text'),
  new Option('--typecheck', "also run the application's own tsc --noEmit"),
  new Option('--strict', 'take warnings for errors'),
  new Option('--overwrite', 'discard edits made by hand and merge conflicts in generated/'),
]

interface BuildFlags extends Pick<BuildOptions, 'format'> {
  readonly check?: boolean
  readonly overwrite?: boolean
  readonly typecheck?: boolean
  readonly strict?: BuildOptions['strict']
}

/** The exit code: 1 when nothing was written, or what was compared is stale or fails, 2 when there is nothing to compare with. */
async function run(
  parts: readonly BuildPart[],
  flags: BuildFlags,
  { cwd, clock, env, errors, progress, print, warn }: CommandContext,
): Promise<number> {
  cacheCompiledCode()
  const { format, check = false, overwrite = false, typecheck = false, strict = false } = flags
  const shown = progress === null || format !== 'text' ? {} : { progress }
  const options: BuildOptions = {
    ...{ format, check, overwrite, typecheck, strict, parts, flags },
    ...{ cwd, clock, colour: errors.colour, ...shown, print, warn },
  }
  for (const { instead } of parts) {
    const code = (await instead?.(options, env)) ?? null
    if (code !== null) return code
  }
  optimiseLess()
  const { buildIfChanged } = await import('../build/build-if-changed.ts')
  return buildIfChanged({ ...options, once: true })
}
