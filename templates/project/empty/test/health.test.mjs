import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestApp } from 'acmcp/testing'

test('the server answers', async (t) => {
  const app = await openTestApp()
  t.after(() => app.close())
  const answer = await app.client().get('/health')
  assert.deepEqual([answer.statusCode, answer.json()], [200, { status: 'ok' }])
})
