/** `acmcp init`: a new application, or what an existing project lacks to be one. */
import { Option } from 'commander'
import { type Add, addExamples, type CommandContext } from '../../../command-line/command.ts'
import { type ExampleName, exampleNames } from '../project-files.ts'

export const place = 110

export const add: Add = (program, start) => {
  const command = program
    .command('init')
    .description('make a new application, or add the files that a project lacks; nothing is overwritten')
    .argument('[dir]', 'where; asked for, else the working directory')
    .option('--yes', 'ask nothing')
    .addOption(
      new Option('--example [name]', 'begin with an example: notes of signed-in users, or a help desk')
        .choices(exampleNames)
        .preset(exampleNames[0])
        .conflicts('empty'),
    )
    .option('--empty', 'begin with one route')
    .allowExcessArguments(false)
    .action((folder: string | undefined, flags: InitFlags) =>
      start((context) => run(folder ?? null, flags, context)),
    )
  addExamples(command, [
    'acmcp init',
    'acmcp init shop --yes',
    'acmcp init --example desk',
    'acmcp init --empty',
  ])
}

interface InitFlags {
  readonly yes?: boolean
  readonly example?: ExampleName
  readonly empty?: boolean
}

/** The exit code: 1 when nothing, or not everything, could be written. */
export async function run(
  folder: string | null,
  { yes = false, example, empty = false }: InitFlags,
  { isInteractive, ...context }: CommandContext,
): Promise<0 | 1> {
  const { makeProject } = await import('../make-project.ts')
  const variant = example ?? (empty ? 'empty' : null)
  return makeProject({ ...context, folder, variant, isInteractive: isInteractive && !yes })
}
