/** Which suites there are, and which of them share a process. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Queue } from './pool.ts'

/** These have a process to themselves. */
const alone: readonly RegExp[] = [
  /growth|message-weight|bounded-maps|nested-quantifiers/, // measure this process
  /^dist\/test\/telemetry\/|audit\/traced/, // register an OpenTelemetry SDK for all of it
]

/** The suites with one of `parts` in their path, or all: first those that run alone, then the compiler's, then the others. */
export function queuesOf(parts: readonly string[] = []): readonly Queue[] {
  const suites = readdirSync('dist/test', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.js'))
    .map((file) => join('dist/test', file))
    .filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)))
    .sort()
  const isAlone = (suite: string): boolean => alone.some((pattern) => pattern.test(suite))
  const isOfCompiler = (suite: string): boolean => suite.startsWith('dist/test/cli/')
  const shared = suites.filter((suite) => !isAlone(suite))
  return [
    ...suites.filter(isAlone).map((suite) => [suite]),
    shared.filter(isOfCompiler),
    shared.filter((suite) => !isOfCompiler(suite)),
  ]
}
