/** `acmcp approvals`: operators see that calls wait and deny them; what the user is asked they see only when they say so. */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { callSeal } from '../../../runtime/capabilities/approval/sealed-call.ts'
import { openStore } from '../../support/whole-store.ts'
import { acmcpHere } from '../support/here.ts'

const secret = 'the secret of the instances is long enough'

const folder = mkdtempSync(join(tmpdir(), 'acmcp-approvals-'))
for (const name of ['.acmcp', 'generated']) symlinkSync(join(process.cwd(), name), join(folder, name))
t.teardown(() => rmSync(folder, { recursive: true }))
const url = `sqlite:${join(folder, 'store.db')}`

/** As a pipe reads it. */
async function acmcp(words: string, sessionSecret = secret) {
  const env = { DATABASE_URL: url, SESSION_SECRET: sessionSecret }
  const { status, stdout, stderr } = await acmcpHere(folder, env, 'approvals', ...words.split(' '))
  const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.slice(0, -1).split('\n'))
  return { code: status, out: linesOf(stdout), err: linesOf(stderr) }
}

const room = { pending: 10, denied: 3 }
const call = {
  sentence: 'Delete order 5\u001b[2J',
  name: 'orders_remove',
  arguments: [{ name: 'id', text: '5\nsecond line' }],
}

t.test('list, show and deny', async (t) => {
  const now = Date.now() // the command has no other clock
  const store = await openStore({ url, clock: () => now, migrations: {}, migrate: 'apply' })
  t.teardown(() => store.close())
  const seal = callSeal([secret], (count) => new Uint8Array(count))
  const ask = (id: string, user: string): Promise<unknown> => {
    const row = { id, user, route: 'orders_remove', digest: `d ${id}` }
    const sealed = seal.seal(call, row)
    return store.askApproval({ ...row, sealed, client: null, grant: null, expiresAt: now + 600_000 }, room)
  }
  await ask('first', 'dev:ada')
  await ask('second', 'dev:ben')
  const [since, until] = [now, now + 600_000].map((time) => new Date(time).toISOString())
  const heading = 'APPROVAL\tUSER\tCLIENT\tROUTE\tSINCE\tUNTIL'
  const row = (id: string, user: string): string => `${id}\t${user}\t\torders_remove\t${since}\t${until}`
  t.strictSame(await acmcp('list'), {
    code: 0,
    out: [heading, row('first', 'dev:ada'), row('second', 'dev:ben')],
    err: [],
  })
  t.strictSame((await acmcp('list --user dev:ben')).out, [heading, row('second', 'dev:ben')])
  const facts = {
    id: 'first',
    user: 'dev:ada',
    client: null,
    grant: null,
    route: 'orders_remove',
    createdAt: since,
    expiresAt: until,
    decision: null,
    method: null,
    decidedAt: null,
  }
  t.strictSame(JSON.parse(String((await acmcp('list --json --limit 1')).out)), {
    approvals: [facts],
    more: true,
  })
  t.strictSame(JSON.parse(String((await acmcp('show first --json')).out)), { approval: facts })
  t.strictSame(JSON.parse(String((await acmcp('show first --json --arguments')).out)), {
    approval: { ...facts, call },
  })
  const shown = await acmcp('show first --arguments')
  t.strictSame(shown.out.slice(-4), [
    'sentence: Delete order 5?[2J',
    'calls: orders_remove',
    '  id = 5',
    '    second line',
  ])
  t.notMatch((await acmcp('show first')).out.join('\n'), 'Delete')
  const sealed = await acmcp('show first --arguments', 'another secret, which is long enough too')
  t.strictSame(
    [sealed.code, sealed.err],
    [1, ['acmcp: its arguments were sealed with another SESSION_SECRET']],
  )
  t.strictSame(await acmcp('deny first'), { code: 0, out: ['denied: orders_remove of dev:ada'], err: [] })
  t.match(await store.findApproval('first'), { decision: 'denied', method: 'operator' })
  const gone = { code: 1, out: [], err: ['acmcp: no approval first waits'] }
  t.strictSame(await acmcp('deny first'), gone)
  t.strictSame((await acmcp('show nobody')).err, ['acmcp: no approval nobody waits'])
  const rows = await store.listAudit({ event: 'approval' }, 10)
  t.match(rows, [{ user: 'dev:ada', detail: { action: 'denied', approval: 'first', method: 'operator' } }])
  t.equal(rows.length, 1)
})
