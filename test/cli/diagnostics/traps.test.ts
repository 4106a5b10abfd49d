/** language.md, Nothing is lost silently: every trap has a test. */
import t from 'tap'
import { compile } from '../../../cli/compiler/compile.ts'
import { type Case, judge, method, short } from '../support/judge.ts'
import { memoryHost } from '../support/memory-host.ts'

const cases: readonly Case[] = [
  { sentence: 'wrong case: @MCP', members: method('@get /\n@MCP hide'), expected: ['ACM110 12:4'] },
  { sentence: 'wrong case: @Get', members: method('@Get /'), expected: ['ACM110 11:4'] },
  { sentence: 'a near miss: @mcp-hide', members: method('@get /\n@mcp-hide'), expected: ['ACM110 12:4'] },
  { sentence: 'a near miss: @mcp.hide', members: method('@get /\n@mcp.hide'), expected: ['ACM110 12:4'] },
  {
    sentence: 'a near miss: @exeption',
    members: method('@get /\n@exeption {NotFound} 404'),
    expected: ['ACM110 12:4'],
  },
  { sentence: 'a near miss: @mcp:hide', members: method('@get /\n@mcp:hide'), expected: ['ACM110 12:4'] },
  { sentence: 'a near miss: @get: with a colon', members: method('@get: /'), expected: ['ACM110 11:4'] },
  { sentence: 'a near miss: a letter too many', members: method('@gett /'), expected: ['ACM110 11:4'] },
  {
    sentence: 'a near miss: a letter too few, before a path',
    members: method('@pst /'),
    expected: ['ACM110 11:4'],
  },
  { sentence: 'a near miss: swapped letters', members: method('@fitler before'), expected: ['ACM110 11:4'] },
  { sentence: 'a word of other tools: @route', members: method('@route /'), expected: ['ACM110 11:4'] },
  {
    sentence: 'a tag that neither JSDoc nor TSDoc knows is a warning, one that they know is fine: it',
    members: method('@get /\n@since 1.0\n@category x\n@file a\n@set b\n@case c'),
    expected: ['ACM170 15:4', 'ACM170 16:4'],
  },
  {
    sentence: 'a near miss of a constraint: @Minimum, @minimun, @max, @examples',
    members: method('@get /', 'show(/** @Minimum 3 */ a?: number): void { void a }'),
    after: `export interface Values {
/** @minimun 3 */
a: number
/** @max 3 */
b: number
/** @examples 3 */
c: number
/** @category of other tools */
d: number
}`,
    expected: ['ACM110 13:10', 'ACM110 16:5', 'ACM110 18:5', 'ACM110 20:5'],
  },
  {
    sentence: '@param twice for one parameter',
    members: method('@get /\n@param a - one\n@param a - two', 'show(a: string): void { void a }'),
    expected: ['ACM113 13:4'],
  },
  {
    sentence: '@param of a property',
    members: method('@post /\n@param a.b - one', 'show(a: { b: string }): void { void a }'),
    expected: ['ACM128 12:11'],
  },
  {
    sentence: '@mcp title and describe twice',
    members: method('@get /\n@mcp title="a"\n@mcp title="b"\n@mcp describe a\n@mcp describe b'),
    expected: ['ACM113 13:4', 'ACM113 15:4'],
  },
  {
    sentence: '@mcp on a filter',
    members: method('@filter before\n@mcp hide', 'show(): void {}'),
    expected: ['ACM112 12:4'],
  },
  {
    sentence: '@produces on a handler',
    members: method(
      '@exception {NotFound} 404\n@produces text/plain',
      'on(error: NotFound): void { void error }',
    ),
    expected: ['ACM112 12:4'],
  },
  {
    sentence: '@exception without braces',
    members: method('@exception NotFound 404', 'on(error: NotFound): void { void error }'),
    expected: ['ACM113 11:4'],
  },
  {
    sentence: '@exception of two classes',
    members: method('@exception {NotFound | Conflict} 404', 'on(error: Error): void { void error }'),
    expected: ['ACM113 11:4'],
  },
  {
    sentence: '@exception of what is no class',
    members: method('@exception {string} 404', 'on(error: string): void { void error }'),
    expected: ['ACM113 11:4'],
  },
  {
    sentence: "@exception {import('acmcp').Conflict} is followed: it",
    members: method("@exception {import('acmcp').Conflict} 409", 'on(error: Conflict): void { void error }'),
    expected: ['ACM156 7:14'],
  },
  {
    sentence: 'a text behind the status of @exception',
    members: method('@exception {NotFound} 404 gone', 'on(error: NotFound): void { void error }'),
    expected: ['ACM113 11:30'],
  },
  {
    sentence: 'a tag on a member of an object',
    members: method('@get /'),
    after: 'export const other = {\n/** @get /other */\nshow(): void {},\n}',
    expected: ['ACM112 16:5'],
  },
  {
    sentence: 'a tag on a member of an interface',
    members: method('@get /'),
    after: 'export interface Other {\n/** @get /other */\nshow(): void\n}',
    expected: ['ACM112 16:5'],
  },
  {
    sentence: 'tags of a class inside a function',
    members: method('@get /'),
    after: `export function make(): unknown {
return class extends Controller {
/** @get /other */
show(): void {}
}
}`,
    expected: ['ACM148 16:8'],
  },
  {
    sentence: 'a comma between words',
    members: method('@get /\n@mcp hide, root'),
    expected: ['ACM113 12:9'],
  },
  {
    sentence: 'a tag in a line comment',
    members: `// @mcp hide\n${method('@get /')}`,
    expected: ['ACM112 8:4'],
  },
  {
    sentence: 'a tag in a plain block',
    members: `/* @mcp hide */\n${method('@get /')}`,
    expected: ['ACM112 8:4'],
  },
  { sentence: 'a tag behind code', members: `${method('@get /')} // @mcp hide`, expected: ['ACM112 13:33'] },
  {
    sentence: 'a tag in a block that is not the last',
    members: `/** @mcp hide */\n${method('@get /')}`,
    expected: ['ACM112 8:5'],
  },
  {
    sentence: 'a tag between a decorator and the name',
    members: `@(() => undefined)\n/** @get / */\nshow(): void {}`,
    expected: ['ACM112 9:5'],
  },
  {
    sentence: 'a tag inside a code fence',
    members: '/**\n * Shows.\n * ```\n * @mcp hide\n * ```\n */\nshow(): void {}',
    expected: ['ACM112 11:4'],
  },
  { sentence: 'text after a tag', members: method('@get /\n\nmore text'), expected: ['ACM111 13:4'] },
  {
    sentence: 'a paragraph under a tag',
    members: method('@mcp root\n@get /\nmore text'),
    expected: ['ACM111 13:4'],
  },
  {
    sentence: 'an unresolved @exception',
    members: method('@exception {Missing} 404', 'on(error: Error): void { void error }'),
    expected: ['ACM116 11:16'],
  },
  {
    sentence: 'an unresolved @throws',
    members: method('@get /\n@throws {Missing} 404'),
    expected: ['ACM116 12:13'],
  },
  {
    sentence: 'an unresolved @returns',
    members: method('@get /\n@returns {Missing} 404'),
    expected: ['ACM138 12:14'],
  },
  {
    sentence: '@returns of a type without a name, whose members a comment loses',
    members: method('@get /\n@returns {{ a: string }} 200 so\n@returns {Promise<{ a: string }[]>} 200'),
    expected: ['ACM113 12:4', 'ACM113 13:4'],
  },
  {
    sentence: 'an overloaded method with its tags at a later signature',
    members: `show(a: string): void\n${method('@get /', 'show(a: string | number): void { void a }')}`,
    expected: ['ACM139 14:1'],
  },
  {
    sentence: 'an overloaded method with its tags at the first signature',
    members: `${method('@get /', 'show(a: string): void')}\nshow(a: string | number): void { void a }`,
    expected: ['ACM139 14:1'],
  },
  {
    sentence: 'a tag on a private method',
    members: method('@get /', 'private show(): void {}'),
    expected: ['ACM118 13:9'],
  },
  {
    sentence: 'a tag on a field',
    members: method('@get /', 'show = (): void => {}'),
    expected: ['ACM118 13:1'],
  },
  {
    sentence: 'a tag on a function',
    members: method('@get /'),
    after: '/** @get /other */\nexport function other(): void {}',
    expected: ['ACM112 15:5'],
  },
  {
    sentence: 'an address, inline code and a text are no tags: it',
    members: method('@get /')
      .replace('Shows.', 'Writes to bob@mcp.example, or `@mcp hide`.')
      .replace('""', '"// @mcp hide"'),
    expected: [],
  },
  {
    sentence: '@mcp hide and show together',
    members: method('@get /\n@mcp hide\n@mcp show'),
    expected: ['ACM113 13:4'],
  },
  {
    sentence: '@produces twice',
    members: method('@get /\n@produces text/csv\n@produces text/html'),
    expected: ['ACM113 13:4'],
  },
  {
    sentence: '@mcp describe without a text',
    members: method('@get /\n@mcp describe'),
    expected: ['ACM113 12:4'],
  },
  {
    sentence: '@mcp header without a name, with a bad one, and twice',
    members: method(
      '@get /\n@mcp header a\n@mcp header a=b/c\n@mcp header a=Tenant\n@mcp header b=tenant',
      'show(a: string, b: string): void { void [a, b] }',
    ),
    expected: ['ACM113 12:4', 'ACM113 13:4', 'ACM113 15:4'],
  },
  {
    sentence: '@mcp header of a list, or of no argument',
    members: method('@get /\n@mcp header a=A\n@mcp header c=C', 'show(a: string[]): void { void a }'),
    expected: ['ACM220 15:1', 'ACM220 15:1'],
  },
  {
    sentence: '@mcp prompt of a method that returns nothing',
    members: method('@get /\n@mcp prompt', 'show(): void {}'),
    expected: ['ACM260 14:9'],
  },
]
const judged = judge(cases)

for (const [index, { sentence, expected }] of cases.entries()) {
  t.test(`${sentence} is what the build says`, async (t) => {
    t.strictSame(judged[index]?.map(short), expected)
  })
}

t.test(
  'a mixin that cannot be followed, tags on what is no controller, and a hidden abstract class are reported',
  async (t) => {
    const { diagnostics } = compile(
      memoryHost({
        'app/controllers/a.ts': `import { Controller } from 'acmcp'
const Mixin = <T>(base: T): T => base
export class Mixed extends Mixin(Controller) {
  /** @get / */
  show(): void {}
}
export class Alone {
  /** @get / */
  show(): void {}
}
/** @mcp hide */
export abstract class Hidden extends Controller {}
/** Shown. */
export class Shown extends Hidden {
  /**
   * Shows.
   *
   * @get /
   */
  show(): void {}
}
`,
      }),
    )
    t.strictSame(
      diagnostics.map(({ severity, ...diagnostic }) => `${severity} ${short({ severity, ...diagnostic })}`),
      ['error ACM106 3:28', 'error ACM105 7:1', 'warning ACM140 11:5'],
    )
  },
)

t.test(
  '@skipFilter without a name, of no filter, with blanks, and a scope written twice are reported',
  async (t) => {
    const { diagnostics } = compile(
      memoryHost({
        'app/controllers/a.ts': `import { Controller } from 'acmcp'
/**
 * A.
 *
 * @skipFilter
 * @skipFilter nothing
 * @skipFilter before only = show
 * @skipFilter before only=show only=show
 */
export class A extends Controller {
${method('@get /')}
/** @filter before */
before(): void {}
}
`,
      }),
    )
    t.strictSame(
      [...new Set(diagnostics.map(short))],
      ['ACM113 5:4', 'ACM207 6:4', 'ACM113 7:23', 'ACM113 7:28', 'ACM113 7:30', 'ACM113 8:23'],
    )
  },
)
