/** How problems are shown. */
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import * as found from '../../../cli/compiler/diagnostics/source-diagnostics.ts'
import { report } from '../../../cli/terminal/report.ts'
import { acmcp, folderOf } from '../support/built-app.ts'
import { shapes } from '../support/diagnostic-shapes.ts'

t.setTimeout(240_000)

const at = { file: 'app/a,b.ts', line: 2, column: 5 }
const diagnostic = found.badTag(at, 'get', "'x%' is not a path", 'Write a path.')
const readFile = (): string => 'first\r\n\t   @get x%\r\nlast'

t.test('text shows the line and a mark under the place, in colour on a terminal', async (t) => {
  t.strictSame(report([diagnostic], { format: 'text', colour: false, readFile }), [
    `app/a,b.ts:2:5 - error ACM113: @get: 'x%' is not a path
  2 |     @get x%
    |     ^
  Write a path.`,
    '1 error',
    'acmcp explain ACM113 tells more',
  ])
  t.strictSame(report([diagnostic], { format: 'text', colour: true, readFile }), [
    `app/a,b.ts:2:5 - \u001b[31merror\u001b[0m ACM113: \u001b[1m@get: 'x%' is not a path\u001b[0m
  \u001b[2m2 |\u001b[0m     @get x%
  \u001b[2m  |\u001b[0m     \u001b[31m^\u001b[0m
  Write a path.`,
    '1 error',
    'acmcp explain ACM113 tells more',
  ])
})

t.test(
  'the report after a build: errors and warnings are counted; what failed is explained once',
  async (t) => {
    const last = (...all: readonly found.Diagnostic[]): unknown =>
      report(all, { format: 'text', colour: false, readFile }).slice(all.length)
    const warned = { ...diagnostic, code: 'ACM205', severity: 'warning' as const }
    t.strictSame(last(warned, diagnostic, diagnostic), [
      '2 errors, 1 warning',
      'acmcp explain ACM113 tells more',
    ])
    t.strictSame(last(warned, warned), ['2 warnings'])
    t.strictSame(report([], { format: 'text', colour: false, readFile }), [])
  },
)

t.test('a place without a line has no frame', async (t) => {
  t.strictSame(report([diagnostic], { format: 'text', colour: false, readFile: () => null }), [
    "app/a,b.ts:2:5 - error ACM113: @get: 'x%' is not a path\n  Write a path.",
    '1 error',
    'acmcp explain ACM113 tells more',
  ])
})

t.test('--format github writes annotations, --format json one document', async (t) => {
  const annotation = `::error file=app/a%2Cb.ts,line=2,col=5,title=ACM113::@get: 'x%25' is not a path%0AWrite a path.`
  t.strictSame(report([diagnostic], { format: 'github', colour: true, readFile }), [annotation])
  const root = folderOf(t, {
    'app/controllers/a.ts': `import { Controller } from 'acmcp'\nexport class A extends Controller {\n  /** @get x */\n  show(): void {}\n}\n`,
  })
  const { status, stdout, stderr } = acmcp(root, 'build', '--format', 'json')
  t.strictSame([status, stderr], [1, ''])
  t.strictSame(JSON.parse(stdout), {
    diagnostics: [
      {
        code: 'ACM113',
        severity: 'error',
        message: "@get: 'x' is not a path",
        hint: 'Write a path such as /items/:id and nothing after it.',
        at: { file: 'app/controllers/a.ts', line: 3, column: 7 },
      },
    ],
  })
  t.equal(acmcp(root, 'build', '--format', 'xml').status, 2)
})

t.test('--version prints the version of the package', async (t) => {
  const { version }: { version: string } = JSON.parse(readFileSync('package.json', 'utf8'))
  t.strictSame(acmcp('.', '--version'), { status: 0, stdout: `${version}\n`, stderr: '' })
})

t.test('every diagnostic is what some test expects', async (t) => {
  const tests = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.test.ts') && !name.endsWith('report.test.ts'),
  )
  const texts = [...tests, 'cli/oracle/oracle.ts', 'cli/build/small-applications/refused.ts']
    .map((name) => readFileSync(`test/${name}`, 'utf8'))
    .join('')
  const codes = shapes().map(({ code }) => code)
  t.strictSame(
    codes.filter((code) => !texts.includes(code)),
    [],
  )
})
