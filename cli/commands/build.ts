/** `acmcp build`: compiles the application, and writes what it came to, or compares it (`--check`). */
import type { Option } from 'commander'
import type { BuildOptions, BuildPart, MakeOption } from '../build/build-options.ts'
import { type Add, addExamples, type CommandContext, partsInCapabilities } from '../command-line/command.ts'

export const place = 130

export const add: Add = async (program, start) => {
  const parts = await partsInCapabilities<BuildPart>('build-part.js')
  const command = program
    .command('build')
    .description('compile the controllers into generated/ and .acmcp/')
    .allowExcessArguments(false)
    .action((flags: BuildFlags) => start((context) => run(parts, flags, context)))
  const option: MakeOption = (flags, text) => command.createOption(flags, text)
  for (const own of ownOptions(option)) {
    const further = parts.flatMap(({ behind, options }) => (behind === own.long ? options(option) : []))
    for (const each of [own, ...further]) command.addOption(each)
  }
  addExamples(command, [
    'acmcp build',
    'acmcp build --check --format github',
    'acmcp build --watch',
    'acmcp build --client',
    'acmcp build --check --against origin/main --format github --summary "$GITHUB_STEP_SUMMARY"',
  ])
}

const ownOptions = (option: MakeOption): readonly Option[] => [
  option('--check', 'write nothing; fail with a diff when generated/ is stale'),
  option('--format <format>', 'how problems are shown').choices(['text', 'json', 'github']).default('text'),
  option('--typecheck', "also run the application's own tsc --noEmit"),
  option('--strict', 'take warnings for errors'),
  option('--overwrite', 'discard edits made by hand and merge conflicts in generated/'),
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
  const { cacheCompiledCode, optimiseLess } = await import('../command-line/v8-options.ts')
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
