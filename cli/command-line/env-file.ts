/** What the commands that read an application's environment have in common. */

/** Runs a command with the variables of `.env` in development; when the application must not start, each reason is a line of
 *  `warn` and the exit code is 1. */
export function withEnvFile<Code extends number>(
  cwd: string,
  warn: (line: string) => void,
  run: () => Promise<Code>,
): Promise<Code | 1> {
  return orRefusal(warn, async () => {
    const { loadEnvFile } = await import('../../runtime/serve/env-file.ts')
    loadEnvFile(cwd)
    return run()
  })
}

async function orRefusal<Code extends number>(
  warn: (line: string) => void,
  run: () => Promise<Code>,
): Promise<Code | 1> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'BootError') throw error
    for (const line of error.message.split('\n')) warn(`acmcp: ${line}`)
    return 1
  }
}
