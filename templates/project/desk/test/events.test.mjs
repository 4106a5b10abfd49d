import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDesk, people, request, shortly } from '../testing/desk.mjs'

const help = { subject: 'Help', body: 'Please.' }

/** The first `count` events that the address sends. */
async function eventsOf(address, headers, count) {
  const answer = await fetch(address, { headers })
  assert.equal(answer.headers.get('content-type'), 'text/event-stream')
  let text = ''
  for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
    text += piece
    const events = text
      .split('\n\n')
      .slice(0, -1)
      .filter((event) => !event.startsWith(':'))
    if (events.length >= count) return events.slice(0, count) // and the connection ends
  }
  throw new Error(`the stream ended: ${text}`)
}

test('events are sent as they happen, and missed ones later', async (t) => {
  const desk = await openDesk(t)
  const base = await desk.app.application.server.listen({ port: 0, host: '127.0.0.1' })
  const ben = await desk.as('agent')
  const authorization = `Bearer ${await desk.app.accessToken(people.customer)}`
  const ada = await desk.as('customer')
  await ada.json('/api/tickets', help)
  const listening = eventsOf(`${base}/api/events?after=1`, { authorization }, 2)
  await ben.json('/api/tickets/1/comments', { text: 'For us.', isInternal: true })
  await ben.json('/api/tickets/1/comments', { text: 'For you.' })
  await ada.json('/api/tickets/1/close', {})
  const [commented, closed] = await listening
  assert.match(commented, /^event: commented\nid: 3\ndata: \{"id":"3","ticket":1,"actor":"test:ben"/)
  assert.match(closed, /^event: closed\nid: 4\n/)

  const [missed] = await eventsOf(`${base}/api/events`, { authorization, 'last-event-id': '3' }, 1)
  assert.equal(missed, closed)
  const [opened] = await eventsOf(`${base}/api/events?kinds=opened&after=0`, { authorization }, 1)
  assert.match(opened, /^event: opened\nid: 1\n/)
})

test('a stream goes on with what its listener may see now', async (t) => {
  const desk = await openDesk(t)
  const base = await desk.app.application.server.listen({ port: 0, host: '127.0.0.1' })
  const [ada, eve] = [await desk.as('customer'), await desk.as('other')]
  const root = await desk.as('admin', 'api desk:admin')
  const make = (role) => request(root, 'PUT', `/api/admin/users/${people.customer.id}/role`, { role })
  await ada.json('/api/tickets', help)
  await eve.json('/api/tickets', help)
  await make('agent')
  const authorization = `Bearer ${await desk.app.accessToken(people.customer)}`
  const answer = await fetch(`${base}/api/events?after=0`, { headers: { authorization } })
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const until = async (wanted) => {
    while (!text.includes(wanted)) text += (await reader.read()).value
  }
  await until('id: 2\n')
  await make('customer')
  await root.json('/api/tickets/1/comments', { text: 'For us.', isInternal: true })
  await eve.json('/api/tickets/2/close', {})
  await ada.json('/api/tickets/1/close', {})
  await until('id: 5\n')
  assert.doesNotMatch(text, /id: [34]\n/)
  await reader.cancel()
})

test('the log is lines of JSON', async (t) => {
  const desk = await openDesk(t)
  const [ada, eve] = [await desk.as('customer'), await desk.as('other')]
  await ada.json('/api/tickets', help)
  await ada.json('/api/tickets/1/close', { resolution: 'no_answer' })
  const log = await ada.get('/api/events/log?kinds=closed')
  assert.equal(log.headers['content-type'], 'application/x-ndjson')
  const event = {
    id: '2',
    ticket: 1,
    actor: people.customer.id,
    at: '2026-03-02T09:00:00.000Z',
    kind: 'closed',
    resolution: 'no_answer',
    duplicateOf: null,
  }
  assert.deepEqual(log.body.trimEnd().split('\n').map(JSON.parse), [event])
  assert.deepEqual(shortly(await ada.get('/api/events/2')), [200, event])
  assert.equal((await eve.get('/api/events/log')).body, '')
  assert.equal((await eve.get('/api/events/2')).statusCode, 404)
  assert.equal((await ada.get('/api/events/9223372036854775807')).statusCode, 404)
})
