/** `npm run conformance:server`: the official suite's server scenarios against the fixture application. Prints one line a
 *  scenario; exit code 1 when one of the two bars is missed (reference/mcp.md, 4.3). */
import { temporaryFolder } from '../flow/support.ts'
import { serveFixture } from './fixture.ts'
import { checksIn, installSuite } from './suite.ts'

interface Bar {
  readonly version: string
  /** Scenarios that must pass; whatever else the revision requires is run and reported. */
  readonly gated: readonly string[]
}

const tools = ['simple-text', 'image', 'audio', 'embedded-resource', 'mixed-content', 'error', 'with-progress']
const shared = [
  'tools-list',
  ...tools.map((name) => `tools-call-${name}`),
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
  'json-schema-2020-12',
]

const bars: readonly Bar[] = [
  { version: '2025-11-25', gated: ['server-initialize', 'ping', ...shared] },
  {
    version: '2026-07-28',
    gated: [
      'server-stateless',
      ...shared,
      'sep-2164-resource-not-found',
      'http-header-validation',
      'http-custom-header-server-validation',
    ],
  },
]

const suite = installSuite()
const { application, url } = await serveFixture()
const failed = []
for (const bar of bars) failed.push(...(await run(bar)))
await application.close()
process.stdout.write(failed.length === 0 ? 'every gated scenario passed\n' : `failed: ${failed.join(', ')}\n`)
process.exitCode = failed.length === 0 ? 0 : 1

/** Runs what the revision requires and what the bar names; answers the gated scenarios that failed. */
async function run({ version, gated }: Bar): Promise<readonly string[]> {
  const required = await requiredScenarios(version)
  const others = required.filter((scenario) => !gated.includes(scenario))
  const passed = await passing(gated, version)
  const stretch = await passing(others, version)
  process.stdout.write(`${version}: gated ${passed.size} of ${gated.length}, others ${stretch.size} of ${others.length}\n`)
  return gated.filter((scenario) => !passed.has(scenario)).map((scenario) => `${version} ${scenario}`)
}

async function requiredScenarios(version: string): Promise<readonly string[]> {
  const found: string[] = []
  let section = ''
  await suite.run(['list', '--requirements', version], (line) => {
    if (/^\S/.test(line)) section = line
    const [, scenario] = /^ {2}- (\S+)/.exec(line) ?? []
    if (scenario !== undefined && section.startsWith('Server scenarios')) found.push(scenario)
  })
  return found
}

async function passing(scenarios: readonly string[], version: string): Promise<ReadonlySet<string>> {
  const passed = new Set<string>()
  for (const scenario of scenarios) {
    const folder = temporaryFolder()
    const args = ['server', '--url', url, '--scenario', scenario, '--spec-version', version, '-o', folder]
    const code = await suite.run(args, () => {})
    const checks = checksIn(folder)
    const counts = new Map<string, number>()
    for (const { status } of checks) counts.set(status, (counts.get(status) ?? 0) + 1)
    const isPassed = code === 0 && checks.length > 0 && !counts.has('FAILURE')
    if (isPassed) passed.add(scenario)
    const summary = [...counts].map(([status, count]) => `${count} ${status}`).join(', ')
    process.stdout.write(`${isPassed ? 'pass' : 'FAIL'} ${version} ${scenario}: ${summary || `exit code ${code}`}\n`)
    for (const { id, status } of checks) {
      if (status === 'FAILURE' || status === 'WARNING') process.stdout.write(`       ${status} ${id}\n`)
    }
  }
  return passed
}
