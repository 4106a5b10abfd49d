/** The lint of tool texts, and `--strict`. */
import t from 'tap'
import { compile } from '../../../cli/compiler/compile.ts'
import { short } from '../support/judge.ts'
import { memoryHost, notesWith, shop } from '../support/memory-host.ts'

const route = (path: string, text: string, code: string): string => `/**
 * ${text}
 *
 * @get ${path}
 */
${code}`
const long = 'Says much. '.repeat(40).trim()
const colours = Array.from({ length: 900 }, (_, index) => `'colour-${index}'`).join(' | ')
const wordy =
  notesWith(`${route('/a', 'Finds a note.', 'a(id: string, more?: string): void { void [id, more] }')}
${route('/b', 'Finds a note.', 'b(): void {}')}
${route('/c', long, 'c(): void {}')}
${route('/d', 'Finds notes of a colour.', `d(colour?: ${colours}): void { void colour }`)}`)

t.test(
  'undescribed required arguments, twins, long texts and heavy tools are warnings, with --strict errors',
  async (t) => {
    const found = ['ACM221 13:3', 'ACM222 19:1', 'ACM223 25:1', 'ACM224 31:1']
    const warned = compile(memoryHost(wordy), { lint: true })
    t.strictSame([warned.diagnostics.map(short), warned.files.length], [found, 4])
    const strict = compile(memoryHost(wordy), { lint: true, strict: true })
    t.strictSame([strict.diagnostics.map(short), strict.files.length], [found, 0])
    t.ok(strict.diagnostics.every(({ severity }) => severity === 'error'))
    t.strictSame(compile(memoryHost(shop), { lint: true, strict: true }).diagnostics, [])
  },
)

t.test('decisions, mcp.yml: a tool is seven lines, and one for each argument and example', async (t) => {
  const members = route(
    '/a/:id\n * @param id - which: one, of {many}\n * @param word - "what" to look for\n * @mcp title="Find: a note"\n * @mcp example {"id":"a","word":"b, c"}',
    'Finds a note.',
    'a(id: string, word?: string, pages: number[] = []): void { void [id, word, pages] }',
  )
  const { files } = compile(memoryHost(notesWith(members)))
  const text = files.find(({ path }) => path === 'generated/mcp.yml')?.text ?? ''
  const [, tool = ''] = text.split(/^ {6}- /m)
  t.equal(
    tool.replace(/(?<=\n {8}fingerprint: )[\da-f]{64}\n/, '(64 digits)\n'),
    `name: notes_a
        verb: GET
        path: /api/notes/a/:id
        title: "Find: a note"
        description: Finds a note.
        params:
          id: { in: path, required: true, type: string, minLength: 1, description: "which: one, of {many}" }
          word: { in: query, type: string, description: '"what" to look for' }
          pages: { in: query, items: { type: number }, default: [] }
        hints: [readOnly]
        examples:
          - { id: a, word: "b, c" }
        tokens: 83
        fingerprint: (64 digits)
`,
  )
})
