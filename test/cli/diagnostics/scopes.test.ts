/** Every mistake in scopes is told at the very token, with what was meant. Whole diagnostics. */
import t from 'tap'
import { compile } from '../../../cli/compiler/compile.ts'
import { method } from '../support/judge.ts'
import { type Files, memoryHost } from '../support/memory-host.ts'

const scopes = `{
  'notes:read': 'See your notes',
  'notes:write': { text: 'Add notes', implies: ['notes:read'] },
}`
const config = (declared = scopes, more = ''): string =>
  `import { defineApp } from 'acmcp'\nexport const config: object = defineApp({ ${more}scopes: ${declared} })\n`

/** Asks for both scopes, so that none is unused. */
const user = `import { Controller } from 'acmcp'
/** Uses. @scope */
export class Users extends Controller {
  /**
   * Adds.
   *
   * @post /
   * @scope notes:write notes:read
   */
  add(): void {}
}
`.replace(' @scope */', ' */')

const notes = 'app/controllers/notes.ts'

/** A controller: its doc comment's tags on line 5, its members from line 8. */
const controller = (
  members: string,
  { tags = '@base /api/notes', base = 'Controller', head = '' } = {},
): string =>
  `import { Controller, NotFound } from 'acmcp'; ${head}
/**
 * Notes.
 *
 * ${tags}
 */
export class Notes extends ${base} {
${members}
}
`

const application = (
  members: string,
  around: Parameters<typeof controller>[1] = {},
  more: Files = {},
): Files => ({
  'app/config.ts': config(),
  'app/controllers/users.ts': user,
  [notes]: controller(members, around),
  ...more,
})

/** `file:line:column severity code: message | hint`, one a diagnostic. */
const reported = (files: Files): readonly string[] =>
  compile(memoryHost(files)).diagnostics.map(
    ({ code, severity, at, message, hint }) =>
      `${at.file}:${at.line}:${at.column} ${severity} ${code}: ${message} | ${hint}`,
  )

const check = '/**\n * Checks.\n *\n * @filter before\n */\ncheck(): void {}\n'
const declare = 'Write one that app/config.ts declares, or declare it there.'
const stricter = 'Write it on both, or remove it: what one tag refuses, another does not allow.'
const ask = 'Write @scope with what it needs on the method or the class, or @scope none if that is meant.'
const move =
  'Remove it, or move it: it may stand on a controller class, an abstract one for those that extend it, a route, a WebSocket route, a prompt or a method with @complete.'
const ways = 'Write unless=session, unless=key or unless=session,key, without blanks.'

/** Of a controller in `app/controllers/notes.ts`; `place` is added to its path. */
const table: readonly (readonly [sentence: string, files: Files, expected: readonly string[]])[] = [
  [
    'a name that is not declared, with the nearest',
    application(method('@get /\n@scope notes:read notes:raed')),
    [
      `12:22 error ACM232: @scope: the scope 'notes:raed' is not declared | ${declare} Did you mean 'notes:read'?`,
    ],
  ],
  [
    'names with a comma, and an option that there is not',
    application(method('@get /\n@scope notes:read, except=session')),
    [
      `12:11 error ACM232: @scope: the scope 'notes:read,' is not declared | ${declare} Did you mean 'notes:read'?`,
      `12:23 error ACM232: @scope: the scope 'except=session' is not declared | ${declare} Did you mean 'unless=session,key'?`,
    ],
  ],
  [
    '`api`',
    application(method('@get /\n@scope notes:read api')),
    [
      "12:22 error ACM113: @scope: 'api' is what every client has that asks for nothing more | Write a scope that app/config.ts declares.",
    ],
  ],
  [
    '`none` beside a name',
    application(method('@get /\n@scope none notes:read')),
    [
      "12:11 error ACM113: @scope: 'none' stands beside more | Remove it, or all the others: it says that the route asks for nothing.",
    ],
  ],
  [
    '`none` beside a name in another tag, and beside `unless=`',
    application(
      `${method('@get /\n@scope notes:read\n@scope none')}\n${method('@get /b\n@scope none unless=key', 'b(): string { return "" }')}`,
    ),
    [
      "13:11 error ACM113: @scope: 'none' stands beside more | Remove it, or all the others: it says that the route asks for nothing.",
      "20:11 error ACM113: @scope: 'none' stands beside more | Remove it, or all the others: it says that the route asks for nothing.",
    ],
  ],
  [
    '`none` on a class',
    application(method('@get /'), { tags: '@scope none' }),
    [
      "5:11 error ACM113: @scope: a class does not take 'none' | Write it on each method that is to ask for nothing.",
    ],
  ],
  [
    'no name',
    application(
      `${method('@get /\n@scope')}\n${method('@get /b\n@scope unless=key', 'b(): string { return "" }')}`,
    ),
    [
      '12:4 error ACM113: @scope: names no scope | Write a scope that app/config.ts declares, or none.',
      '19:4 error ACM113: @scope: names no scope | Write a scope that app/config.ts declares, or none.',
    ],
  ],
  [
    'an unknown word in unless=, with the nearest',
    application(`${check}${method('@get /\n@scope notes:read unless=sesion,key,,basic')}`),
    [
      `18:29 error ACM113: @scope: unless= does not know 'sesion' | ${ways} Did you mean 'session'?`,
      `18:40 error ACM113: @scope: unless= lacks a word | ${ways}`,
      `18:41 error ACM113: @scope: unless= does not know 'basic' | ${ways}`,
    ],
  ],
  [
    'unless= twice, or without a word',
    application(
      `${check}${method('@get /\n@scope notes:read unless=key unless=session')}\n${method('@get /b\n@scope notes:read unless=', 'b(): string { return "" }')}`,
    ),
    [
      '18:33 error ACM113: @scope: unless= stands twice | Write unless=session,key, without blanks.',
      `25:29 error ACM113: @scope: unless= lacks a word | ${ways}`,
    ],
  ],
  [
    'unless= where no filter asks who it is',
    application(
      `/**\n * Notes.\n *\n * @filter after\n */\nlater(): void {}\n${method('@get /\n@scope notes:read unless=session,key')}`,
    ),
    ['session', 'key'].map(
      (word, index) =>
        `18:${29 + 8 * index} error ACM236: unless=${word} lets callers of Notes.show past the guard, and no before or around filter asks who they are | Add a filter that checks them, or remove the word.`,
    ),
  ],
  [
    'unless= of a class where no filter asks who it is, told once',
    application(['a', 'b', 'c'].map((name) => method(`@get /${name}`, `${name}(): void {}`)).join('\n'), {
      tags: '@scope notes:read unless=key',
    }),
    [
      '5:29 error ACM236: unless=key lets callers of Notes.a and 2 more past the guard, and no before or around filter asks who they are | Add a filter that checks them, or remove the word.',
    ],
  ],
  [
    'unless= of a class that all of its methods refuse, told once; of one that another lets past, not at all',
    application(
      `${check}${['a', 'b'].map((name) => method(`@get /${name}\n@scope notes:write unless=session`, `${name}(): void {}`)).join('\n')}`,
      { tags: '@scope notes:read unless=session,key' },
    ),
    [
      `5:37 warning ACM238: unless=key lets nobody past in Notes.a: the @scope at ${notes}:18 does not say it | ${stricter}`,
    ],
  ],
  [
    'unless= that the class refuses',
    application(`${check}${method('@get /\n@scope notes:read unless=key')}`, {
      tags: '@scope notes:write unless=session',
    }),
    [
      `5:30 warning ACM238: unless=session lets nobody past in Notes.show: the @scope at ${notes}:18 does not say it | ${stricter}`,
      `18:29 warning ACM238: unless=key lets nobody past in Notes.show: the @scope at ${notes}:5 does not say it | ${stricter}`,
    ],
  ],
  [
    'a filter, a handler, and a method that is nothing else',
    application(
      [
        method('@get /\n@scope none'),
        method('@filter before\n@scope notes:read', 'check(): void {}'),
        method(
          '@exception {NotFound} 404\n@scope notes:read',
          'missing(error: NotFound): void { void error }',
        ),
        method('@scope notes:read', 'help(): void {}'),
      ].join('\n'),
    ),
    ['19:4 a filter', '26:4 an exception handler', '32:4 a method that is no route'].map((text) => {
      const [place = '', kind] = text.split(/ (.*)/)
      return `${place} error ACM112: @scope on ${kind} has no effect | ${move}`
    }),
  ],
  [
    'a field and a private method',
    application(
      `${method('@get /')}\n/** @scope notes:read */\nfield = 1\n/** @scope notes:read */\nprivate hidden(): void {}`,
    ),
    ['15:1 error ACM118: field', '17:9 error ACM118: hidden'].map(
      (text) =>
        `${text} is tagged but is no public method | Write it as a method, neither private, protected nor static, or remove the tags.`,
    ),
  ],
  [
    'a route that changes state, opens a socket or runs a filter, without a scope',
    application(
      [
        method('@filter before only=seen', 'check(): void {}'),
        method('@get /seen', 'seen(): void {}'),
        method('@get /open', 'open(): void {}'),
        method('@options /', 'preflight(): void {}'),
        method('@patch /:id', 'change(id: string): void { void id }'),
        method('@websocket /live', 'live(socket: object): void { void socket }'),
        method('@post /any\n@scope none', 'any(): void {}'),
      ].join('\n'),
    ),
    [
      '17:4 Notes.seen runs the filter check',
      '35:4 Notes.change changes state',
      '41:4 Notes.live opens a WebSocket',
    ].map((text) => {
      const [place = ''] = text.split(' ')
      const rest = text.slice(place.length + 1)
      return `${place} warning ACM237: ${rest}, and asks for no scope: every valid token may call it, the narrowest too | ${ask}`
    }),
  ],
  [
    'an override that asks for other scopes than the method above it',
    application(
      '/** @scope notes:write */\noverride list(): void {}',
      { base: 'Base', head: "import { Base } from '../base.ts'" },
      {
        'app/base.ts':
          "import { Controller } from 'acmcp'\nexport abstract class Base extends Controller {\n  /**\n   * Lists.\n   *\n   * @get /\n   */\n  list(): void {}\n}\n",
      },
    ),
    [
      '8:5 error ACM126: list already has tags in Base (app/base.ts:8) | An override without tags runs in place of the inherited method: remove the tags here, or rename the method.',
    ],
  ],
]

for (const [sentence, files, expected] of table) {
  t.test(`asking: ${sentence}`, async (t) => {
    t.strictSame(
      reported(files),
      expected.map((text) => `${notes}:${text}`),
    )
  })
}

t.test('asking: a class that several extend is told once', async (t) => {
  const base = (tags: string): string =>
    `import { Controller } from 'acmcp'\n/** @scope ${tags} */\nexport abstract class Base extends Controller {}\n`
  const around = { base: 'Base', head: "import { Base } from '../base.ts'" }
  const more = (tags: string): Files => ({
    'app/base.ts': base(tags),
    'app/controllers/other.ts': controller(method('@get /other'), { ...around, tags: '' }).replace(
      'Notes extends',
      'Other extends',
    ),
  })
  t.strictSame(reported(application(method('@get /'), around, more('notes:reed api unless=keys'))), [
    `app/base.ts:2:12 error ACM232: @scope: the scope 'notes:reed' is not declared | ${declare} Did you mean 'notes:read'?`,
    "app/base.ts:2:23 error ACM113: @scope: 'api' is what every client has that asks for nothing more | Write a scope that app/config.ts declares.",
    `app/base.ts:2:34 error ACM113: @scope: unless= does not know 'keys' | ${ways} Did you mean 'key'?`,
  ])
  t.strictSame(
    reported(application(method('@get /'), {}, { 'app/controllers/base.ts': base('none') })),
    [
      "app/controllers/base.ts:2:12 error ACM113: @scope: a class does not take 'none' | Write it on each method that is to ask for nothing.",
    ],
    'also of an abstract class that nobody extends',
  )
})

t.test('asking: the route of authProbe asks for nothing, by path and by id', async (t) => {
  const why = 'who has any other scope could not even open the endpoint'
  const probe = (authProbe: string, tags: string, around = {}): readonly string[] =>
    reported({
      ...application(method(`@get /me\n${tags}`.trim(), 'me(): void {}'), around),
      'app/config.ts': config(scopes, `mcp: { authProbe: ${authProbe} }, `),
    })
  const own = [
    `${notes}:12:11 error ACM235: Notes.me is the route of mcp.authProbe, and asks for notes:read notes:write: ${why} | Write @scope none instead.`,
  ]
  t.strictSame(probe("'/api/notes/me'", '@scope notes:write notes:read'), own)
  t.strictSame(probe("'/api/notes/me/'", '@scope notes:write notes:read'), own)
  t.strictSame(probe("'notes_me' as const", '@scope notes:write notes:read'), own)
  const ofClass = { tags: '@base /api/notes\n * @scope notes:read' }
  t.strictSame(probe("'/api/notes/me'", '', ofClass), [
    `${notes}:6:11 error ACM235: Notes.me is the route of mcp.authProbe, and asks for notes:read: ${why} | Write @scope none on the method.`,
  ])
  t.strictSame(probe("'/api/notes/me'", '@scope none', ofClass), [])
  const files = application(method('@get /me/?:id\n@scope notes:read', 'me(id?: string): void { void id }'))
  t.strictSame(
    reported({ ...files, 'app/config.ts': config(scopes, "mcp: { authProbe: '/api/notes/me' }, ") }),
    [
      `${notes}:12:11 error ACM235: Notes.me is the route of mcp.authProbe, and asks for notes:read: ${why} | Write @scope none instead.`,
    ],
    'by a shorter address',
  )
  t.strictSame(probe("'/api/notes/other'", '@scope notes:read'), [])
  t.strictSame(probe('String(1)', '@scope notes:read'), [], 'what is no literal is not known')
})

t.test(
  'asking for a scope: the scope of an ancestor on the route of authProbe is told at the ancestor',
  async (t) => {
    const files = application(method('@get /me', 'me(): void {}'), {
      base: 'Base',
      head: "import { Base } from '../base.ts'",
    })
    t.strictSame(
      reported({
        ...files,
        'app/base.ts':
          "import { Controller } from 'acmcp'\n/** @scope notes:read */\nexport abstract class Base extends Controller {}\n",
        'app/config.ts': config(scopes, "mcp: { authProbe: 'notes_me' }, "),
      }),
      [
        'app/base.ts:2:12 error ACM235: Notes.me is the route of mcp.authProbe, and asks for notes:read: who has any other scope could not even open the endpoint | Write @scope none on the method.',
      ],
    )
  },
)

t.test('asking: `@scope none` above a class does not lift what the class asks for', async (t) => {
  const around = { base: 'Base', head: "import { Base } from '../base.ts'", tags: '@scope notes:read' }
  const open = method('@get /me\n@scope none', 'me(): void {}')
  t.strictSame(
    reported({
      ...application('', around),
      'app/base.ts': `import { Controller } from 'acmcp'\n/** @scope notes:write */\nexport abstract class Base extends Controller {\n${open}\n}\n`,
      'app/config.ts': config(scopes, "mcp: { authProbe: 'notes_me' }, "),
    }),
    [
      `${notes}:5:11 error ACM235: Notes.me inherited from Base is the route of mcp.authProbe, and asks for notes:read: who has any other scope could not even open the endpoint | The @scope none of the method lifts what its own class asks for: write this one on the methods that need it.`,
    ],
  )
})

t.test('asking: `@scope` where no scopes are declared', async (t) => {
  const files = application(
    `${method('@get /\n@scope none')}\n${method('@get /b\n@scope notes:read', 'b(): void {}')}`,
    {
      tags: '@scope notes:read unless=key',
    },
  )
  const { 'app/controllers/users.ts': _users, 'app/config.ts': _config, ...without } = files
  t.strictSame(
    reported(without),
    ['5:4', '12:4', '19:4'].map(
      (place) =>
        `${notes}:${place} error ACM234: @scope: the application declares no scopes | Declare them in app/config.ts, with words for people: defineApp({ scopes: { 'notes:read': 'see your notes' } })`,
    ),
  )
})

t.test('asking: code that asks by itself uses a scope, and must know it', async (t) => {
  const extra = `{ 'notes:read': 'a', 'notes:write': 'b', 'notes:delete': 'c', 'notes:share': 'd' }`
  const members = (calls: string): string => method('@get /\n@scope none', `show(): void {\n${calls}\n}`)
  const judge = (calls: string, head = ''): readonly string[] =>
    reported({ ...application(members(calls), { head }), 'app/config.ts': config(extra) })
  const unused = (name: string, column: number): string =>
    `app/config.ts:2:${column} warning ACM233: no route asks for the scope ${name}, nor for one that it implies | People would allow what changes nothing: remove it, or write @scope on the routes that are to need it.`
  t.strictSame(judge(''), [unused('notes:delete', 92), unused('notes:share', 113)])
  t.strictSame(judge("this.requireScopes('notes:delete')\n", "const share = 'notes:share'; "), [
    unused('notes:share', 113),
  ])
  t.strictSame(judge("this.requireScopes('notes:delete', share)", "const share = 'notes:share'; "), [])
  t.strictSame(judge("this.requireScopes(Math.random() > 1 ? 'notes:delete' : 'notes:share')"), [])
  t.strictSame(judge('this.requireScopes(String(1))'), [], 'it may be any')
  t.strictSame(judge('this.requireScopes(...[String(1)].concat([]))'), [], 'they may be any')
  t.strictSame(
    judge('this.requireScopes(...both)', "const both = ['notes:delete', 'notes:share']; "),
    [],
    'a list that is spread',
  )
  t.strictSame(judge("this.requireScopes('notes:delete', 'notes:share', 'notes:delte')"), [
    `${notes}:15:51 error ACM232: requireScopes: the scope 'notes:delte' is not declared | ${declare} Did you mean 'notes:delete'?`,
  ])
  t.strictSame(
    judge(
      "new Own().requireScopes('a', 'notes:share')",
      'class Own { requireScopes(...names: string[]): void { void names } } ',
    ),
    [unused('notes:delete', 92), unused('notes:share', 113)],
    'a method of the application is another one',
  )
})

t.test('declaring: what is wrong with a declaration stands at the key or the name', async (t) => {
  const declared = `{
  'notes:read': 'See your notes',
  'notes:write': { text: 'Add notes', implies: ['notes:read', 'notes:raed'] },
  api: 'Everything',
  none: 'Nothing',
  'two words': 'No token',
  'unless=key': 'No token',
  a: { text: 'A', implies: ['b'] },
  b: { text: 'B', implies: ['c'] },
  c: { text: 'C', implies: ['a', 'c'] },
  into: { text: 'Into the circle', implies: ['a'] },
  all: { text: 'All', implies: ['secret', 'notes:read'] },
  secret: { text: 'Secret', sensitive: true, implies: ['deep'] },
  deep: { text: 'Deep', sensitive: true },
}`
  const names =
    'Rename it, such as notes:read: visible ASCII without blanks, quotation marks and backslashes. `api` is what clients have that ask for nothing more, `none` and `unless=` are words of @scope.'
  const [reserved, badName] = [
    'acmcp gives the word a meaning of its own',
    'it is no scope-token of RFC 6749, 3.3',
  ]
  const circle = 'Remove one of the two: scopes that imply each other are one scope.'
  t.strictSame(
    reported({ ...application(method('@get /')), 'app/config.ts': config(declared) }),
    [
      "4:63 error ACM229: the scope notes:write implies 'notes:raed', which is not declared | Declare it beside the others, or remove it. Did you mean 'notes:read'?",
      `5:3 error ACM228: the scope 'api' cannot be declared: ${reserved} | ${names}`,
      `6:3 error ACM228: the scope 'none' cannot be declared: ${reserved} | ${names}`,
      `7:3 error ACM228: the scope 'two words' cannot be declared: ${badName} | ${names}`,
      `8:3 error ACM228: the scope 'unless=key' cannot be declared: ${badName} | ${names}`,
      `9:29 error ACM230: the scope a implies b, which implies a | ${circle}`,
      `10:29 error ACM230: the scope b implies c, which implies b | ${circle}`,
      `11:29 error ACM230: the scope c implies a, which implies c | ${circle}`,
      `11:34 error ACM230: the scope c implies c, which implies c | ${circle}`,
      '13:33 error ACM231: the scope all is not sensitive, and implies secret, which is | Make all sensitive too, or remove secret here: what is sensitive must be asked for by name.',
    ].map((text) => `app/config.ts:${text}`),
  )
})

t.test('declaring: a scope that changes nothing is a warning at its key', async (t) => {
  const declared = `{
  'notes:read': 'See your notes',
  'notes:write': { text: 'Add notes', implies: ['notes:read'] },
  everything: { text: 'All of it', implies: ['notes:write'] },
  nothing: { text: 'None of it', implies: ['lone'] },
  lone: 'Alone',
}`
  t.strictSame(
    reported({ ...application(method('@get /')), 'app/config.ts': config(declared) }),
    ['6:3 nothing', '7:3 lone'].map((text) => {
      const [place, name] = text.split(' ')
      return `app/config.ts:${place} warning ACM233: no route asks for the scope ${name}, nor for one that it implies | People would allow what changes nothing: remove it, or write @scope on the routes that are to need it.`
    }),
  )
})

t.test('asking: near misses of the tag are told', async (t) => {
  const found = (tag: string): readonly string[] => reported(application(method(`@get /\n${tag} notes:read`)))
  const meant = (written: string): readonly string[] => [
    `${notes}:12:4 error ACM110: unknown tag @${written} | Did you mean @scope?`,
  ]
  for (const written of ['scopes', 'Scope', 'scop']) t.strictSame(found(`@${written}`), meant(written))
  for (const written of ['permission', 'permissions', 'requireScope'])
    t.strictSame(found(`@${written}`), [
      `${notes}:12:4 warning ACM170: @${written} is no tag of acmcp, JSDoc or TSDoc: nobody reads it | Remove it, or write it as text above the tags. Did you mean @scope?`,
    ])
  for (const text of ['// @scope/name', '/** Of @scope/name. */', '/* @scope/a and @scope/b */'])
    t.strictSame(reported(application(`${text}\nfree = 1\n${method('@get /')}`)), [], 'the name of a package')
  t.strictSame(reported(application(`// @scope notes:read\n${method('@get /')}`)), [
    `${notes}:8:4 error ACM112: @scope in this comment has no effect | Move it to the last doc comment before the declaration, which must begin on a line of its own.`,
  ])
})
