/** What the build says of mistakes in skills: the wrong samples of the reference, and texts that are too long. */
import t from 'tap'
import { diagnosticEntries } from '../../../cli/capabilities/reference/entries.ts'
import { judged } from '../support/samples.ts'

/** `line:column severity: message | hint`. */
const expected: Readonly<Record<string, readonly string[]>> = {
  ACM290: [
    '3:4 error: the skill of Orders has no description: models cannot know what it is for | Write what the controller is for above its first tag.',
  ],
  ACM291: [
    "5:4 error: 'örders', after Örders, cannot be the name of a skill | Rename the class: a skill has 1 to 64 lower-case letters, digits and single hyphens.",
  ],
  ACM292: [
    "5:4 error: the skill 'order-lines' is that of Order__Lines (app/controllers/orders.ts:20) too | Rename one of the two classes, or remove a tag.",
  ],
  ACM294: ['6:4 error: Orders has a skill and no tools | Show a tool with @mcp show, or remove the tag.'],
  ACM297: [
    '12:6 error: the address skill://orders is one of skills, which this application has | Write another scheme in uri=…',
  ],
}

const reported = (text: string, code: string): readonly string[] =>
  judged(text)
    .filter((diagnostic) => diagnostic.code === code)
    .map(({ severity, at, message, hint }) => `${at.line}:${at.column} ${severity}: ${message} | ${hint}`)

t.test('each mistake in a skill is told with its place and what to do', async (t) => {
  for (const [code, lines] of Object.entries(expected)) {
    const entry = diagnosticEntries().find(({ name }) => name === code)
    const wrong = entry?.samples.find(({ label }) => label === 'wrong')
    t.strictSame(reported(wrong?.text ?? '', code), lines, code)
  }
})

const orders = (summary: string, when: string, tags = ''): string => `// app/controllers/orders.ts
/**
 * ${summary}
 *
 * @mcp skill ${when}${tags}
 */
export class Orders extends Controller {
  /**
   * Lists orders.
   *
   * @get /
   */
  index(): string[] { return [] }
}
`

t.test('a description has 1024 characters at most, a SKILL.md 5000 tokens', async (t) => {
  t.strictSame(reported(orders('Orders.', 'ä'.repeat(1016)), 'ACM293'), [])
  t.strictSame(reported(orders('Orders.', 'ä'.repeat(1017)), 'ACM293'), [
    "5:4 error: the description of the skill 'orders' has 1025 characters, and clients take 1024 | Shorten the first line of the doc comment, or the text behind @mcp skill.",
  ])
  const long = judged(orders(`Orders.\n *\n * ${'word '.repeat(4000)}`, 'Now.')).filter(
    ({ code }) => code === 'ACM295',
  )
  t.match(long, [
    { severity: 'warning', message: /^the SKILL.md of 'orders' has 50\d\d tokens, more than 5000/ },
  ])
})

t.test('the tag stands on a class, once', async (t) => {
  t.strictSame(reported(orders('Orders.', 'Now.', '\n * @mcp skill Later.'), 'ACM113'), [
    '6:4 error: @mcp: says skill twice | Remove one of the two.',
  ])
  const onMethod = `/**
 * Lists orders.
 *
 * @get /
 * @mcp skill
 */
index(): string[] { return [] }`
  t.strictSame(reported(onMethod, 'ACM112'), [
    '8:4 error: @mcp skill on a method has no effect | Remove it, or move it: it may stand on a controller class.',
  ])
})
