/** Everything that the reference explains; `program`: the command line. */
import type { Command } from 'commander'
import { commandEntries } from './commands.ts'
import { allDiagnostics } from './diagnostics.ts'
import type { Entry } from './entry.ts'
import { exportEntries } from './exports.ts'
import { variableEntries } from './settings/variables.ts'
import { settingEntries } from './settings.ts'
import { allTags } from './tags.ts'

export const allEntries = (program: Command): readonly Entry[] => [
  ...allTags,
  ...settingEntries(),
  ...variableEntries(),
  ...commandEntries(program),
  ...exportEntries(),
  ...allDiagnostics(),
]
