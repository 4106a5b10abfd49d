/** `acmcp sessions`: how people are signed out of their browsers. Never loads the compiler. */
import { type AccessCommandOptions, withJson } from '../command-line/access-lists.ts'
import { type Add, addExamples } from '../command-line/command.ts'
import { withEnvFile } from '../command-line/env-file.ts'
import { jsonDocument, printableInLine } from '../terminal/table.ts'

export const add: Add = (program, start) => {
  const group = program.command('sessions').description('sign people out of their browsers')
  const revoke = withJson(group.command('revoke'))
    .description('sign a user out of every browser; connections of clients stay, and streams that are open')
    .argument('<user>', 'what users list calls USER')
    .action((user: string, { json = false }: { readonly json?: boolean }) =>
      start((context) => run(user, { ...context, json })),
    )
  addExamples(revoke, ['acmcp sessions revoke google:117'])
}

/** Signs a user out; the exit code: 1 when there is no such user, or it was refused, after a clear line. */
export function run(user: string, options: AccessCommandOptions): Promise<0 | 1> {
  const { cwd, json, isTerminal, print, warn } = options
  return withEnvFile(cwd, warn, async () => {
    const { revokeSessions } = await import('../../runtime/serve/tasks/access-tasks.ts')
    const sessions = await revokeSessions(options, user)
    if (sessions === null) {
      warn(`acmcp: there is no user ${printableInLine(user)}`)
      return 1
    }
    const text = `signed out of ${sessions} ${sessions === 1 ? 'browser' : 'browsers'}`
    print(json ? jsonDocument({ sessions }, isTerminal) : text)
    return 0
  })
}
