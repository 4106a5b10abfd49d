/** Instances on one PostgreSQL share what they counted, once a second; no request waits for it. */
import t from 'tap'
import { postgresOrNotice } from '../../store/postgres-server.ts'
import { buildStudio, openStudio, type Reported, start } from './studio.ts'

t.setTimeout(240_000)

const server = await postgresOrNotice((text) => t.comment(text))
if (server !== null) t.teardown(server.stop)

const spent = (seconds: number): Reported => [
  429,
  String(seconds),
  { error: `too many requests: wait ${seconds} s` },
]
const counted: Reported = [200, null, { count: 3 }]

t.test('limits: two instances, one limit', { skip: server === null }, async (t) => {
  if (server === null) return
  const bundle = await buildStudio()
  const options = { databaseUrl: server.url, config: { limits: { routeCalls: '2/day' } } }
  const studio = await openStudio(t, bundle, options)
  const two = await openStudio(t, bundle, options)
  const ada = { headers: await studio.bearer('ada') }
  const bob = { headers: await studio.bearer('bob') }
  t.strictSame(
    [
      await studio.ask('/songs/count', ada),
      await studio.ask('/songs/count', ada),
      await two.ask('/songs/count', ada),
    ],
    [counted, counted, counted],
    'nobody waits for the others',
  )
  await studio.exchange()
  await two.exchange()
  t.strictSame(await two.ask('/songs/count', ada), spent(60), 'the fourth of both')
  t.strictSame(await two.callTool('songs_count', {}, ada), [
    200,
    null,
    'error: 429 Too Many Requests\nRetry-After: 60\n{"error":"too many requests: wait 60 s"}\nWait 60 seconds before the next call of this tool.',
  ])
  t.strictSame(await two.ask('/songs/count', bob), counted, 'another user')
  t.strictSame(await studio.ask('/songs/count', ada), counted, 'told of its own two only')
  await studio.exchange()
  t.strictSame(await studio.ask('/songs/count', ada), spent(60))
  const free: Reported = [200, null, 'free']
  t.strictSame([await studio.ask('/slow/free'), await studio.ask('/slow/free')], [free, free])
  await studio.exchange()
  t.strictSame(await two.ask('/slow/free'), free, 'told of nothing yet')
  await two.exchange()
  const day = 86_400 - ((start / 1000) % 86_400)
  t.strictSame(await two.ask('/slow/free'), spent(day))
})
