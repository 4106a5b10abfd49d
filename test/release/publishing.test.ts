/** What a release says of itself, and how it is published. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'

const { version, keywords }: { readonly version: string; readonly keywords: readonly string[] } = JSON.parse(
  readFileSync('package.json', 'utf8'),
)
const changelog = readFileSync('.github/CHANGELOG.md', 'utf8')

const headings = (level: string): readonly string[] =>
  [...changelog.matchAll(new RegExp(`^${level} (.+)$`, 'gm'))].map(([, text = '']) => text)

t.test('release: the changelog keeps to Keep a Changelog and has this version', async (t) => {
  const [first = '', ...released] = headings('##')
  t.equal(first, '[Unreleased]')
  t.strictSame(
    released.filter((heading) => !/^\[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}$/.test(heading)),
    [],
  )
  t.ok(
    released.some((heading) => heading.startsWith(`[${version}] `)),
    version,
  )
  const kinds = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']
  t.strictSame(
    headings('###').filter((kind) => !kinds.includes(kind)),
    [],
  )
})

interface Job {
  readonly permissions?: Readonly<Record<string, string>>
  readonly needs?: string
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[]
}

interface Workflow {
  readonly on: unknown
  readonly permissions: unknown
  readonly jobs: Readonly<Record<string, Job>>
}

t.test('release: a tag publishes with provenance, after everything was tested', async (t) => {
  const workflow: Workflow = parse(readFileSync('.github/workflows/publish.yml', 'utf8'))
  t.strictSame(workflow.on, { push: { tags: ['v*.*.*'] } })
  t.strictSame(workflow.permissions, { contents: 'read' })
  const { test, publish } = workflow.jobs
  const commands = publish?.steps.flatMap(({ run }) => run ?? []) ?? []
  t.ok(test?.steps.some(({ run }) => run === '.ci/run'))
  t.strictSame([publish?.needs, publish?.permissions], ['test', { contents: 'read', 'id-token': 'write' }])
  t.equal(commands.at(-1), 'npm publish --provenance --access public')
  t.ok(commands.some((command) => command.includes('test "$GITHUB_REF_NAME" = "v$version"')))
  t.ok(commands.some((command) => command.includes('npm pkg set repository.type=git')))
  const actions = Object.values(workflow.jobs).flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []))
  t.strictSame(
    actions.filter((action) => !/^actions\/[a-z-]+@(v\d+|[\da-f]{40})$/.test(action)),
    [],
    'every action is pinned',
  )
})

t.test('package.json has keywords', async (t) => {
  t.ok(keywords.includes('mcp') && keywords.includes('openapi') && keywords.length >= 5)
})
