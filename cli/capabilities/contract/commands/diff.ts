/** `acmcp diff`: how the contract of the application differs from that of a revision or a folder. Writes nothing. */
import { type Add, addExamples, type CommandContext } from '../../../command-line/command.ts'
import { cacheCompiledCode, optimiseLess } from '../../../command-line/v8-options.ts'

export const place = 140

export const add: Add = (program, start) => {
  const command = program
    .command('diff')
    .description('show how routes, tools and texts differ from those of a git revision or a folder')
    .argument('[ref]', 'such as origin/main, v1.2.0, main:apps/desk or ../other; else HEAD', 'HEAD')
    .option('--json', 'print one JSON document')
    .action((ref: string, { json = false }: { readonly json?: boolean }) =>
      start((context) => run(ref, { ...context, json })),
    )
  addExamples(command, ['acmcp diff', 'acmcp diff origin/main', 'acmcp diff v1.2.0 --json'])
}

/** The exit code: 1 when the application does not compile, 2 when `ref` has no contract. */
async function run(
  ref: string,
  { cwd, clock, colour, print, warn, json }: CommandContext & { readonly json: boolean },
): Promise<number> {
  cacheCompiledCode()
  optimiseLess()
  const { showDiff } = await import('../diff.ts')
  const off = { check: true, overwrite: false, typecheck: false, strict: false } as const
  return showDiff({
    ...off,
    cwd,
    clock,
    colour,
    print,
    warn,
    json,
    against: ref,
    format: 'text',
  })
}
