/** Which suites there are, and which of them share a process. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Queue } from './pool.ts'

/** These measure the processor's time of their process, and have one to themselves. */
const measuring = /growth|message-weight|bounded-maps|nested-quantifiers/
export const isMeasuring = (suite: string): boolean => measuring.test(suite)

/** So have these: they register an OpenTelemetry SDK for all of it. */
const instrumented = /^dist\/test\/telemetry\/|audit\/traced/

/** These load TypeScript, and read the standard library's types. */
const ofCompiler = /^dist\/test\/(cli\/|docs|public-types|readme)/

/** These wait for processes and browsers, some of them for half a minute: none begins at the end, when nothing else is left to do. */
const isWaiting = (suite: string): boolean => /^dist\/test\/(serve|pages|flow|operations)\//.test(suite)

/** The suites with one of `parts` in their path, or all: first those that run alone, then the compiler's, then the others. */
export function queuesOf(parts: readonly string[] = []): readonly Queue[] {
  const suites = readdirSync('dist/test', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.js'))
    .map((file) => join('dist/test', file))
    .filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)))
    .sort()
  const isAlone = (suite: string): boolean => isMeasuring(suite) || instrumented.test(suite)
  const isOfCompiler = (suite: string): boolean => ofCompiler.test(suite)
  const shared = suites.filter((suite) => !isAlone(suite))
  return [
    ...suites.filter(isAlone).map((suite) => [suite]),
    shared.filter(isOfCompiler),
    shared
      .filter((suite) => !isOfCompiler(suite))
      .sort((a, b) => Number(isWaiting(b)) - Number(isWaiting(a))),
  ]
}
