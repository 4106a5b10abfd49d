/** `acmcp health`: whether a server answers, for a container's health check. Starts nothing. */
import { addCommand } from '../command-line/add-command.ts'
import { toUrl } from '../command-line/argument-types.ts'
import type { Add } from '../command-line/command.ts'

export const place = 620

export const add: Add = (program, start) => {
  const command = program
    .command('health')
    .description('ask whether a server answers, for a container health check')
    .argument('[url]', 'the server, or with a path an address of it that must answer 2xx', toUrl)
    .option('--store', 'ask whether the store answers too')
  addCommand<{ readonly store?: boolean }, [url?: URL]>(command, start, {
    examples: ['acmcp health', 'acmcp health --store', 'acmcp health http://127.0.0.1:8080/health'],
    async run({ env, store = false, print, warn }, url) {
      const { askHealth } = await import('../../runtime/serve/health.ts')
      const answer = await askHealth({ env, url: url ?? null, store })
      for (const { what, wrong } of answer) {
        if (wrong === null) print(what)
        else warn(`acmcp: not healthy: ${what}: ${wrong}`)
      }
      return answer.every(({ wrong }) => wrong === null) ? 0 : 1
    },
  })
}
