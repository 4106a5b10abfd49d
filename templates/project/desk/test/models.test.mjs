import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDesk, people } from '../testing/desk.mjs'

test('a model helps a customer, with what the customer may do', async (t) => {
  const desk = await openDesk(t)
  const ada = await desk.as('customer')
  const opened = await ada.tool('tickets_create', { ticket: { subject: 'Help', body: 'Please.' } })
  assert.equal(opened.structuredContent.number, 1)
  assert.deepEqual(opened.structuredContent.channel, { kind: 'api' })
  const me = await ada.tool('users_current')
  assert.equal(me.structuredContent.id, people.customer.id)

  const refused = await ada.tool('customers_index', { search: 'ada' })
  assert.equal(refused.isError, true)
  assert.match(refused.content[0].text, /^403 Forbidden\n.*"code":"role_required"/)
})

test('a model of an agent reads, answers and exports', async (t) => {
  const desk = await openDesk(t)
  const [ada, ben] = [await desk.as('customer'), await desk.as('agent')]
  await ada.json('/api/tickets', { subject: 'Help', body: 'Please.' })
  const found = await ben.tool('tickets_index', { status: ['new'], 'per-page': 5 })
  const [ticket] = found.structuredContent.items
  assert.deepEqual([ticket.subject, 'body' in ticket], ['Help', false])
  const more = await ben.tool('tickets_index', { fields: ['body'] })
  assert.equal(more.structuredContent.items[0].body, 'Please.')
  const answered = await ben.tool('comments_create', { number: 1, text: 'Gladly.' })
  assert.equal(answered.structuredContent.author.name, 'Ben')
  const changed = await ben.tool('tickets_update', { number: 1, changes: { priority: 'low' }, if_match: '1' })
  assert.match(changed.content[0].text, /^412 Precondition Failed\n/)
  const table = await ben.tool('reports_tickets', {})
  assert.match(table.content[0].text, /"1","Help","waiting"/)
})

test('a client that may only read is refused before anything runs', async (t) => {
  const desk = await openDesk(t)
  const reader = await desk.as('agent', 'desk:read')
  assert.equal((await reader.tool('tickets_index')).structuredContent.total, 0)
  await assert.rejects(reader.tool('tickets_create', { ticket: { subject: 'Help', body: 'Please.' } }), /403/)
})
