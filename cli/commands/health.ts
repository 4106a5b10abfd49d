/** `acmcp health`: whether a server answers, for a container's health check. Starts nothing. */
import { toUrl } from '../command-line/argument-types.ts'
import { type Add, addExamples, type CommandContext } from '../command-line/command.ts'
import { withEnvFile } from '../command-line/env-file.ts'

export const add: Add = (program, start) => {
  const command = program
    .command('health')
    .description('ask whether a server answers, for a container health check')
    .argument('[url]', 'the server, or with a path an address of it that must answer 2xx', toUrl)
    .option('--store', 'ask whether the store answers too')
    .allowExcessArguments(false)
    .action((url: URL | undefined, { store = false }: { readonly store?: boolean }) =>
      start((context) => run({ ...context, url: url ?? null, store })),
    )
  addExamples(command, ['acmcp health', 'acmcp health --store', 'acmcp health http://127.0.0.1:8080/health'])
}

export interface HealthCommandOptions extends Pick<CommandContext, 'cwd' | 'env' | 'print' | 'warn'> {
  readonly url: URL | null
  readonly store: boolean
}

/** Says what was asked; the exit code: 1 when the server is not well. */
export function run({ cwd, print, warn, ...options }: HealthCommandOptions): Promise<0 | 1> {
  return withEnvFile(cwd, warn, async () => {
    const { askHealth } = await import('../../runtime/serve/health.ts')
    const answer = await askHealth(options)
    for (const { what, wrong } of answer) {
      if (wrong === null) print(what)
      else warn(`acmcp: not healthy: ${what}: ${wrong}`)
    }
    return answer.every(({ wrong }) => wrong === null) ? 0 : 1
  })
}
