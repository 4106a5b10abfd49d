/** Files on disk: validators, conditional requests, ranges, names, paths. Source: RFC 9110, 13 and 14; RFC 6266. */
import { mkdirSync, statSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { NotFound } from '../../../runtime/errors.ts'
import { type Selection, select } from '../../../runtime/http/output/conditional.ts'
import { attachment } from '../../../runtime/http/output/disposition.ts'
import type { FileOptions } from '../../../runtime/http/output/files.ts'
import type { TestClient } from '../../../runtime/testing.ts'
import { dial, errorsOf, openProbe, readAll, report } from '../support/one-route.ts'

const modified = 'Sun, 06 Nov 1994 08:49:37 GMT'
const before = 'Sun, 06 Nov 1994 08:49:36 GMT'
const after = 'Sun, 06 Nov 1994 08:49:38 GMT'
const now = { etag: '"v1"', modifiedMs: Date.parse(modified), size: 1000 }

const whole: Selection = { kind: 'whole' }
const unchanged: Selection = { kind: 'not-modified' }
const failed: Selection = { kind: 'precondition-failed' }
const part = (start: number, end: number): Selection => ({ kind: 'part', start, end })

const table: readonly (readonly [Readonly<Record<string, string>>, Selection])[] = [
  [{}, whole],
  // 13.1.1 If-Match, the strong comparison
  [{ 'if-match': '"v1"' }, whole],
  [{ 'if-match': '"v0", "v1"' }, whole],
  [{ 'if-match': '*' }, whole],
  [{ 'if-match': 'W/"v1"' }, failed],
  [{ 'if-match': '"v0"' }, failed],
  // 13.1.4 If-Unmodified-Since, ignored beside If-Match
  [{ 'if-unmodified-since': modified }, whole],
  [{ 'if-unmodified-since': before }, failed],
  [{ 'if-unmodified-since': before, 'if-match': '"v1"' }, whole],
  [{ 'if-unmodified-since': 'yesterday' }, whole],
  // 13.1.2 If-None-Match, the weak comparison
  [{ 'if-none-match': '"v1"' }, unchanged],
  [{ 'if-none-match': 'W/"v1"' }, unchanged],
  [{ 'if-none-match': '"v0" , W/"v1"' }, unchanged],
  [{ 'if-none-match': '*' }, unchanged],
  [{ 'if-none-match': '"v0"' }, whole],
  [{ 'if-none-match': 'v1' }, whole],
  // 13.1.3 If-Modified-Since, ignored beside If-None-Match
  [{ 'if-modified-since': modified }, unchanged],
  [{ 'if-modified-since': after }, unchanged],
  [{ 'if-modified-since': before }, whole],
  [{ 'if-modified-since': modified, 'if-none-match': '"v0"' }, whole],
  [{ 'if-modified-since': '1994-11-06' }, whole],
  // 14.1.2 and 14.2 ranges
  [{ range: 'bytes=0-499' }, part(0, 499)],
  [{ range: 'bytes=500-' }, part(500, 999)],
  [{ range: 'bytes=-300' }, part(700, 999)],
  [{ range: 'bytes=-3000' }, part(0, 999)],
  [{ range: 'bytes=990-99999999999999999999' }, part(990, 999)],
  [{ range: 'BYTES=999-999' }, part(999, 999)],
  [{ range: 'bytes=1000-' }, { kind: 'unsatisfiable' }],
  [{ range: 'bytes=-0' }, { kind: 'unsatisfiable' }],
  [{ range: 'bytes=5-4' }, whole],
  [{ range: 'bytes=-' }, whole],
  [{ range: 'bytes=a-b' }, whole],
  [{ range: 'lines=1-2' }, whole],
  [{ range: 'bytes=0-1,5-6' }, whole],
  // 13.1.5 If-Range: the same strong tag, never a weak one, never a date
  [{ range: 'bytes=0-1', 'if-range': '"v1"' }, part(0, 1)],
  [{ range: 'bytes=0-1', 'if-range': '"v0"' }, whole],
  [{ range: 'bytes=0-1', 'if-range': 'W/"v1"' }, whole],
  [{ range: 'bytes=0-1', 'if-range': modified }, whole],
  // 13.2.2 the order
  [{ range: 'bytes=0-1', 'if-none-match': '"v1"' }, unchanged],
  [{ range: 'bytes=5000-', 'if-match': '"v0"' }, failed],
]

t.test('RFC 9110, 13.2.2: conditional headers decide in order', async (t) => {
  for (const [headers, expected] of table) {
    t.strictSame(select({ method: 'GET', headers }, now), expected, JSON.stringify(headers))
  }
  t.strictSame(select({ method: 'HEAD', headers: { range: 'bytes=0-1' } }, now), whole, 'a range is for GET')
  const empty = { ...now, size: 0 }
  t.strictSame(
    ['bytes=0-', 'bytes=-5'].map((range) => select({ method: 'GET', headers: { range } }, empty).kind),
    ['unsatisfiable', 'whole'],
  )
})

t.test('RFC 6266 and 8187: names of downloads', async (t) => {
  t.strictSame(
    [
      'plain.txt',
      'a "b"\\c.txt',
      '../../etc/passwd',
      '€ rates.csv',
      "it's (1)*é",
      '100%41.txt',
      'x\r\ny',
      '',
    ].map(attachment),
    [
      'attachment; filename="plain.txt"',
      'attachment; filename="c.txt"',
      'attachment; filename="passwd"',
      `attachment; filename="? rates.csv"; filename*=UTF-8''%E2%82%AC%20rates.csv`,
      `attachment; filename="it's (1)*?"; filename*=UTF-8''it%27s%20%281%29%2A%C3%A9`,
      `attachment; filename="100%41.txt"; filename*=UTF-8''100%2541.txt`,
      'attachment; filename="xy"',
      'attachment',
    ],
  )
  t.equal(attachment('\ud800.txt'), `attachment; filename="?.txt"; filename*=UTF-8''%EF%BF%BD.txt`)
})

interface Shelf {
  readonly folder: string
  readonly client: TestClient
}

/** A folder with `poem.txt`, and a route that sends `file`. */
async function shelf(t: Test, file: string, options: FileOptions = {}): Promise<Shelf> {
  const folder = t.testdir({ 'poem.txt': '0123456789', 'empty.bin': '', public: { 'a.md': '# A' } })
  utimesSync(join(folder, 'poem.txt'), new Date(modified), new Date(modified))
  const call = (probe: { file(path: string, options: FileOptions): unknown }): unknown =>
    probe.file(file.startsWith('/') || options.root !== undefined ? file : join(folder, file), {
      ...options,
      ...(options.root === undefined ? {} : { root: join(folder, options.root) }),
    })
  const app = await openProbe(t, { handlers: [report(NotFound, 404)], call })
  return { folder, client: app.client() }
}

t.test('a file has its type, length and validators, and answers 304, 206, 416 and 412', async (t) => {
  const { folder, client } = await shelf(t, 'poem.txt', { download: 'poème.txt' })
  const full = await client.get('/probe')
  const { date: _, connection: __, ...headers } = full.headers
  const { mtimeNs, ino } = statSync(join(folder, 'poem.txt'), { bigint: true })
  const etag = `"a-${mtimeNs.toString(36)}-${ino.toString(36)}"`
  const about = {
    'accept-ranges': 'bytes',
    etag,
    'last-modified': modified,
    'x-content-type-options': 'nosniff',
  }
  t.strictSame(
    [full.statusCode, headers, full.body],
    [
      200,
      {
        ...about,
        'content-type': 'text/plain; charset=utf-8',
        'content-disposition': `attachment; filename="po?me.txt"; filename*=UTF-8''po%C3%A8me.txt`,
        'content-length': '10',
      },
      '0123456789',
    ],
  )
  const some = await client.get('/probe', { range: 'bytes=2-4' })
  const { 'content-range': range, 'content-length': length } = some.headers
  t.strictSame([some.statusCode, range, length, some.body], [206, 'bytes 2-4/10', '3', '234'])
  const beyond = await client.get('/probe', { range: 'bytes=10-' })
  t.strictSame([beyond.statusCode, beyond.headers['content-range'], beyond.body], [416, 'bytes */10', ''])
  const same = await client.get('/probe', { 'if-none-match': etag })
  const { date: ___, connection: ____, ...sameHeaders } = same.headers
  t.strictSame([same.statusCode, sameHeaders, same.body], [304, about, ''])
  t.equal((await client.get('/probe', { 'if-match': '"other"' })).statusCode, 412)
  const head = await client.request({ method: 'HEAD', url: '/probe' })
  t.strictSame([head.statusCode, head.headers['content-length'], head.body], [200, '10', ''])
  writeFileSync(join(folder, 'poem.txt'), 'abcdefghij')
  t.equal((await client.get('/probe', { 'if-none-match': etag })).body, 'abcdefghij', 'another version')
})

t.test('an empty file, another type, an unknown extension', async (t) => {
  const answer = async (file: string, options: FileOptions = {}): Promise<readonly unknown[]> => {
    const { client } = await shelf(t, file, options)
    const { statusCode, headers, body } = await client.get('/probe')
    return [statusCode, headers['content-type'], headers['content-length'], body]
  }
  t.strictSame(await answer('empty.bin'), [200, 'application/octet-stream', '0', ''])
  t.strictSame(await answer('poem.txt', { contentType: 'text/css' }), [200, 'text/css', '10', '0123456789'])
})

t.test('what is not there is NotFound; nothing leads out of the root', async (t) => {
  const answer = async (file: string, options: FileOptions = {}): Promise<readonly unknown[]> => {
    const { folder, client } = await shelf(t, file, options)
    symlinkSync(join(folder, 'poem.txt'), join(folder, 'public', 'out'))
    symlinkSync(join(folder, 'public', 'a.md'), join(folder, 'public', 'in'))
    mkdirSync(join(folder, 'public-too'))
    writeFileSync(join(folder, 'public-too', 'b'), 'b')
    const { statusCode, body } = await client.get('/probe')
    return [statusCode, body]
  }
  const root = 'public'
  const missing = [404, '{"error":"not found"}']
  for (const file of ['none.txt', 'public', 'poem.txt/x', 'a\0b', 'x'.repeat(300)]) {
    t.strictSame(await answer(file), missing, JSON.stringify(file.slice(0, 20)))
  }
  for (const file of [
    '../poem.txt',
    '/etc/passwd',
    'out',
    '',
    '.',
    '../public-too/b',
    'a.md/../../poem.txt',
  ]) {
    t.strictSame(await answer(file, { root }), missing, `${file} in the root`)
  }
  for (const file of ['a.md', './a.md', 'in', '../public/a.md']) {
    t.strictSame(await answer(file, { root }), [200, '# A'], `${file} in the root`)
  }
})

t.test('a file that becomes shorter while it is sent breaks the answer off', async (t) => {
  const folder = t.testdir({ long: 'x'.repeat(20 * 1024 * 1024) })
  const app = await openProbe(t, { call: (probe) => probe.file(join(folder, 'long')) })
  const errors = errorsOf(t, app)
  const socket = await dial(t, app)
  socket.write('GET /probe HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
  await new Promise((resolve) => socket.once('readable', resolve))
  truncateSync(join(folder, 'long'), 100)
  const answer = await readAll(socket)
  t.match(answer, /content-length: 20971520\r\n/i)
  t.ok(answer.length < 20 * 1024 * 1024)
  t.strictSame(errors, [
    `a streamed answer broke off: ${join(folder, 'long')} became shorter while it was sent`,
  ])
})
