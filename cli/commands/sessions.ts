/** `acmcp sessions`: how people are signed out of their browsers. Never loads the compiler. */
import {
  addCommand,
  CommandFailure,
  type JsonFlag,
  printResult,
  withJson,
} from '../command-line/add-command.ts'
import type { Add } from '../command-line/command.ts'
import { printableInLine } from '../terminal/table.ts'

export const place = 340

export const add: Add = (program, start) => {
  const group = program.command('sessions').description('sign people out of their browsers')
  const revoke = withJson(group.command('revoke'))
    .description('sign a user out of every browser; connections of clients stay, and streams that are open')
    .argument('<user>', 'what users list calls USER')
  addCommand<JsonFlag, [user: string]>(revoke, start, {
    examples: ['acmcp sessions revoke google:117'],
    async run(options, user) {
      const { revokeSessions } = await import('../../runtime/serve/tasks/access-tasks.ts')
      const sessions = await revokeSessions(options, user)
      if (sessions === null) throw new CommandFailure(`there is no user ${printableInLine(user)}`)
      const text = `signed out of ${sessions} ${sessions === 1 ? 'browser' : 'browsers'}`
      printResult(options, { sessions }, [text])
      return 0
    },
  })
}
