import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDesk, people, request, shortly } from '../testing/desk.mjs'

const lovelace = { name: 'Ada Lovelace', email: 'ada@example.org', organisation: null }
const hours = [{ day: 'mon', opens: '09:00', closes: '17:00' }]
const billing = { name: 'Billing', schedule: { timeZone: 'Europe/Berlin', hours } }

test('everybody is told who they are; who is new is a customer', async (t) => {
  const desk = await openDesk(t)
  const ben = await desk.as('agent')
  assert.deepEqual((await ben.get('/api/users/current')).json(), {
    ...people.agent,
    role: 'agent',
    since: '2026-03-02T09:00:00.000Z',
  })
  desk.wait(1000)
  const newcomer = desk.app.client()
  assert.deepEqual(shortly(await newcomer.get('/api/users/current')), [
    401,
    { error: 'unauthorized', code: 'unauthorized' },
  ])
  await newcomer.signIn({ id: 'test:new', name: 'Nora', email: null })
  const { role, since } = (await newcomer.get('/api/users/current')).json()
  assert.deepEqual([role, since], ['customer', '2026-03-02T09:00:01.000Z'])
})

test('a customer is stored once, and found', async (t) => {
  const desk = await openDesk(t)
  const [ada, ben] = [await desk.as('customer'), await desk.as('agent')]
  assert.equal((await ada.json('/api/customers', lovelace)).statusCode, 403)

  const added = await ben.json('/api/customers', lovelace)
  const customer = added.json()
  assert.deepEqual(
    [added.statusCode, customer],
    [201, { ...lovelace, id: customer.id, hasAccount: false, since: '2026-03-02T09:00:00.000Z' }],
  )
  assert.deepEqual(shortly(await ben.json('/api/customers', { ...lovelace, email: 'ADA@example.org' })), [
    200,
    { known: customer },
  ])
  assert.deepEqual((await ben.get('/api/customers?search=love')).json().items, [customer])

  const url = `/api/customers/${customer.id}`
  const replaced = await request(ben, 'PUT', url, { ...lovelace, organisation: 'Analytical' })
  assert.equal(replaced.json().organisation, 'Analytical')
  await ben.json('/api/customers', { ...lovelace, email: 'other@example.org' })
  const taken = await request(ben, 'PUT', url, { ...lovelace, email: 'other@example.org' })
  assert.deepEqual(shortly(taken), [409, { error: 'another customer has this address', code: 'conflict' }])
})

test('an account gets the tickets of the customer whom an agent links', async (t) => {
  const desk = await openDesk(t)
  const [ada, ben] = [await desk.as('customer'), await desk.as('agent')]
  const customer = (await ben.json('/api/customers', lovelace)).json().id
  const ticket = { subject: 'By phone', body: 'She called.', customer }
  assert.equal((await ben.json('/api/tickets', ticket)).statusCode, 201)
  assert.equal((await ben.json('/api/tickets', { ...ticket, customer: undefined })).statusCode, 422)

  assert.equal((await ada.get('/api/tickets')).json().total, 0, 'nobody is found by an address')
  assert.equal((await ada.json('/api/tickets', { subject: 'Mine', body: 'Hello' })).statusCode, 409)
  const link = { user: people.customer.id }
  const linked = await request(ben, 'PUT', `/api/customers/${customer}/account`, link)
  assert.equal(linked.json().hasAccount, true)
  assert.equal((await ada.get('/api/tickets')).json().total, 1)

  const move = async (client) =>
    (await request(client, 'PUT', `/api/customers/${customer}/account`, { user: people.other.id })).statusCode
  assert.equal(await move(ben), 409, 'agents take nobody from an account')
  assert.equal((await ada.get('/api/tickets')).json().total, 1)
  assert.equal(await move(await desk.as('admin')), 200)
  assert.equal((await ada.get('/api/tickets')).json().total, 0)
})

test('a list of customers is imported; what is wrong is told', async (t) => {
  const desk = await openDesk(t)
  const ben = await desk.as('agent')
  const content = [
    'Grace Hopper,grace@example.org,"Navy, US"',
    ',nobody@example.org',
    '',
    'Alan Turing,alan',
    '"Grace\nagain",GRACE@example.org',
    'Kay McNulty,kay@example.org',
  ].join('\r\n')
  const imported = (text) =>
    ben.upload('/api/customers/import', {
      file: { filename: 'list.csv', content: new TextEncoder().encode(text), contentType: 'text/csv' },
    })
  assert.deepEqual(shortly(await imported(content)), [
    200,
    {
      added: 2,
      known: 1,
      refused: [
        { line: 2, problem: 'the name is empty' },
        { line: 4, problem: 'the address is no e-mail address' },
      ],
    },
  ])
  const { items } = (await ben.get('/api/customers?search=navy')).json()
  assert.deepEqual(
    items.map(({ name, organisation }) => [name, organisation]),
    [['Grace Hopper', 'Navy, US']],
  )
  assert.deepEqual(shortly(await imported('\n')), [
    422,
    {
      error: 'file: has no lines',
      code: 'rules_broken',
      broken: [{ path: 'file', message: 'has no lines' }],
    },
  ])
  const refusal = async (text) => (await imported(text)).json().error
  assert.equal(await refusal(`a\n${'"'.repeat(500_001)}`), 'file: line 2 cannot be read')
  assert.equal(await refusal('a\n'.repeat(5001)), 'file: has more than 5000 lines')
  assert.equal(await refusal('a'.repeat(1_000_001)), 'file: has more than 1000000 bytes')
})

test('erasing a customer erases their tickets', async (t) => {
  const desk = await openDesk(t)
  const [ada, root] = [await desk.as('customer'), await desk.as('admin', 'api desk:admin')]
  const opened = await ada.json('/api/tickets', { subject: 'Delete me', body: 'All of it.' })
  const url = `/api/customers/${opened.json().customer.id}`
  assert.equal((await request(root, 'DELETE', url)).statusCode, 204)
  assert.equal((await request(root, 'DELETE', url)).statusCode, 404)
  assert.equal((await ada.get('/api/tickets')).json().total, 0)
})

test('teams have hours that can be, and agents', async (t) => {
  const desk = await openDesk(t)
  const [ada, ben, root] = [
    await desk.as('customer'),
    await desk.as('agent'),
    await desk.as('admin', 'desk:admin'),
  ]
  const put = (settings) => request(root, 'PUT', '/api/teams/billing', settings)
  assert.deepEqual((await put(billing)).json(), { slug: 'billing', ...billing, members: [] })
  const wrong = { timeZone: 'Mars/North', hours: [...hours, { day: 'mon', opens: '12:00', closes: '9:00' }] }
  const [status, { code, broken }] = shortly(await put({ ...billing, schedule: wrong }))
  assert.deepEqual([status, code], [422, 'rules_broken'])
  assert.deepEqual(
    broken.map(({ path }) => path),
    ['timeZone', 'hours.1.closes', 'hours'],
  )

  const member = (user) => request(root, 'PUT', `/api/teams/billing/members/${encodeURIComponent(user)}`)
  assert.equal((await member(people.customer.id)).statusCode, 409)
  assert.deepEqual((await member(people.agent.id)).json().members, [{ id: people.agent.id, name: 'Ben' }])

  await ada.json('/api/tickets', { subject: 'The invoice', body: 'It is wrong.' })
  assert.equal((await ben.get('/api/teams/queue')).statusCode, 404)
  assert.deepEqual((await ben.get('/api/teams/queue/billing')).json(), [])
  await request(ben, 'PUT', '/api/tickets/1/assignment', { team: 'billing' })
  const again = (await ben.get('/api/teams/queue')).json()
  assert.deepEqual(
    again.map(({ number }) => number),
    [1],
    'the cookie remembers the team',
  )

  const remove = () => request(root, 'DELETE', `/api/teams/billing/members/${people.agent.id}`)
  assert.deepEqual([(await remove()).statusCode, (await remove()).statusCode], [204, 404])
})

test('agents count their time', async (t) => {
  const desk = await openDesk(t)
  const [ada, ben] = [await desk.as('customer'), await desk.as('agent')]
  await ada.json('/api/tickets', { subject: 'The invoice', body: 'It is wrong.' })
  const end = () => request(ben, 'DELETE', '/api/users/current/sessions')
  assert.equal((await end()).statusCode, 409)
  assert.equal((await ada.json('/api/users/current/sessions', { ticket: 1 })).statusCode, 403)
  assert.equal((await ben.json('/api/users/current/sessions', { ticket: 1 })).statusCode, 201)
  await request(ben, 'PUT', '/api/tickets/1/assignment', { assignee: people.agent.id })
  desk.wait(90_000)
  const session = (await end()).json()
  assert.deepEqual([session.worked, session.endedAt], ['90000', '2026-03-02T09:01:30.000Z'])
  assert.deepEqual((await ben.get('/api/reports/workload')).json(), [
    { agent: { id: people.agent.id, name: 'Ben' }, tickets: 1, worked: '90000' },
    { agent: { id: people.admin.id, name: 'Cleo' }, tickets: 0, worked: '0' },
  ])
  assert.equal((await ben.get('/api/reports/workload/billing')).statusCode, 404)
})

test('admins give roles, but not to themselves', async (t) => {
  const desk = await openDesk(t)
  const [ada, root] = [await desk.as('customer'), await desk.as('admin', 'desk:admin')]
  const give = (user) => request(root, 'PUT', `/api/admin/users/${user.id}/role`, { role: 'agent' })
  assert.equal((await give(people.customer)).json().role, 'agent')
  assert.equal((await ada.get('/api/customers')).statusCode, 200)
  assert.equal((await give(people.admin)).statusCode, 409)
  assert.equal((await give({ id: 'test:nobody' })).statusCode, 404)
  const { items } = (await root.get('/api/admin/users?roles=agent&search=A')).json()
  assert.deepEqual(
    items.map(({ name }) => name),
    ['Ada'],
  )
  assert.equal((await ada.get('/api/admin/users')).statusCode, 403)
})

test('what is stored is counted, and what has expired goes', async (t) => {
  const desk = await openDesk(t)
  const [ada, ben] = [await desk.as('customer'), await desk.as('agent')]
  await ada.json('/api/tickets', { subject: 'The invoice', body: 'It is wrong.' })
  await ben.json('/api/tickets/1/links', {})
  desk.wait(15 * 86_400_000)
  const root = await desk.as('admin', 'desk:admin')
  const { rows, fileBytes } = (await root.get('/api/admin/storage')).json()
  assert.deepEqual([rows.tickets, rows.tokens, rows.users, fileBytes], [1, 1, 4, '0'])
  assert.deepEqual((await root.json('/api/admin/purge', {})).json(), { links: 1 })
  assert.deepEqual((await root.json('/api/admin/purge', {})).json(), { links: 0 })
})
