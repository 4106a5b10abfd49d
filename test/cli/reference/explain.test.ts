/** `acmcp explain` through the command line. */
import t from 'tap'
import { acmcp, type Ran } from '../support/built-app.ts'
import { acmcpHere } from '../support/here.ts'

const explain = (...args: readonly string[]): Promise<Ran> => acmcpHere('.', {}, 'explain', ...args)

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
async function titles(...names: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await explain(...names, '--json')
  const { entries }: { entries: readonly { kind: string; name: string }[] } = JSON.parse(stdout)
  return entries.map(({ kind, name }) => `${name} (${kind})`)
}

t.test(
  'acmcp explain: tags, codes, settings, variables, commands and options are found, in any case',
  async (t) => {
    t.strictSame(await titles('@get'), ['@get (tag)'])
    t.strictSame(await titles('get'), ['@get (tag)'])
    t.strictSame(await titles('@scope'), ['@scope (tag)'])
    t.strictSame(await titles('acm237'), ['ACM237 (diagnostic)'])
    t.strictSame(await titles('acm203'), ['ACM203 (diagnostic)'])
    t.strictSame(await titles('limits.bodyBytes'), ['limits.bodyBytes (setting)'])
    t.strictSame(await titles('bodyBytes'), ['limits.bodyBytes (setting)'])
    t.strictSame(await titles('database_url'), ['DATABASE_URL (environment variable)'])
    t.strictSame(await titles('build'), ['build (command)'])
    t.strictSame(await titles('store', 'backup'), ['store backup (command)'])
    t.strictSame(await titles('build', '--check'), ['build --check (option)'])
    t.strictSame(await titles('build --check'), ['build --check (option)'])
    t.strictSame(await titles('build', '--client'), ['build --client (option)'])
    t.strictSame(await titles('build', '--client'), ['build --client (option)'])
    t.strictSame(await titles('@mcp', 'hide'), ['@mcp hide (word of @mcp)'])
    t.strictSame(
      await titles('title'),
      ['@mcp title (word of @mcp)', '@title (tag)'],
      'all that a word means',
    )
  },
)

t.test('--json prints one document', async (t) => {
  const { status, stdout, stderr } = await explain('limits.files', '--json')
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
  const missed = async (name: string): Promise<readonly unknown[]> => {
    const { status, stdout, stderr } = await explain(name)
    return [status, stdout, stderr]
  }
  t.strictSame(await missed('@gett'), [2, '', 'acmcp: nothing is called @gett. Did you mean @get?\n'])
  t.strictSame(await missed('@exeption'), [
    2,
    '',
    'acmcp: nothing is called @exeption. Did you mean @exception?\n',
  ])
  t.strictSame(await missed('DATABSE_URL'), [
    2,
    '',
    'acmcp: nothing is called DATABSE_URL. Did you mean DATABASE_URL?\n',
  ])
  t.strictSame(await missed('qqqqqq'), [
    2,
    '',
    'acmcp: nothing is called qqqqqq. See `acmcp docs` for all names.\n',
  ])
})

t.test('several names are each explained', async (t) => {
  t.strictSame(await titles('ACM117', 'build', '--check', '@mcp', 'hide', 'acm117'), [
    'ACM117 (diagnostic)',
    'build --check (option)',
    '@mcp hide (word of @mcp)',
  ])
  t.strictSame(await explain('ACM117', 'qqqqqq', 'wwwwww', 'ACM227'), {
    status: 2,
    stdout: '',
    stderr: 'acmcp: nothing is called qqqqqq wwwwww. See `acmcp docs` for all names.\n',
  })
})

t.test('what the package exports, and what a controller has, is found with its page', async (t) => {
  t.strictSame(await explain('rescueFrom'), {
    status: 0,
    stdout: `rescueFrom (export)

  The page errors tells of it, under “At run time: rescueFrom”.

  import  from 'acmcp'
  print   acmcp docs errors --print
`,
    stderr: '',
  })
  t.strictSame(await titles('databaseOf', 'this.file'), [
    'databaseOf (export)',
    'this.file (member of a controller)',
  ])
  t.strictSame(await titles('Body'), ['Body (parameter wrapper)'])
})

t.test('--help of a command has an example', async (t) => {
  const { status, stdout } = await explain('--help')
  t.equal(status, 0)
  t.match(stdout, /\nExamples:\n {2}\$ acmcp explain @exception\n/)
})
