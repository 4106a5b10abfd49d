/** What commands say of scopes. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { built, type Ran, write } from '../support/built-app.ts'
import { acmcpHere } from '../support/here.ts'
import { scopedNotesIn } from '../support/scoped-notes.ts'
import { shopIn } from '../support/shop.ts'

t.setTimeout(240_000)

const names = 'api, notes:read, notes:write, notes:delete, staff'

t.test('commands: routes have a column of scopes where some are declared', async (t) => {
  const root = await scopedNotesIn(t)
  const { stdout } = await acmcpHere(root, {}, 'routes')
  const cells = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
  t.strictSame(
    cells.map((row) => [row[0], row[1], row[6]]),
    [
      ['VERB', 'PATH', 'SCOPES'],
      ['GET', '/notes/', 'notes:read'],
      ['POST', '/notes/', 'notes:read notes:write'],
      ['DELETE', '/notes/:id', 'notes:read notes:delete'],
      ['GET', '/pages/', 'notes:read unless=session,key'],
      ['GET', '/staff/', 'staff'],
      ['GET', '/who/', 'none'],
    ],
  )
  t.equal((await acmcpHere(root, {}, 'routes', 'unless=')).stdout.split('\n')[1]?.split('\t')[1], '/pages/')
  const { routes } = JSON.parse((await acmcpHere(root, {}, 'routes', '--json')).stdout)
  const fieldsOf = ({ scopes, unless }: { scopes?: unknown; unless?: unknown }): unknown => [scopes, unless]
  t.strictSame(routes.map(fieldsOf), [
    [['notes:read'], undefined],
    [['notes:read', 'notes:write'], undefined],
    [['notes:read', 'notes:delete'], undefined],
    [['notes:read'], ['session', 'key']],
    [['staff'], undefined],
    [[], undefined],
  ])
})

const toolsIn = ({ stdout }: Ran): readonly string[] =>
  JSON.parse(stdout).tools.map((tool: { name: string }) => tool.name)

t.test('commands: tools --scope is what the bearer of such a token is listed', async (t) => {
  const root = await scopedNotesIn(t)
  const listed = async (scope: string, ...toolbox: readonly string[]): Promise<readonly string[]> =>
    toolsIn(await acmcpHere(root, {}, 'tools', ...toolbox, '--scope', scope, '--json'))
  const meta = ['list_toolboxes', 'open_toolbox', 'find_tools', 'call_read_only', 'call_tool']
  t.strictSame(await listed('notes:read'), ['notes_index', 'who_show', ...meta])
  t.strictSame(await listed('staff'), ['who_show', ...meta])
  t.strictSame(await listed('notes:read', 'notes'), ['notes_index'])
  t.strictSame(await listed('notes:write', 'notes'), ['notes_index', 'notes_create'], 'with what it implies')
  t.strictSame(await listed('api', 'notes'), ['notes_index', 'notes_create'], 'without what is sensitive')
  t.strictSame(await listed('notes:read  notes:delete', 'notes'), ['notes_index', 'notes_destroy'])
  t.strictSame(
    toolsIn(await acmcpHere(root, {}, 'tools', 'notes', '--json')).length,
    3,
    'without it everything',
  )
  t.strictSame(await acmcpHere(root, {}, 'tools', 'staff', '--scope', 'api'), {
    status: 1,
    stdout: '',
    stderr: 'acmcp: with api no tool of staff is listed\n',
  })
  const { status, stderr } = await acmcpHere(root, {}, 'tools', 'nots', '--scope', 'api')
  t.strictSame([status, stderr], [2, 'acmcp: there is no toolbox nots. Did you mean notes?\n'])
})

t.test("commands: tools --scope says everything where mcp.listed is 'all'", async (t) => {
  const root = await scopedNotesIn(t)
  const config = readFileSync(join(root, 'app/config.ts'), 'utf8')
  write(root, 'app/config.ts', config.replace('mcp: {', "mcp: { listed: 'all',"))
  t.equal((await built(root)).status, 0)
  t.strictSame(toolsIn(await acmcpHere(root, {}, 'tools', 'notes', '--scope', 'staff', '--json')), [
    'notes_index',
    'notes_create',
    'notes_destroy',
  ])
})

t.test('commands: a scope that is not declared is named, with the nearest', async (t) => {
  const root = await scopedNotesIn(t)
  for (const command of [['tools'], ['token'], ['call', 'who_show']]) {
    const ran = (scope: string): Promise<Ran> => acmcpHere(root, {}, ...command, '--scope', scope)
    const refused = (line: string): Ran => ({ status: 2, stdout: '', stderr: `acmcp: ${line}\n` })
    t.strictSame(await ran('notes:raed'), refused('there is no scope notes:raed. Did you mean notes:read?'))
    t.strictSame(await ran('api x'), refused(`there is no scope x. There are: ${names}.`))
    t.strictSame(await ran(' '), refused(`--scope names no scope. There are: ${names}.`))
  }
})

t.test('commands: call --scope gets what such a token gets', async (t) => {
  const root = await scopedNotesIn(t)
  const call = (...args: readonly string[]): Promise<Ran> => acmcpHere(root, {}, 'call', ...args)
  const scopesOf = async (...args: readonly string[]): Promise<unknown> =>
    JSON.parse((await call('notes_index', ...args)).stdout)
  t.strictSame(await scopesOf(), ['notes:read', 'notes:write'], 'api without it')
  t.strictSame(await scopesOf('--scope', 'notes:read'), ['notes:read'])
  t.strictSame(await scopesOf('--scope', 'notes:write notes:delete'), [
    'notes:read',
    'notes:write',
    'notes:delete',
  ])
  const { status, stdout, stderr } = await call('notes_destroy', 'id=1', '--scope', 'notes:write')
  t.strictSame([status, stdout], [1, ''])
  t.match(stderr, /^acmcp: notes_destroy was not called: .*; it needs --scope "notes:read notes:delete"\n$/)
  t.equal((await call('notes_destroy', 'id=1', '--scope', 'notes:read notes:delete')).status, 0)
})

t.test('commands: token --scope is a token of that scope, for who may have it', async (t) => {
  const root = await scopedNotesIn(t)
  const token = (...args: readonly string[]): Promise<Ran> => acmcpHere(root, {}, 'token', ...args)
  const scopeOf = async (...args: readonly string[]): Promise<unknown> =>
    JSON.parse((await token('--json', ...args)).stdout).scope
  t.equal(await scopeOf(), 'api')
  t.equal(await scopeOf('--scope', 'api notes:delete'), 'api notes:delete')
  t.equal(await scopeOf('--scope', 'staff', '--as', 'boss'), 'staff')
  t.strictSame(await token('--scope', 'staff'), {
    status: 1,
    stdout: '',
    stderr: 'acmcp: Developer can have none of these scopes\n',
  })
})

t.test('commands: where no scopes are declared there is api, and no column', async (t) => {
  const root = await shopIn(t)
  const list = (...args: readonly string[]): Promise<Ran> => acmcpHere(root, {}, 'tools', ...args)
  t.strictSame(await list('--scope', 'api', '--json'), await list('--json'))
  t.strictSame(await list('--scope', 'notes:read'), {
    status: 2,
    stdout: '',
    stderr: 'acmcp: there is no scope notes:read. There are: api.\n',
  })
  const [head = ''] = (await acmcpHere(root, {}, 'routes')).stdout.split('\n')
  t.equal(head, 'VERB\tPATH\tCONTROLLER\tFILTERS\tHANDLERS\tTOOL')
  const { routes } = JSON.parse((await acmcpHere(root, {}, 'routes', '--json')).stdout)
  t.notOk(routes.some((route: object) => 'scopes' in route || 'unless' in route))
  t.equal(JSON.parse((await acmcpHere(root, {}, 'token', '--json', '--scope', 'api')).stdout).scope, 'api')
})
