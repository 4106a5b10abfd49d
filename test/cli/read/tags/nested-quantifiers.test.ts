/** Patterns that some texts keep busy for seconds are found in their syntax: a warning at the tag, or at the file. */
import t from 'tap'
import { hasNestedQuantifiers } from '../../../../cli/compiler/read/types/nested-quantifiers.ts'
import { growth } from '../../../support/report/growth.ts'
import { judge } from '../../support/judge.ts'

/** What is reported where each parameter has these tags above it: in one compilation, since a run reads the standard library. */
function warned(
  tags: readonly string[],
  files: Readonly<Record<string, string>> = {},
): readonly (readonly string[])[] {
  const cases = tags.map((tag) => ({
    sentence: tag,
    members: `/**\n * Shows.\n *\n * @get /\n * @mcp hide\n */\nshow(\n/** ${tag} */\nname: string): string { return name }`,
    expected: [],
  }))
  return judge(cases, files).map((all) =>
    all.map(({ code, severity, at }) => `${code} ${severity} ${at.line}:${at.column}`),
  )
}

const item = ['ACM174 warning 15:5']

const slow = [
  '^(a+)+$',
  '^(a|a)*$',
  '^(.*a){12,}$',
  '^(.*a){20}$',
  '^([a-z]+)*$',
  '^(?:\\w+\\s?)+$',
  '^(a|ab)(c|a|aa)*$',
  '^(?<word>[A-Z]{2,5})+$',
  '^((-a)+)*$',
  '^(a+-a+)*$',
  '^(?=(x+)+y)x',
  '^(\\d|[0-9a-f])+$',
  '^([^"\\\\]+|\\\\.)*$',
  '^(a*?)*$',
]

const quick = [
  '^[a-z]+$',
  '^[a-z0-9]+(-[a-z0-9]+)*$',
  '^(\\w+\\.)*\\w+$',
  '^(?:[^"\\\\]|\\\\.)*$',
  '^(jan|jun|jul)+$',
  '^(\\d{1,3}\\.){3}\\d{1,3}$',
  '^([0-9a-f]{4}:?){2}$',
  '^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$',
  '^(?:(a{3}))+$',
  '^\\+?(\\d[ -]?)+$',
  '^[(a+)+]+$',
  '^\\(a+\\)+$',
  '^(a+)?$',
]

t.test('a pattern whose quantifiers nest, without a maxLength, is a warning at its tag', async (t) => {
  const patterns = [...slow, ...quick].map((pattern) => `@pattern ${pattern}`)
  const expected = patterns.map((tag, index) => [tag, index < slow.length ? item : []])
  const found = warned(patterns)
  t.strictSame(
    patterns.map((tag, index) => [tag, found[index]]),
    expected,
  )
  const bounded = slow.map((pattern) => `@maxLength 20\n * @pattern ${pattern}`)
  t.strictSame(
    warned(bounded),
    bounded.map(() => []),
  )
})

t.test('what is warned of takes its time, and what is not does not', async (t) => {
  const text = 'a'.repeat(20)
  const ms = (pattern: string, value: string): number => {
    const before = process.cpuUsage().user
    new RegExp(pattern, 'u').test(value)
    return (process.cpuUsage().user - before) / 1000
  }
  t.ok(ms('^(a+)+$', `${text}!`) > 5 * ms('^[a-z]+(-[a-z]+)*$', `${text}!`))
})

t.test('the look at a pattern takes time in proportion to its length', async (t) => {
  const shapes: Readonly<Record<string, (size: number) => string>> = {
    alternatives: (size) => `(?:${Array.from({ length: size / 8 }, (_, index) => `w${index}`).join('|')})+`,
    'groups in groups': (size) => '('.repeat(size / 2) + ')'.repeat(size / 2),
    'groups that repeat': (size) => '(-a+)*'.repeat(size / 6),
    letters: (size) => `(${'ab'.repeat(size / 2)})+`,
  }
  for (const [name, shape] of Object.entries(shapes)) {
    await growth(t, {
      name: `the look at a pattern of ${name}: characters`,
      sizes: [4_000, 8_000, 16_000],
      input: shape,
      work: hasNestedQuantifiers,
      control: (pattern) => JSON.stringify([...pattern]),
    })
  }
})
