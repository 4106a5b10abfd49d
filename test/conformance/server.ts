/** `npm run conformance:server`: the official suite's server scenarios against the fixture application. Prints one line a
 *  scenario; exit code 1 when one of the two bars is missed. With the argument `plugins` the application has Fastify plugins:
 *  hooks, cookies, compression, decorators. */
import { temporaryFolder } from '../flow/support.ts'
import { serveFixture } from './fixture.ts'
import { type Check, installSuite, scenariosIn } from './suite.ts'

interface Bar {
  readonly version: string
  /** Scenarios that must pass; whatever else the revision requires is run and reported. */
  readonly gated: readonly string[]
}

const tools = [
  'simple-text',
  'image',
  'audio',
  'embedded-resource',
  'mixed-content',
  'error',
  'with-progress',
]
const shared = [
  'tools-list',
  ...tools.map((name) => `tools-call-${name}`),
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
  ...['prompts-list', 'prompts-get-simple', 'prompts-get-with-args'],
  ...['prompts-get-embedded-resource', 'prompts-get-with-image'],
  ...['resources-list', 'resources-read-text', 'resources-read-binary', 'resources-templates-read'],
  'completion-complete',
]

const asking = [
  ...['basic-elicitation', 'basic-sampling', 'basic-list-roots', 'request-state', 'multiple-input-requests'],
  ...['multi-round', 'non-tool-request', 'result-type', 'tampered-state', 'capability-check'],
  ...['missing-input-response', 'ignore-extra-params', 'validate-input', 'unsupported-methods'],
]

const bars: readonly Bar[] = [
  { version: '2025-11-25', gated: ['server-initialize', 'ping', ...shared] },
  {
    version: '2026-07-28',
    gated: [
      'server-stateless',
      ...shared,
      'caching',
      ...asking.map((name) => `input-required-result-${name}`),
      'sep-2164-resource-not-found',
      'http-header-validation',
      'http-custom-header-server-validation',
    ],
  },
]

/** Scenarios of extensions, which belong to no revision; every one must pass without a warning. */
const extensionScenarios: readonly string[] = [
  ...['enumeration', 'manifest', 'directory'].map((part) => `sep-2640-skills-${part}`),
  ...['lifecycle', 'capability-negotiation', 'wire-fields', 'request-state-removal', 'mrtr-input'].map(
    asTask,
  ),
  ...['request-headers', 'dispatch-and-envelope', 'required-task-error', 'mrtr-composition'].map(asTask),
  asTask('status-notifications'),
]

/** It fails where a folder has no folder in it: a skill is one file. */
const checksOfNothing: ReadonlySet<string> = new Set(['sep-2640-directory-read-subdir-mimetype'])

/** The suite asks the server nothing there. */
const skippedBySuite: ReadonlySet<string> = new Set(['tasks-status-notifications'])

function asTask(name: string): string {
  return `tasks-${name}`
}

const suite = installSuite()
const isPlugged = process.argv.includes('plugins')
const { application, url } = await serveFixture(isPlugged)
process.stdout.write(isPlugged ? 'the application has Fastify plugins\n' : '')
const failed = []
for (const bar of bars) failed.push(...(await run(bar)))
for (const scenario of extensionScenarios) failed.push(...(await runExtension(scenario)))
await application.close()
process.stdout.write(failed.length === 0 ? 'every gated scenario passed\n' : `failed: ${failed.join(', ')}\n`)
process.exitCode = failed.length === 0 ? 0 : 1

/** Runs all that the revision requires, and what is not scored yet; answers the gated scenarios that failed. */
async function run({ version, gated }: Bar): Promise<readonly string[]> {
  const folder = temporaryFolder()
  await suite.run(['server', '--url', url, '--requirements', version, '-o', folder], () => {})
  const results = scenariosIn(folder)
  for (const { scenario, checks } of results) report(scenario, checks, gated.includes(scenario))
  const passed = results.filter(({ checks }) => isPassed(checks)).map(({ scenario }) => scenario)
  const missed = gated.filter((scenario) => !passed.includes(scenario))
  const others = results.length - (gated.length - missed.length)
  const reported = passed.length - (gated.length - missed.length)
  process.stdout.write(
    `${version}: gated ${gated.length - missed.length} of ${gated.length}; others ${reported} of ${others}, not gated\n\n`,
  )
  return missed.map((scenario) => `${version} ${scenario}`)
}

async function runExtension(scenario: string): Promise<readonly string[]> {
  const folder = temporaryFolder()
  await suite.run(['server', '--url', url, '--scenario', scenario, '-o', folder], () => {})
  const results = scenariosIn(folder).map(({ checks, ...rest }) => ({
    ...rest,
    checks: checks.filter(({ id }) => !checksOfNothing.has(id)),
  }))
  for (const { checks } of results) report(scenario, checks, !skippedBySuite.has(scenario))
  const isWarned = results.some(({ checks }) => checks.some(({ status }) => status === 'WARNING'))
  const isFine = skippedBySuite.has(scenario)
    ? results.every(({ checks }) => checks.every(({ status }) => status === 'SKIPPED'))
    : results.some(({ checks }) => isPassed(checks))
  return !isWarned && isFine ? [] : [scenario]
}

/** A scenario passes when it looked at something and nothing failed. */
function isPassed(checks: readonly Check[]): boolean {
  return (
    checks.some(({ status }) => status !== 'SKIPPED') && checks.every(({ status }) => status !== 'FAILURE')
  )
}

function report(scenario: string, checks: readonly Check[], isGated: boolean): void {
  const counts = new Map<string, number>()
  for (const { status } of checks) counts.set(status, (counts.get(status) ?? 0) + 1)
  const summary = [...counts].map(([status, count]) => `${count} ${status}`).join(', ')
  const mark = isPassed(checks) ? 'pass' : isGated ? 'FAIL' : 'open'
  process.stdout.write(`${mark} ${scenario}: ${summary || 'nothing was checked'}\n`)
  const noted = checks.filter(({ status }) => status === 'WARNING' || (isGated && status === 'FAILURE'))
  for (const { id, status } of noted) process.stdout.write(`     ${status} ${id}\n`)
}
