/** `acmcp build --watch`: a build goes on, and is made again whenever the application changes. */
import type { BuildPart } from '../../build/build-options.ts'

interface WatchFlags {
  readonly watch?: boolean
  readonly poll?: boolean
}

export const part: BuildPart = {
  behind: '--format',
  options: (option) => [
    option('--watch', 'build again whenever the application changes').conflicts(['check', 'typecheck']),
    option('--poll', 'with --watch: look for changes where the file system tells of none')
      .implies({ watch: true })
      .conflicts(['check', 'typecheck']),
  ],
  async instead(options, env) {
    const { cwd, flags } = options
    const { watch: isWatching = false, poll: isWanted = false }: WatchFlags = flags ?? {}
    if (!isWatching) return null
    const { isElsewhere } = await import('../../build/elsewhere.ts')
    if (isElsewhere(cwd)) return null
    const { watch } = await import('./watch/watch.ts')
    const { pollReason } = await import('./watch/poll-reason.ts')
    const { stopSignal } = await import('../../command-line/stopping.ts')
    const poll = pollReason([cwd, `${cwd}/app`], { isWanted, env })
    return watch({ ...options, poll }, stopSignal())
  },
}
