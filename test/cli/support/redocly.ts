/** `redocly lint`: a linter of OpenAPI documents that we did not write. */
import { spawnSync } from 'node:child_process'

interface Problem {
  readonly ruleId: string
  readonly severity: string
  readonly message: string
  readonly location: readonly { readonly pointer?: string }[]
}

/** Every error and warning about the documents, under the recommended rules but for those `without`, by name with the
 *  reason. */
export function redocly(
  documents: readonly string[],
  without: Readonly<Record<string, string>> = {},
): readonly string[] {
  const skipped = Object.keys(without).flatMap((rule) => ['--skip-rule', rule])
  const { stdout, stderr } = spawnSync(
    'node_modules/.bin/redocly',
    ['lint', '--format', 'json', '--max-problems', '1000', ...skipped, ...documents],
    {
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
      env: { PATH: process.env.PATH, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    },
  )
  const reports = stdout.split(/(?<=^\})(?=\{)/m).filter((text) => text.startsWith('{')) // one a document
  if (reports.length < documents.length) throw new Error(`redocly says: ${stdout}${stderr}`)
  const problems = reports.flatMap(
    (text) => (JSON.parse(text) as { readonly problems: readonly Problem[] }).problems, // as redocly prints it
  )
  return problems.map(
    ({ severity, ruleId, message, location }) =>
      `${severity} ${ruleId}: ${message} (${location[0]?.pointer})`,
  )
}
