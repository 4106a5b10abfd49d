/** `acmcp serve`: runs the last build, with `--watch` each one after it too. Never loads the compiler. */
export interface ServeCommandOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Applies pending migrations also in production. */
  readonly migrate: boolean
  /** Serves each new build as soon as it is there. */
  readonly watch: boolean
  readonly print: (line: string) => void
  /** Whether `print` writes to a terminal. */
  readonly isTerminal: boolean
  readonly warn: (line: string) => void
}

/** Serves until `close` is called; null when the application must not start, after a clear line for each reason. */
export async function serveApplication(
  options: ServeCommandOptions,
): Promise<{ readonly address: string; close(): Promise<void> } | null> {
  const { serve } = await import('../../runtime/serve/serve.ts')
  const { warn, ...served } = options
  try {
    return await serve(served)
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'BootError') throw error
    for (const line of error.message.split('\n')) warn(`acmcp: ${line}`)
    return null
  }
}
