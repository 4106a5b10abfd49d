/** What goes wrong on the first day: each mistake is told with its place and what to do. One application a mistake. */
import t from 'tap'
import { compile } from '../../../cli/compiler/compile.ts'
import { Controller } from '../../../runtime/http/pipeline/controller.ts'
import { type Files, memoryHost } from '../support/memory-host.ts'

t.setTimeout(240_000)

const file = 'app/controllers/notes.ts'
const shows = `  /**
   * Shows.
   *
   * @get /
   */
  show(): string { return '' }
`
/** A controller whose class begins on line 3, its method's tag stands on line 7, its name on line 9. */
const notes = (
  members = shows,
  { head = 'export class Notes extends Controller', imports = "import { Controller } from 'acmcp'" } = {},
): string => `${imports}
/** Notes. */
${head} {
${members}}
`

/** `place severity code: message`, one a diagnostic, and the hint of the first. */
function found(files: Files): readonly string[] {
  const { diagnostics } = compile(memoryHost(files))
  const shown = diagnostics.map(
    ({ at, severity, code, message }) => `${at.file}:${at.line}:${at.column} ${severity} ${code}: ${message}`,
  )
  return [...shown, ...diagnostics.slice(0, 1).map(({ hint }) => hint)]
}

interface Mistake {
  readonly sentence: string
  readonly text?: string
  readonly files?: Files
  readonly expected: readonly string[]
}

const apart = (count: number): string => Array.from({ length: count }, (_, at) => `{ p${at}: 1 }`).join(' | ')

const list = `  /**
   * Lists.
   *
   * @get /all
   */
  list(): string { return '' }
`
const guarded = `import { Controller } from 'acmcp'
export abstract class Guarded extends Controller {
  /** @filter before */
  guard(): void {}
  /**
   * Lists.
   *
   * @get /
   */
  list(): string { return '' }
}
`
const missing =
  'Correct the name, import the type, or install the package that it comes from. ' +
  'Types of Node are found by "types": ["node"] in tsconfig.json, with @types/node installed.'
const topLevel = 'Write `export class` at the top level of a file under app/controllers/, or remove the tags.'
const noBase = 'Correct the name or the path of its import, or install the package that it comes from.'
const noImport =
  'Correct the import, or "exports" of its package; install the package, or build it first where it is compiled.'

/** Asked of the class itself, so that none is forgotten. */
const members = Object.getOwnPropertyNames(Controller.prototype).filter((name) => name !== 'constructor')

const mistakes: readonly Mistake[] = [
  {
    sentence: 'a misspelt route',
    text: notes(shows.replace('@get', '@gett')),
    expected: [`${file}:7:6 error ACM110: unknown tag @gett`, 'Did you mean @get?'],
  },
  {
    sentence: 'a misspelt route that is a word of JSDoc',
    text: notes(shows.replace('@get', '@host')),
    expected: [`${file}:7:6 error ACM110: unknown tag @host`, 'Did you mean @post?'],
  },
  ...[12, 13].map(
    (count): Mistake => ({
      sentence: `a union of ${count} objects that nothing tells apart`,
      text: notes(
        shows
          .replace('@get', '@post')
          .replace('show()', `show(part: Body<(${apart(count)} | string)[]>)`)
          .replace("return ''", 'return String(part)'),
        { imports: "import { type Body, Controller } from 'acmcp'" },
      ),
      expected:
        count === 12
          ? []
          : [
              `${file}:9:8 warning ACM366: 'part' has a union of 13 object types that no property tells apart, more than 12: each value that a caller sends is tried against every one`,
              "Give each member a property with a literal of its own, such as `kind: 'card'`: one look then decides.",
            ],
    }),
  ),
  {
    sentence: 'a controller that is not exported',
    text: notes(shows, { head: 'class Notes extends Controller' }),
    expected: [
      `${file}:3:1 error ACM104: the controller Notes is not exported by its name`,
      'Write `export class`, neither `default` nor renamed.',
    ],
  },
  {
    sentence: 'a default export',
    text: notes(shows, { head: 'export default class Notes extends Controller' }),
    expected: [
      `${file}:3:1 error ACM104: the controller Notes is not exported by its name`,
      'Write `export class`, neither `default` nor renamed.',
    ],
  },
  {
    sentence: 'a class expression',
    text: notes(shows, { head: 'export const Notes = class extends Controller' }),
    expected: [
      `${file}:3:22 error ACM148: the class is no controller: it stands inside other code`,
      topLevel,
    ],
  },
  {
    sentence: 'a controller outside of app/controllers',
    files: { 'app/other.ts': notes() },
    expected: [
      'app/other.ts:3:1 error ACM148: Notes is no controller: it lies outside app/controllers/',
      topLevel,
    ],
  },
  {
    sentence: 'a controller that forgets to extend Controller, wherever it lies',
    files: { [file]: notes(), 'app/other.ts': notes(shows, { head: 'export class Others' }) },
    expected: [
      'app/other.ts:3:1 error ACM105: Others has tags of a controller but does not extend Controller',
      'Extend Controller from acmcp, directly or through an abstract class, or remove the tags.',
    ],
  },
  {
    sentence: 'a method written as a field',
    text: notes(shows.replace('show(): string {', 'show = (): string => {')),
    expected: [
      `${file}:9:3 error ACM118: show is tagged but is no public method`,
      'Write it as a method, neither private, protected nor static, or remove the tags.',
    ],
  },
  ...members.map((member) => ({
    sentence: `a route that is called ${member}, as what every controller has`,
    text: notes(shows.replace('show', member)),
    expected: [
      `${file}:9:3 error ACM154: every controller has a member ${member} already`,
      'Rename the method.',
    ],
  })),
  {
    sentence: 'a route of an abstract class that is called as what every controller has, told once',
    files: {
      'app/guarded.ts': guarded.replace('list', 'head'),
      [file]: notes(list, {
        head: 'export class Notes extends Guarded',
        imports: "import { Guarded } from '../guarded.ts'",
      }),
      'app/controllers/others.ts': `import { Guarded } from '../guarded.ts'\nexport class Others extends Guarded {}\n`,
    },
    expected: [
      'app/guarded.ts:10:3 error ACM154: every controller has a member head already',
      'Rename the method.',
    ],
  },
  {
    sentence: 'a status each for an interface and a class',
    text: `${notes(
      shows
        .replace(
          '@get /',
          '@get /\n   * @returns {Note} 200 the note\n   * @returns {Gone} 410 it was removed',
        )
        .replace("string { return ''", "Note | Gone { return new Gone('it')"),
    )}
export interface Note { text: string }
export class Gone { constructor(readonly text: string) {} }
`,
    expected: [
      `${file}:8:16 error ACM135: @returns: nothing tells at run time that a value is Note`,
      'With several statuses each type but one must be an exported class, and that one is told without its type: @returns 200 text.',
    ],
  },
  {
    sentence: 'what that hint says',
    text: `${notes(
      shows
        .replace('@get /', '@get /\n   * @returns 200 the note\n   * @returns {Gone} 410 it was removed')
        .replace("string { return ''", "Note | Gone { return new Gone('it')"),
    )}
export interface Note { text: string }
export class Gone { constructor(readonly text: string) {} }
`,
    expected: [],
  },
  ...[
    ['root title="Find a note"', 'title', '@mcp title="…"', 12],
    ['title="Find a note" readOnly', 'title', '@mcp title="…"', 7],
    ['title=Find a note', 'title', '@mcp title="…"', 7],
    ['root describe Finds a note', 'describe', '@mcp describe text', 12],
    ['openWorld example {"a": 1}', 'example', '@mcp example {"argument":"value"}', 17],
    ['root header id=Id', 'header', '@mcp header argument=Name', 12],
  ].map(([words, name, form, column]) => ({
    sentence: `@mcp ${words}: one mistake`,
    text: notes(shows.replace('@get /', `@get /\n   * @mcp ${words}`)),
    expected: [
      `${file}:8:${Number(column) + 4} error ACM113: @mcp: '${name}' is written otherwise, and stands alone in its tag`,
      `Write ${form} on a line of its own.`,
    ],
  })),
  {
    sentence: 'no controller at all',
    files: {},
    expected: [
      'app/controllers:1:1 error ACM101: no controllers found',
      'Export a class that extends Controller from a file under app/controllers/, or let `acmcp init` make an application.',
    ],
  },
  {
    sentence: 'a syntax error',
    text: notes(shows.replace('show()', 'show(:')),
    expected: [
      `${file}:9:8 error ACM102: Parameter declaration expected.`,
      'Correct the TypeScript syntax; nothing else in this file was checked.',
    ],
  },
  {
    sentence: 'a type of a package that is not installed',
    text: notes(shows.replace('(): string', '(): { of: Foo[] }'), {
      imports: "import { Controller } from 'acmcp'; import type { Foo } from 'not-installed'",
    }),
    expected: [
      `${file}:1:62 error ACM323: 'not-installed' cannot be found: it is not installed`,
      `${file}:9:13 error ACM144: Notes.show().of[]: cannot find the type 'Foo'`,
      noImport,
    ],
  },
  {
    sentence: 'a type of a file that is not there, passed on by another',
    text: notes(shows.replace('(): string', '(): Foo'), {
      imports: "import { Controller } from 'acmcp'; import type { Foo } from '../types.ts'",
    }),
    files: { 'app/types.ts': "export type { Foo } from './foo.ts'\n" },
    expected: [
      `${file}:9:11 error ACM144: Notes.show(): cannot find the type 'Foo'`,
      "app/types.ts:1:26 error ACM323: './foo.ts' cannot be found: there is no app/foo.ts",
      missing,
    ],
  },
  {
    sentence: 'a type and a base class that their files do not export, each where it was lost',
    text: notes(shows.replace('(): string', '(): Foo'), {
      head: 'export class Notes extends Base',
      imports: "import { Base, type Foo } from '../all.ts'",
    }),
    files: {
      'app/all.ts': "export { Base } from './base.ts'\nexport { Fo as Foo } from './base.ts'\n",
      'app/base.ts': 'class Base {}\nexport const base = Base\n',
    },
    expected: [
      "app/all.ts:1:10 error ACM158: './base.ts' does not export Base",
      "app/all.ts:2:16 error ACM158: './base.ts' does not export Fo",
      `${file}:3:28 error ACM146: cannot find Base, which Notes extends`,
      'Export it there, or correct the name.',
    ],
  },
  {
    sentence: 'a type that no file has where "paths" of tsconfig.json lead',
    text: notes(shows.replace('(): string', '(): Foo'), {
      imports: "import { Controller } from 'acmcp'; import type { Foo } from '@lib/foo'",
    }),
    files: { 'tsconfig.json': '{"compilerOptions":{"paths":{"@lib/*":["./lib/*.ts"]}}}' },
    expected: [
      `${file}:1:62 error ACM323: '@lib/foo' cannot be found: "paths" of tsconfig.json lead to no file`,
      `${file}:9:11 error ACM144: Notes.show(): cannot find the type 'Foo'`,
      noImport,
    ],
  },
  {
    sentence: 'a misspelt type',
    text: notes(shows.replace('(): string', '(): Strng')),
    expected: [`${file}:9:11 error ACM144: Notes.show(): cannot find the type 'Strng'`, missing],
  },
  {
    sentence: 'a misspelt type beside types of Node',
    files: {
      'tsconfig.json': '{ "compilerOptions": { "types": ["node"] } }',
      'node_modules/@types/node/package.json': '{"name":"@types/node","types":"index.d.ts"}',
      'node_modules/@types/node/index.d.ts': 'interface Buffer { length: number }',
      [file]: notes(shows.replace('(): string', '(): Bufer')),
    },
    expected: [
      `${file}:9:11 error ACM144: Notes.show(): cannot find the type 'Bufer'`,
      'Correct the name, import the type, or install the package that it comes from.',
    ],
  },
  {
    sentence: 'a parameter without a type',
    text: notes(shows.replace('show()', 'show(text)')),
    expected: [
      `${file}:9:8 error ACM145: Notes.show(text): any says nothing about the value`,
      'Write its type, or `unknown` for any JSON.',
    ],
  },
  {
    sentence: 'a base class of a package that is not installed',
    text: notes(shows, {
      head: 'export class Notes extends Base',
      imports: "import { Base } from 'not-installed'",
    }),
    expected: [
      `${file}:1:22 error ACM323: 'not-installed' cannot be found: it is not installed`,
      `${file}:3:28 error ACM146: cannot find Base, which Notes extends`,
      noImport,
    ],
  },
  {
    sentence: 'a misspelt package',
    text: notes(shows, { imports: "import { Controller } from 'acmpc'" }),
    expected: [
      `${file}:1:28 error ACM323: 'acmpc' cannot be found: it is not installed`,
      `${file}:3:28 error ACM146: cannot find Controller, which Notes extends`,
      noImport,
    ],
  },
  {
    sentence: 'a name that acmcp had and acmcp/store has',
    text: notes(shows, { imports: "import { Controller, database as db, type Migration } from 'acmcp'" }),
    expected: [
      `${file}:1:22 error ACM109: 'acmcp' does not export database any more`,
      `${file}:1:43 error ACM109: 'acmcp' does not export Migration any more`,
      "Write: import { databaseOf } from 'acmcp/store', and call databaseOf<Tables>(this.services).",
    ],
  },
  {
    sentence: 'a type among values that Node.js would look for',
    text: `${notes(shows, { imports: "import { Controller, NotFound as Gone, PromptMessage, type Uuid } from 'acmcp'" })}
export { Controller, Gone, PromptMessage, type Uuid }
export { Conflict, PromptMessage as Message, type Header } from 'acmcp'
export type { Body } from 'acmcp'
export default PromptMessage
`,
    expected: [
      `${file}:12:28 error ACM334: PromptMessage is a type, but stands here as a value that Node.js looks for in 'acmcp'`,
      `${file}:13:20 error ACM334: PromptMessage is a type, but stands here as a value that Node.js looks for in 'acmcp'`,
      `${file}:15:16 error ACM334: PromptMessage is a type, but stands here as a value that Node.js looks for in 'acmcp'`,
      'Write type PromptMessage.',
    ],
  },
  {
    sentence: 'the package itself not installed',
    text: notes(),
    files: { 'node_modules/acmcp/index.d.ts': '', 'node_modules/acmcp/package.json': '{}' },
    expected: [
      "package.json:1:1 error ACM107: the package 'acmcp' cannot be resolved from app/",
      'Install it: npm install acmcp',
    ],
  },
  {
    sentence: 'classes that extend each other',
    text: `${notes(shows, { head: 'export class Notes extends Other' })}export class Other extends Notes {}\n`,
    expected: [
      `${file}:3:28 error ACM147: Notes extends itself`,
      `${file}:11:28 error ACM147: Other extends itself`,
      'Extend Controller, directly or through an abstract class.',
    ],
  },
  {
    sentence: 'two controllers of one name, though their methods differ',
    files: { [file]: notes(), 'app/controllers/other.ts': notes(shows.replace('show()', 'index()')) },
    expected: [
      `${file}:3:14 error ACM225: the controller name Notes is also that of Notes (app/controllers/other.ts:3)`,
      `${file}:7:6 error ACM201: GET /notes/ is served by Notes.show and by Notes.index (app/controllers/other.ts:7)`,
      `app/controllers/other.ts:3:14 error ACM225: the controller name Notes is also that of Notes (${file}:3)`,
      `app/controllers/other.ts:7:6 error ACM201: GET /notes/ is served by Notes.index and by Notes.show (${file}:7)`,
      'Rename one of the two: tools, operations and the OpenAPI tag are called by it.',
    ],
  },
  {
    sentence: 'two types of one name',
    files: {
      [file]: notes(
        `${shows.replace('string', "{ a: Box<A>; b: Box<'A'> }")}}
export interface A { a: 1 }
export interface Box<T> { b: T }
export class More {`,
      ),
    },
    expected: [
      `${file}:9:24 error ACM121: the type name BoxOfA is already used by another type at ${file}:9`,
      'Rename one of the two.',
    ],
  },
  {
    sentence: 'values without a name of their own',
    text: notes(shows.replace('show()', 'show({ a }: { a: string }, ...more: string[])')),
    expected: [
      `${file}:9:8 error ACM122: Notes.show has a rest or destructured parameter`,
      `${file}:9:30 error ACM122: Notes.show has a rest or destructured parameter`,
      'Give every value its own named parameter.',
    ],
  },
  {
    sentence: 'names that nothing can be sent under, or that are not written out',
    text: notes(
      shows
        .replace('@get /', '@get /\n   * @mcp hide')
        .replace(
          'show()',
          "show(a: Header<'X-Grün'>, b: Cookie<'a b'>, c: Header<'A' | 'B'>, d: Named<string>, e: Named<'a b'>)",
        ),
      { imports: "import { Controller, type Cookie, type Header, type Named } from 'acmcp'" },
    ),
    expected: [
      `${file}:10:8 error ACM163: this name is none: no header can be called 'X-Grün'`,
      `${file}:10:29 error ACM163: this name is none: no cookie can be called 'a b'`,
      `${file}:10:47 error ACM163: this name is none: the name in Header<…> is not written out`,
      `${file}:10:69 error ACM163: this name is none: the name in Named<…> is not written out`,
      "Write one name as a literal, such as Header<'X-Clinic'>; those of headers and cookies have letters from A to Z, digits and - alone.",
    ],
  },
  {
    sentence: 'characters that no path has as they are',
    text: notes(shows.replace('@get /', '@get /café')),
    expected: [
      `${file}:7:6 error ACM113: @get: '/café' is not a path: write 'é' as %C3%A9`,
      'Write a path such as /items/:id and nothing after it.',
    ],
  },
  {
    sentence: 'a variable that is not of letters from A to Z',
    text: notes(shows.replace('@get /', '@get /:größe').replace('show()', 'show(größe: string)')),
    expected: [
      `${file}:7:6 error ACM113: @get: the variable 'größe' is not of the letters A to Z, digits and _: write :id, and take it as größe: Named<'id', …>`,
      'Write a path such as /items/:id and nothing after it.',
    ],
  },
  {
    sentence: 'an object under a type that nothing writes',
    text: notes(
      shows
        .replace('@get /', '@get /\n   * @produces text/html')
        .replace("string { return ''", '{ a: 1 } { return { a: 1 }'),
    ),
    expected: [
      `${file}:8:6 error ACM218: nothing writes text/html`,
      'Return a text or bytes, use application/json, application/yaml, text/yaml or text/plain, or add it to `responders` in app/config.ts.',
    ],
  },
  {
    sentence: 'a handler that does not take its error',
    text: notes(shows.replace('@get /', '@exception {Error} 500')),
    expected: [
      `${file}:9:3 error ACM125: the handler show does not take the error`,
      'Make the error its first parameter.',
    ],
  },
  {
    sentence: 'a route that is a filter too',
    text: notes(shows.replace('@get /', '@get /\n   * @filter before')),
    expected: [
      `${file}:8:6 error ACM127: show is more than one of route, filter and exception handler`,
      'Split it into one method each.',
    ],
  },
  {
    sentence: 'a body beside another',
    text: notes(
      shows.replace('@get', '@post').replace('show()', 'show(all: Body<{ a: string }>, a: Body<string>)'),
      { imports: "import { Controller, type Body } from 'acmcp'" },
    ),
    expected: [
      `${file}:9:34 error ACM208: show takes a from the body too, which is one Body<T>`,
      'Use one Body<T>; files are fields of a form, beside plain parameters.',
    ],
  },
  {
    sentence: 'an answer that is documented as another type',
    text: notes(shows.replace('@get /', '@get /\n   * @returns {number} 200 how many')),
    expected: [
      `${file}:8:16 error ACM149: @returns: the method does not return number`,
      'Write a type that its return type has, or add it to the return type.',
    ],
  },
  ...(
    [
      [
        'a blank after the @',
        '@get /\n   * @ mcp hide',
        'show(): string',
        [`${file}:8:6 error ACM110: unknown tag @ mcp`, 'Did you mean @mcp?'],
      ],
      [
        'a word of another framework',
        '@get /\n   * @skip check',
        'show(): string',
        [
          `${file}:8:6 warning ACM170: @skip is no tag of acmcp, JSDoc or TSDoc: nobody reads it`,
          'Remove it, or write it as text above the tags. Did you mean @skipFilter?',
        ],
      ],
      [
        'an action of another framework',
        '@before_action',
        'show(): string',
        [
          `${file}:7:6 warning ACM170: @before_action is no tag of acmcp, JSDoc or TSDoc: nobody reads it`,
          'Remove it, or write it as text above the tags. Did you mean @filter before?',
        ],
      ],
      [
        'a verb of another framework',
        '@http get /',
        'show(): string',
        [
          `${file}:7:6 warning ACM170: @http is no tag of acmcp, JSDoc or TSDoc: nobody reads it`,
          'Remove it, or write it as text above the tags. Did you mean @get?',
        ],
      ],
      [
        'a tag that says nothing about a route',
        '@get /\n   * @internal',
        'show(): string',
        [
          `${file}:8:6 warning ACM171: @internal changes nothing: show is a route, and whoever reaches the server may ask for it`,
          'Remove it. A filter decides who may call a route; @mcp hide keeps it from models.',
        ],
      ],
      [
        'a root tool that is hidden',
        '@get /\n   * @mcp hide\n   * @mcp root',
        'show(): string',
        [
          `${file}:9:6 error ACM113: @mcp: says hide and root`,
          'A hidden tool is listed nowhere: remove one of the two.',
        ],
      ],
      [
        'a tool that is hidden and shown',
        '@get /\n   * @mcp hide\n   * @mcp show',
        'show(): string',
        [`${file}:9:6 error ACM113: @mcp: says hide and show`, 'Remove one of the two.'],
      ],
      [
        'a misspelt word of @mcp',
        '@get /\n   * @mcp hidde',
        'show(): string',
        [
          `${file}:8:11 error ACM113: @mcp: cannot read 'hidde'`,
          `Write root; noroot; hide; show; title="…"; describe text; name=name; keywords word, other words; header argument=Name; example {"argument":"value"}; prompt; resource [uri=scheme://…]; task; budget 20000; brief property [more …]; paging offset|page|cursor=argument [limit=argument] [next=property.path], or none; readOnly; destructive; idempotent; openWorld. Did you mean 'hide'?`,
        ],
      ],
      [
        'a misspelt kind of filter',
        '@filter befor',
        'show(): string',
        [
          `${file}:7:14 error ACM113: @filter: 'befor' is not a kind of filter`,
          "Write before, around or after. Did you mean 'before'?",
        ],
      ],
      [
        'a misspelt scope of a filter',
        '@filter before onyl=show',
        'show(): void',
        [
          `${file}:7:21 error ACM113: @filter: cannot read 'onyl=show'`,
          "Write only=a,b or except=c, without blanks. Did you mean 'only'?",
        ],
      ],
      [
        'a misspelt method of a filter',
        '@filter before except=lits',
        'show(): void',
        [
          `${file}:7:6 error ACM207: @filter: Notes and its ancestors have no route method 'lits'`,
          "Write the method's own name. Did you mean 'list'?",
        ],
      ],
      [
        'a misspelt parameter',
        '@get /\n   * @param limt - how many',
        'show(limit?: number): string',
        [
          `${file}:8:13 error ACM128: @param: there is no parameter 'limt'`,
          "Write the parameter's own name. Did you mean 'limit'?",
        ],
      ],
      [
        'a misspelt variable of a path',
        '@get /:ident',
        'show(idnet: string): string',
        [
          `${file}:7:6 error ACM204: the path parameter :ident of /notes/:ident has no argument in Notes.show`,
          "Add a parameter named ident, or Named<'ident', …>, to the method or to a filter that covers it. Did you mean 'idnet'?",
        ],
      ],
      [
        'a misspelt exception',
        '@exception {NotFond} 404',
        'show(error: Error): string',
        [
          `${file}:7:18 error ACM116: @exception: cannot find the class 'NotFond'`,
          "Import the class in this file. Did you mean 'NotFound'?",
        ],
      ],
      [
        'an exception that is not imported',
        '@exception {Conflict} 409',
        'show(error: Error): string',
        [
          `${file}:7:18 error ACM116: @exception: cannot find the class 'Conflict'`,
          "Import the class in this file. It comes from 'acmcp'.",
        ],
      ],
    ] as const
  ).map(([sentence, tags, code, expected]) => ({
    sentence,
    text: notes(`${shows.replace('@get /', tags).replace('show(): string', code)}${list}`),
    expected,
  })),
  {
    sentence: 'a misspelt base class',
    text: notes(shows, { head: 'export class Notes extends Controler' }),
    expected: [
      `${file}:3:28 error ACM146: cannot find Controler, which Notes extends`,
      `${noBase} Did you mean 'Controller'?`,
    ],
  },
  {
    sentence: 'a misspelt filter to skip',
    text: notes(shows.replace('@get /', '@get /a'), {
      head: '/** @skipFilter gard */\nexport class Notes extends Guarded',
      imports: "import { Guarded } from '../guarded.ts'",
    }),
    files: { 'app/guarded.ts': guarded },
    expected: [
      `${file}:3:5 error ACM207: @skipFilter: Notes and its ancestors have no filter 'gard'`,
      "Write the method's own name. Did you mean 'guard'?",
    ],
  },
  {
    sentence: 'a route of an ancestor that two controllers serve at one address',
    text: notes(shows, {
      head: '/** @base /x */\nexport class Notes extends Guarded',
      imports: "import { Guarded } from '../guarded.ts'",
    }).replace('@get /', '@get /a'),
    files: {
      'app/guarded.ts': guarded,
      'app/controllers/others.ts':
        "import { Guarded } from '../guarded.ts'\n/** @base /x */\nexport class Others extends Guarded {}\n",
    },
    expected: [
      'app/guarded.ts:8:6 error ACM201: GET /x/ is served by Notes.list inherited from Guarded and by Others.list inherited from Guarded (app/guarded.ts:8)',
      'app/guarded.ts:8:6 error ACM201: GET /x/ is served by Others.list inherited from Guarded and by Notes.list inherited from Guarded (app/guarded.ts:8)',
      'Change the path or the verb of one of the two.',
    ],
  },
  {
    sentence: 'settings that cannot be read, each with its own place',
    text: notes(),
    files: { 'tsconfig.json': '{\n  "extends": "./none.json",\n  "compilerOptions": { "strictt": true }\n' },
    expected: [
      "tsconfig.json:2:3 warning ACM108: Cannot read file '/shop/none.json'.",
      "tsconfig.json:3:24 warning ACM108: Unknown compiler option 'strictt'. Did you mean 'strict'?",
      "tsconfig.json:4:1 warning ACM108: '}' expected.",
      'What cannot be read is left out; the rest of tsconfig.json is used.',
    ],
  },
]

for (const { sentence, text, files = {}, expected } of mistakes) {
  t.test(`${sentence}: the build says what is wrong, where, and what to do`, async (t) => {
    t.strictSame(found({ ...(text === undefined ? {} : { [file]: text }), ...files }), expected)
  })
}

t.test('an application without tsconfig.json is built', async (t) => {
  t.strictSame(found({ [file]: notes() }), [])
})
