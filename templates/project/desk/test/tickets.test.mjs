import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDesk, people, request, shortly } from '../testing/desk.mjs'

const invoice = { subject: 'The invoice is wrong', body: 'It says 20, we pay 10.', tags: ['billing'] }

test('a customer opens a ticket, and sees no other', async (t) => {
  const desk = await openDesk(t)
  const [ada, eve] = [await desk.as('customer'), await desk.as('other')]

  const opened = await ada.json('/api/tickets', {
    ...invoice,
    channel: { kind: 'web', page: 'https://example.org/help' },
  })
  assert.equal(opened.statusCode, 201)
  const ticket = opened.json()
  assert.deepEqual(ticket, {
    number: 1,
    ...invoice,
    status: 'new',
    priority: 'normal',
    channel: { kind: 'web', page: 'https://example.org/help' },
    customer: { id: ticket.customer.id, name: 'Ada' },
    assignee: null,
    team: null,
    version: 1,
    openedAt: '2026-03-02T09:00:00.000Z',
    changedAt: '2026-03-02T09:00:00.000Z',
    closedAt: null,
  })
  assert.equal(opened.headers.etag, '"1"')
  assert.deepEqual((await ada.get('/api/tickets')).json(), {
    items: [ticket],
    page: 1,
    perPage: 20,
    total: 1,
  })

  assert.equal((await eve.get('/api/tickets')).json().total, 0)
  assert.deepEqual(shortly(await eve.get('/api/tickets/1')), [
    404,
    { error: 'there is no ticket 1', code: 'not_found' },
  ])
})

test('of several who come at once each gets a ticket, and numbers have no gap', async (t) => {
  const desk = await openDesk(t)
  const clients = [await desk.as('customer'), await desk.as('other')]
  const all = await Promise.all(
    [...clients, ...clients, ...clients, ...clients].map((client) => client.json('/api/tickets', invoice)),
  )
  assert.deepEqual(all.map((answer) => answer.json().number).sort(), [1, 2, 3, 4, 5, 6, 7, 8])
  const log = (await (await desk.as('agent')).get('/api/events/log')).body.trimEnd().split('\n')
  assert.deepEqual(
    log.map((line) => JSON.parse(line).id),
    ['1', '2', '3', '4', '5', '6', '7', '8'],
  )
})

test('a channel is told apart by its kind', async (t) => {
  const desk = await openDesk(t)
  const ada = await desk.as('customer')
  const sent = async (channel) => shortly(await ada.json('/api/tickets', { ...invoice, channel }))

  const [status, ticket] = await sent({ kind: 'phone', number: '+493012345678' })
  assert.deepEqual([status, ticket.channel], [201, { kind: 'phone', number: '+493012345678' }])
  assert.equal((await sent({ kind: 'phone', number: '030 12345678' }))[0], 400)
  const [refused, problem] = await sent({ kind: 'email' })
  assert.deepEqual([refused, problem.code, problem.parameter], [422, 'missing_parameter', 'channel.address'])
  assert.match((await sent({ kind: 'fax' }))[1].error, /kind must be one of/)
})

test('agents filter, sort and page', async (t) => {
  const desk = await openDesk(t)
  const [ada, ben] = [await desk.as('customer'), await desk.as('agent')]
  for (const [subject, priority, tags] of [
    ['First', 'low', ['a', 'b']],
    ['Second', 'urgent', ['b']],
    ['Third 100%', 'high', []],
  ]) {
    await ada.json('/api/tickets', { ...invoice, subject, priority, tags })
    desk.wait(60_000)
  }
  const found = async (query) => {
    const { items, total } = (await ben.get(`/api/tickets?${query}`)).json()
    return [items.map(({ number }) => number), total]
  }
  assert.deepEqual(await found(''), [[3, 2, 1], 3])
  assert.deepEqual(await found('order=oldest&per-page=2&page=2'), [[3], 3])
  assert.deepEqual(await found('priority=urgent,high'), [[3, 2], 2])
  assert.deepEqual(await found('tags=b&tags=a'), [[1], 1])
  assert.deepEqual(await found('search=100%25'), [[3], 1])
  assert.deepEqual(await found('opened-from=2026-03-02T09:01:00Z&opened-to=2026-03-02T09:02:00Z'), [[2], 1])
  assert.deepEqual(await found('status=closed'), [[], 0])
  assert.equal((await ben.get(`/api/tickets?tags=${'a,'.repeat(1199)}a`)).statusCode, 400)
  const [status, problem] = shortly(await ben.get('/api/tickets?status=lost&per-page=1000'))
  assert.deepEqual(
    [status, problem.code, problem.failures.map(({ parameter }) => parameter)],
    [400, 'invalid_parameter', ['status.0', 'per-page']],
  )
})

test('of two who change the same version one is told', async (t) => {
  const desk = await openDesk(t)
  const [ada, ben] = [await desk.as('customer'), await desk.as('agent')]
  await ada.json('/api/tickets', invoice)
  const change = (payload, version) =>
    ben.request({ method: 'PATCH', url: '/api/tickets/1', payload, headers: { 'if-match': version } })

  const changed = await change({ priority: 'high', tags: ['vip', 'billing'] }, '"1"')
  const { priority, tags, version } = changed.json()
  assert.deepEqual([priority, tags, version], ['high', ['billing', 'vip'], 2])
  assert.deepEqual(shortly(await change({ priority: 'low' }, '"1"')), [
    412,
    { error: 'it has been changed meanwhile: this is version 2', code: 'version_mismatch', current: 2 },
  ])
  assert.deepEqual(shortly(await request(ada, 'PATCH', '/api/tickets/1', { priority: 'low' })), [
    403,
    { error: 'for the role agent or admin only', code: 'role_required', roles: ['agent', 'admin'] },
  ])
})

test('who answers while the ticket is closed does not open it', async (t) => {
  const desk = await openDesk(t)
  const [ada, ben] = [await desk.as('customer'), await desk.as('agent')]
  await ada.json('/api/tickets', invoice)
  const [closed, said] = await Promise.all([
    ada.json('/api/tickets/1/close', {}),
    ben.json('/api/tickets/1/comments', { text: 'Is it the one of May?' }),
  ])
  const { status } = (await ada.get('/api/tickets/1')).json()
  const [expected, ...codes] = closed.statusCode === 200 ? ['closed', 201, 409] : ['waiting', 201]
  assert.equal(status, expected)
  assert.ok(codes.includes(said.statusCode))
})

test('the history tells what became of a ticket', async (t) => {
  const desk = await openDesk(t)
  const [ada, ben] = [await desk.as('customer'), await desk.as('agent')]
  await ada.json('/api/tickets', invoice)
  const assigned = await request(ben, 'PUT', '/api/tickets/1/assignment', { assignee: people.agent.id })
  assert.equal(assigned.json().status, 'open')
  const wrong = await request(ben, 'PUT', '/api/tickets/1/assignment', { assignee: people.customer.id })
  assert.equal(wrong.statusCode, 400)
  await ben.json('/api/tickets/1/comments', { text: 'Is it the one of May?' })
  await ben.json('/api/tickets/1/comments', { text: 'They never pay.', isInternal: true })
  assert.equal((await ada.get('/api/tickets/1')).json().status, 'waiting')
  await ada.json('/api/tickets/1/close', { resolution: 'solved' })
  assert.deepEqual(shortly(await ada.json('/api/tickets/1/comments', { text: 'One more thing' })), [
    409,
    { error: 'ticket 1 is closed', code: 'ticket_closed', ticket: 1 },
  ])
  await ada.json('/api/tickets/1/reopen', { reason: 'It is wrong again.' })

  const history = async (client) => (await client.get('/api/tickets/1/history')).json()
  const told = (await history(ben)).map(({ id, kind, actor }) => [id, kind, actor])
  assert.deepEqual(told, [
    ['1', 'opened', people.customer.id],
    ['2', 'assigned', people.agent.id],
    ['3', 'commented', people.agent.id],
    ['4', 'commented', people.agent.id],
    ['5', 'closed', people.customer.id],
    ['6', 'reopened', people.customer.id],
  ])
  const toCustomer = await history(ada)
  assert.deepEqual(
    toCustomer.map(({ id }) => id),
    ['1', '2', '3', '5', '6'],
  )
  assert.deepEqual(toCustomer.at(-1), {
    id: '6',
    ticket: 1,
    actor: people.customer.id,
    at: '2026-03-02T09:00:00.000Z',
    kind: 'reopened',
    reason: 'It is wrong again.',
  })
})

test('a comment can be changed by its author for a while', async (t) => {
  const desk = await openDesk(t)
  const [ada, ben] = [await desk.as('customer'), await desk.as('agent')]
  await ada.json('/api/tickets', invoice)
  const { id } = (await ada.json('/api/tickets/1/comments', { text: 'Helo' })).json()
  const edit = (client) => request(client, 'PUT', `/api/tickets/1/comments/${id}`, { text: 'Hello' })
  assert.equal((await edit(ben)).statusCode, 403)
  desk.wait(60_000)
  const { text, editedAt } = (await edit(ada)).json()
  assert.deepEqual([text, editedAt], ['Hello', '2026-03-02T09:01:00.000Z'])
  desk.wait(15 * 60_000)
  assert.equal((await edit(ada)).statusCode, 409)
  assert.equal((await request(ada, 'DELETE', `/api/tickets/1/comments/${id}`)).statusCode, 204)
  assert.deepEqual((await ada.get('/api/tickets/1/comments')).json(), [])
})

test('a link shows a little to who has it, for two weeks', async (t) => {
  const desk = await openDesk(t)
  const [ada, ben] = [await desk.as('customer'), await desk.as('agent')]
  await ada.json('/api/tickets', invoice)
  const { token, expiresAt } = (await ben.json('/api/tickets/1/links', {})).json()
  assert.equal(expiresAt, '2026-03-16T09:00:00.000Z')
  const stranger = desk.app.client()
  const seen = () => stranger.get(`/api/links?token=${token}`)
  assert.deepEqual(shortly(await seen()), [
    200,
    { number: 1, subject: invoice.subject, status: 'new', changedAt: '2026-03-02T09:00:00.000Z' },
  ])
  assert.equal((await stranger.get('/api/links?token=wrong')).statusCode, 404)
  desk.wait(14 * 86_400_000)
  assert.equal((await seen()).statusCode, 404)
})

test('to delete takes the role and the scope', async (t) => {
  const desk = await openDesk(t)
  const [ada, ben] = [await desk.as('customer'), await desk.as('agent')]
  await ada.json('/api/tickets', invoice)
  const destroy = (client) => request(client, 'DELETE', '/api/tickets/1')
  assert.equal((await destroy(ben)).statusCode, 403, 'nobody but an admin is even asked for the scope')
  assert.equal((await destroy(await desk.as('admin'))).statusCode, 403, 'api leaves it out')
  assert.equal((await destroy(await desk.as('admin', 'api desk:admin'))).statusCode, 204)
  assert.equal((await ada.get('/api/tickets/1')).statusCode, 404)
})
