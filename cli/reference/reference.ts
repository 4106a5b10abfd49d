/** Everything that the reference explains. */
import { commandEntries } from './commands.ts'
import { allDiagnostics } from './diagnostics.ts'
import type { Entry } from './entry.ts'
import { exportEntries } from './exports.ts'
import { variableEntries } from './settings/variables.ts'
import { settingEntries } from './settings.ts'
import { allTags } from './tags.ts'

export const allEntries = (): readonly Entry[] => [
  ...allTags,
  ...settingEntries(),
  ...variableEntries(),
  ...commandEntries(),
  ...exportEntries(),
  ...allDiagnostics(),
]
