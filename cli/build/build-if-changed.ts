/** A build that is not run, and for which no compiler is loaded, when nothing changed since the last one. */
import { type BuildOptions, settingsOf, show } from './build-options.ts'
import { diskHost } from './disk.ts'
import { observed } from './observations.ts'
import { type BuildState, changesSince, hasOutputs, readState } from './up-to-date.ts'

/** Builds the application in `cwd` and resolves to the exit code: 0, 1 when nothing was written, or 2 when there is no contract to
 *  compare with. */
export async function buildIfChanged(options: BuildOptions): Promise<0 | 1 | 2> {
  const state = readState(options.cwd)
  if (!options.typecheck) return buildFiles(options, state)
  const code = await buildFiles(options, state)
  if (code !== 0) return code
  const { typecheck } = await import('./typecheck.ts') // not before: it reads the tables that the build writes
  return typecheck(options)
}

async function buildFiles(options: BuildOptions, state: BuildState | null): Promise<0 | 1 | 2> {
  const seen = observed(diskHost(options.cwd))
  const changes = state === null ? null : changesSince(state, seen.host, settingsOf(options))
  if (options.against === undefined && state !== null && changes?.length === 0 && hasOutputs(state)) {
    show(options, state.diagnostics)
    if (options.format === 'text' && !options.check) options.print('nothing changed')
    return 0
  }
  const { buildApplication, createBuildSession } = await import('./build.ts')
  const session = createBuildSession(options.cwd, options)
  try {
    return await buildApplication(options, { session, since: null, counts: state?.counts ?? null })
  } finally {
    await session.bundler.close()
  }
}
