import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestApp } from 'acmcp/testing'

test('a note is added, found and removed', async (t) => {
  const app = await openTestApp()
  t.after(() => app.close())
  const client = app.client().withBearer(await app.accessToken())

  const added = await client.json('/api/notes', { text: 'buy milk' })
  assert.equal(added.statusCode, 201)
  const note = added.json()
  assert.equal(note.text, 'buy milk')
  assert.deepEqual((await client.get('/api/notes?search=milk')).json(), [note])

  const remove = { method: 'DELETE', url: `/api/notes/${note.id}` }
  assert.equal((await client.request(remove)).statusCode, 204)
  assert.equal((await client.request(remove)).statusCode, 404)
  assert.deepEqual((await client.get('/api/notes')).json(), [])
})

test('without a token nobody reads notes', async (t) => {
  const app = await openTestApp()
  t.after(() => app.close())
  const answer = await app.client().get('/api/notes')
  assert.deepEqual([answer.statusCode, answer.json()], [401, { error: 'unauthorized' }])
})

test('a model adds a note', async (t) => {
  const app = await openTestApp()
  t.after(() => app.close())
  const client = app.client().withBearer(await app.accessToken())

  const answer = await client.tool('notes_create', { text: 'buy plums' })
  assert.equal(answer.structuredContent.text, 'buy plums')
  assert.equal((await client.get('/api/notes')).json().length, 1)
})
