/** `acmcp explain` through the command line. */
import t from 'tap'
import { acmcp } from '../support/built-app.ts'

t.test('explain prints an entry as text, plain in a pipe', async (t) => {
  t.strictSame(acmcp('.', 'explain', 'ACM203'), {
    status: 0,
    stdout: `ACM203 (diagnostic)

  MCP clients take tool names of 1 to 64 letters, digits, \`_\` and \`-\`. The name is made of class and
  method, both in snake_case.

  severity    error
  message     the tool name '…' does not match ^[A-Za-z0-9_-]{1,64}$
  what to do  Shorten or rename the class or the method, give the tool a name with @mcp name=…, or
              hide it with @mcp hide.

  wrong:
    /** @get / */
    listEverythingThatAnybodyHasEverOrderedInAnyShopOfThisCompany(): void {}

  right:
    /** @get / */
    listAll(): void {}
`,
    stderr: '',
  })
})

/** The first line of each entry that a name finds. */
function titles(...names: readonly string[]): readonly string[] {
  const { stdout } = acmcp('.', 'explain', ...names, '--json')
  const { entries }: { entries: readonly { kind: string; name: string }[] } = JSON.parse(stdout)
  return entries.map(({ kind, name }) => `${name} (${kind})`)
}

t.test(
  'acmcp explain: tags, codes, settings, variables, commands and options are found, in any case',
  async (t) => {
    t.strictSame(titles('@get'), ['@get (tag)'])
    t.strictSame(titles('get'), ['@get (tag)'])
    t.strictSame(titles('@scope'), ['@scope (tag)'])
    t.strictSame(titles('acm237'), ['ACM237 (diagnostic)'])
    t.strictSame(titles('acm203'), ['ACM203 (diagnostic)'])
    t.strictSame(titles('limits.bodyBytes'), ['limits.bodyBytes (setting)'])
    t.strictSame(titles('bodyBytes'), ['limits.bodyBytes (setting)'])
    t.strictSame(titles('database_url'), ['DATABASE_URL (environment variable)'])
    t.strictSame(titles('build'), ['build (command)'])
    t.strictSame(titles('store', 'backup'), ['store backup (command)'])
    t.strictSame(titles('build', '--check'), ['build --check (option)'])
    t.strictSame(titles('build --check'), ['build --check (option)'])
    t.strictSame(titles('build', '--client'), ['build --client (option)'])
    t.strictSame(titles('build', '--client'), ['build --client (option)'])
    t.strictSame(titles('@mcp', 'hide'), ['@mcp hide (word of @mcp)'])
    t.strictSame(titles('title'), ['@mcp title (word of @mcp)', '@title (tag)'], 'all that a word means')
  },
)

t.test('--json prints one document', async (t) => {
  const { status, stdout, stderr } = acmcp('.', 'explain', 'limits.files', '--json')
  t.strictSame([status, stderr], [0, ''])
  t.strictSame(JSON.parse(stdout), {
    entries: [
      {
        kind: 'setting',
        name: 'limits.files',
        facts: [
          ['must be', 'a whole number from 0'],
          ['default', '10 files'],
        ],
        meaning: 'Files of one multipart form; 0 takes none.',
        samples: [{ label: 'example', text: 'defineApp({ limits: { files: 3 } })' }],
      },
    ],
  })
})

t.test('the nearest names on a miss, with exit code 2', async (t) => {
  const missed = (name: string): readonly unknown[] => {
    const { status, stdout, stderr } = acmcp('.', 'explain', name)
    return [status, stdout, stderr]
  }
  t.strictSame(missed('@gett'), [2, '', 'acmcp: nothing is called @gett. Did you mean @get?\n'])
  t.strictSame(missed('@exeption'), [2, '', 'acmcp: nothing is called @exeption. Did you mean @exception?\n'])
  t.strictSame(missed('DATABSE_URL'), [
    2,
    '',
    'acmcp: nothing is called DATABSE_URL. Did you mean DATABASE_URL?\n',
  ])
  t.strictSame(missed('qqqqqq'), [
    2,
    '',
    'acmcp: nothing is called qqqqqq. See `acmcp docs` for all names.\n',
  ])
})

t.test('several names are each explained', async (t) => {
  t.strictSame(titles('ACM117', 'build', '--check', '@mcp', 'hide', 'acm117'), [
    'ACM117 (diagnostic)',
    'build --check (option)',
    '@mcp hide (word of @mcp)',
  ])
  t.strictSame(acmcp('.', 'explain', 'ACM117', 'qqqqqq', 'wwwwww', 'ACM227'), {
    status: 2,
    stdout: '',
    stderr: 'acmcp: nothing is called qqqqqq wwwwww. See `acmcp docs` for all names.\n',
  })
})

t.test('what the package exports, and what a controller has, is found with its page', async (t) => {
  t.strictSame(acmcp('.', 'explain', 'rescueFrom'), {
    status: 0,
    stdout: `rescueFrom (export)

  The page errors tells of it, under “At run time: rescueFrom”.

  import  from 'acmcp'
  print   acmcp docs errors --print
`,
    stderr: '',
  })
  t.strictSame(titles('databaseOf', 'this.file'), [
    'databaseOf (export)',
    'this.file (member of a controller)',
  ])
  t.strictSame(titles('Body'), ['Body (parameter wrapper)'])
})

t.test('--help of a command has an example', async (t) => {
  const { status, stdout } = acmcp('.', 'explain', '--help')
  t.equal(status, 0)
  t.match(stdout, /\nExamples:\n {2}\$ acmcp explain @exception\n/)
})
