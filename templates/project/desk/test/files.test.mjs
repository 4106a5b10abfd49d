import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { openDesk, people, request, shortly } from '../testing/desk.mjs'

const bytes = new TextEncoder().encode('It says 20.\n')
const digest = createHash('sha256').update(bytes).digest('hex')
const note = { filename: 'no te.txt', content: bytes, contentType: 'text/plain' }

const formula = { subject: '\n=1+1;@a', body: 'A formula' }

async function openTicket(t) {
  const desk = await openDesk(t)
  const [ada, ben] = [await desk.as('customer'), await desk.as('agent')]
  await ada.json('/api/tickets', { subject: 'The invoice, is "wrong"', body: 'It says 20.' })
  return { desk, ada, ben }
}

test('files are attached, downloaded and removed', async (t) => {
  const { desk, ada, ben } = await openTicket(t)
  const attached = await ada.upload('/api/tickets/1/attachments', { files: note })
  assert.equal(attached.statusCode, 201)
  const [{ id }] = attached.json()
  const stored = {
    ticket: 1,
    name: 'no te.txt',
    type: 'text/plain',
    bytes: '12',
    digest,
    uploadedBy: people.customer.id,
  }
  assert.deepEqual(attached.json(), [{ id, ...stored, uploadedAt: '2026-03-02T09:00:00.000Z' }])
  assert.deepEqual((await ben.get('/api/tickets/1/attachments')).json(), attached.json())

  const sent = await ben.get(`/api/attachments/${id}/content`)
  assert.equal(sent.body, 'It says 20.\n')
  assert.match(sent.headers['content-disposition'], /^attachment; filename="no te\.txt"/)
  const part = await ben.get(`/api/attachments/${id}/content/part.txt`, { range: 'bytes=3-6' })
  assert.deepEqual([part.statusCode, part.body], [206, 'says'])

  const browser = desk.app.client()
  await browser.signIn(people.customer)
  assert.equal((await browser.get(`/api/attachments/${id}/content`)).statusCode, 200)
  const stranger = desk.app.client()
  await stranger.signIn(people.other)
  assert.equal((await stranger.get(`/api/attachments/${id}/content`)).statusCode, 404)

  assert.deepEqual(readdirSync(process.env.DESK_FILES), [id])
  assert.equal((await request(ada, 'DELETE', `/api/attachments/${id}`)).statusCode, 204)
  assert.deepEqual(readdirSync(process.env.DESK_FILES), [])
  assert.equal((await ben.get(`/api/attachments/${id}/content`)).statusCode, 404)
})

test('customers remove their own files, the staff any', async (t) => {
  const { ada, ben } = await openTicket(t)
  const attached = async (client) =>
    (await client.upload('/api/tickets/1/attachments', { files: note })).json()[0].id
  const remove = async (client, id) => (await request(client, 'DELETE', `/api/attachments/${id}`)).statusCode
  const [theirs, ours] = [await attached(ada), await attached(ben)]
  assert.deepEqual(
    [await remove(ada, ours), await remove(ben, theirs), await remove(ben, ours)],
    [403, 204, 204],
  )
  const { kind, actor, attachment } = (await ada.get('/api/tickets/1/history')).json().at(-1)
  assert.deepEqual([kind, actor, attachment], ['detached', people.agent.id, ours])
})

test('what is deleted takes its files along', async (t) => {
  const { desk, ada } = await openTicket(t)
  await ada.upload('/api/tickets/1/attachments', { files: note })
  assert.equal(readdirSync(process.env.DESK_FILES).length, 1)
  await request(await desk.as('admin', 'api desk:admin'), 'DELETE', '/api/tickets/1')
  assert.deepEqual(readdirSync(process.env.DESK_FILES), [])
})

test('what a browser would run is not taken', async (t) => {
  const { ada } = await openTicket(t)
  const page = { filename: 'a.html', content: bytes, contentType: 'text/html' }
  const [status, { error, code, accepts }] = shortly(
    await ada.upload('/api/tickets/1/attachments', { files: page }),
  )
  assert.deepEqual([status, error, code], [415, 'this type of file is not taken', 'unsupported_media_type'])
  assert.ok(accepts.includes('image/png'))
  assert.deepEqual((await ada.get('/api/tickets/1/attachments')).json(), [])
})

test('a transcript has what the reader may read', async (t) => {
  const { ada, ben } = await openTicket(t)
  await ben.json('/api/tickets/1/comments', { text: 'They never pay.', isInternal: true })
  const own = await ada.get('/api/tickets/1/transcript')
  assert.equal(
    own.body,
    'Ticket 1: The invoice, is "wrong"\nnew, opened 2026-03-02T09:00:00.000Z by Ada\n\n---\n\nIt says 20.\n',
  )
  assert.match(own.headers['content-disposition'], /filename="ticket-1\.txt"/)
  assert.match((await ben.get('/api/tickets/1/transcript')).body, /internal\n\nThey never pay\./)
})

test('reports count, and export for spreadsheets', async (t) => {
  const { ada, ben } = await openTicket(t)
  await ada.upload('/api/tickets/1/attachments', { files: note })
  await ada.json('/api/tickets', { ...formula, priority: 'urgent', tags: ['b', 'a'] })
  await ada.json('/api/tickets/2/close', { resolution: 'declined' })
  const period = 'from=2026-03-01&to=2026-04-01'
  assert.deepEqual((await ben.get(`/api/reports/summary?${period}`)).json(), {
    from: '2026-03-01T00:00:00.000Z',
    to: '2026-04-01T00:00:00.000Z',
    opened: 2,
    closed: 1,
    byStatus: { new: 1, open: 0, waiting: 0, closed: 1 },
    byPriority: { low: 0, normal: 1, high: 0, urgent: 1 },
    attachedBytes: '12',
  })
  const [status, { broken }] = shortly(await ben.get('/api/reports/summary?from=2026-04-01&to=2026-03-01'))
  assert.deepEqual([status, broken], [422, [{ path: 'to', message: 'must be after from' }]])

  const opened = '2026-03-02T09:00:00.000Z'
  const csv = await ben.get('/api/reports/tickets.csv')
  assert.equal(csv.headers['content-type'], 'text/csv; charset=utf-8')
  assert.deepEqual(csv.body.split('\r\n'), [
    '"number","subject","status","priority","customer","assignee","team","tags","opened","closed"',
    `"1","The invoice, is ""wrong""","new","normal","Ada","","","","${opened}",""`,
    `"2","'\n'=1+1;'@a","closed","urgent","Ada","","","a b","${opened}","${opened}"`,
    '',
  ])
  assert.equal((await ada.get('/api/reports/tickets.csv')).statusCode, 403)
})
