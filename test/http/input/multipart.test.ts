/** Uploads: what arrives, the limits, malformed forms, and that no file outlives its request.
 *  Source: RFC 7578. */
import { once } from 'node:events'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { HttpRequest } from '../../../runtime/contract/http.ts'
import type { Codec, ParamDecoder } from '../../../runtime/contract/route.ts'
import { JsonParseError, PayloadTooLarge, ValueError } from '../../../runtime/errors.ts'
import * as c from '../../../runtime/http/codec/codec.ts'
import { parseBody } from '../../../runtime/http/input/body.ts'
import { type UploadedFile, Uploads } from '../../../runtime/http/input/uploads.ts'
import type { TestApp } from '../../../runtime/testing.ts'
import { plainFormats } from '../support/formats.ts'
import { dial, errorsOf, gate, type OneRoute, openProbe, readAll, report } from '../support/one-route.ts'
import { filter, type Probe, post, run, seen } from '../support/probe.ts'

interface Part {
  readonly name: string
  readonly value: string
  /** Null for a field. */
  readonly file: { readonly name: string; readonly type: string } | null
}

const field = (name: string, value: string): Part => ({ name, value, file: null })
const fileOf = (name: string, value: string, fileName = 'a.txt', type = 'text/plain'): Part => ({
  name,
  value,
  file: { name: fileName, type },
})

/** The body that a browser makes. */
function formOf(parts: readonly Part[], boundary = 'xyz'): string {
  const quote = (text: string): string => text.replace(/["\r\n]/g, (found) => encodeURIComponent(found))
  const lines = parts.map(({ name, value, file }) => {
    const named = `Content-Disposition: form-data; name="${quote(name)}"`
    const head =
      file === null ? named : `${named}; filename="${quote(file.name)}"\r\nContent-Type: ${file.type}`
    return `--${boundary}\r\n${head}\r\n\r\n${value}\r\n`
  })
  return `${lines.join('')}--${boundary}--\r\n`
}

const formType = 'multipart/form-data; boundary=xyz'

const param = (name: string, codec: Codec, required = true): ParamDecoder => ({
  name,
  from: 'field',
  required,
  codec,
})

const openForm = (t: Test, route: OneRoute): Promise<TestApp> =>
  openProbe(t, {
    verb: 'POST',
    handlers: [report(JsonParseError, 400), report(ValueError, 400)],
    ...route,
  })

async function send(app: TestApp, payload: string, type = formType): Promise<readonly unknown[]> {
  const answer = await app
    .client()
    .request({ method: 'POST', url: '/probe', headers: { 'content-type': type }, payload })
  return [answer.statusCode, answer.json()]
}

t.test('fields are texts, files are on disk until the answer, one or several under a name', async (t) => {
  const paths: string[] = []
  const app = await openForm(t, {
    params: [param('title', c.string), param('photo', c.file), param('more', c.array(c.file), false)],
    call: async (_probe, title, photo: UploadedFile, more: readonly UploadedFile[]) => {
      paths.push(photo.path)
      const bytes = await photo.bytes()
      const mode = statSync(dirname(photo.path)).mode & 0o777
      const others = await Promise.all(more.map(async (file) => [file.name, file.type, await file.text()]))
      return { title, name: photo.name, type: photo.type, size: photo.size, bytes, mode, others }
    },
  })
  const payload = formOf([
    field('title', 'Grüße'),
    fileOf('photo', 'first', '日本.png', 'image/png'),
    fileOf('photo', 'second'),
    fileOf('more', '1', '../../etc/passwd'),
    fileOf('more', '', 'b.bin', 'application/octet-stream'),
    fileOf('empty', '', '', 'application/octet-stream'),
  ])
  t.strictSame(await send(app, payload), [
    200,
    {
      title: 'Grüße',
      name: '日本.png',
      type: 'image/png',
      size: 5,
      bytes: Buffer.from('first').toString('base64'),
      mode: 0o700,
      others: [
        ['passwd', 'text/plain', '1'],
        ['b.bin', 'application/octet-stream', ''],
      ],
    },
  ])
  t.equal(existsSync(dirname(paths[0] ?? '.')), false, 'the folder is gone')
})

t.test('neither JSON nor a text can stand for a file', async (t) => {
  const app = await openForm(t, {
    params: [param('title', c.string), param('photo', c.file)],
    call: async (_probe, title: string, photo: UploadedFile) => [title, await photo.text()],
  })
  t.strictSame(await send(app, formOf([field('title', 't'), fileOf('photo', 'p')])), [200, ['t', 'p']])
  const refused = (came: string): unknown => [
    400,
    { error: `invalid parameter value for 'photo': expected UploadedFile, got ${came}` },
  ]
  t.strictSame(await send(app, formOf([field('title', 't'), field('photo', '/etc/passwd')])), refused('text'))
  const fake = { name: 'a', type: 'b', size: 1, path: '/etc/passwd' }
  const sent = { object: fake, list: [fake], text: '/etc/passwd', null: null }
  for (const [came, photo] of Object.entries(sent)) {
    t.strictSame(await send(app, JSON.stringify({ title: 't', photo }), 'application/json'), refused(came))
  }
})

t.test('above a limit: 413, whatever handlers there are', async (t) => {
  const limits = { bodyBytes: 100, fileBytes: 10, files: 2, fields: 3, fieldBytes: 60 }
  const app = await openForm(t, {
    config: { limits },
    handlers: [report(Error, 418)],
    params: [param('a', c.string, false), param('f', c.file, false)],
    call: () => 'taken',
  })
  const refused = (error: string): readonly unknown[] => [413, { error }]
  const many = (count: number, part: Part): string => formOf(Array.from({ length: count }, () => part))
  const table: readonly (readonly [string, readonly unknown[]])[] = [
    [many(3, field('a', 'x')), [200, 'taken']],
    [many(4, field('a', 'x')), refused('the form is made of more than 3 fields')],
    [formOf([field('a', 'x'.repeat(60))]), [200, 'taken']],
    [formOf([field('a', 'x'.repeat(61))]), refused('a field of the form is larger than 60 bytes')],
    [many(2, field('a', 'x'.repeat(51))), refused('the request body is larger than 100 bytes')],
    [formOf([fileOf('f', 'x'.repeat(10))]), [200, 'taken']],
    [formOf([fileOf('f', 'x'.repeat(11))]), refused('an uploaded file is larger than 10 bytes')],
    [many(3, fileOf('f', 'x')), refused('the form is made of more than 2 files')],
    [`${'-'.repeat(70_000)}\r\n${formOf([])}`, refused('the request body is larger than 65756 bytes')],
  ]
  for (const [payload, expected] of table) t.strictSame(await send(app, payload), expected)
  const form = 'application/x-www-form-urlencoded'
  t.strictSame(await send(app, 'a=1&a=2&a=3', form), [200, 'taken'])
  t.strictSame(await send(app, 'a=1&a=2&a=3&', form), refused('the form is made of more than 3 fields'))
})

t.test('security: a file to a route that takes none is 413, and nothing is written', async (t) => {
  const uploads = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('acmcp-upload-'))
  const app = await openForm(t, {
    params: [param('a', c.string, false)],
    call: (_probe, a: string) => ({ a, uploads: uploads() }),
  })
  const before = uploads()
  const refused = [413, { error: 'the form is one with a file, which is not taken here' }]
  t.strictSame(await send(app, formOf([field('a', 'x'), fileOf('f', 'content')])), refused)
  t.strictSame(await send(app, formOf([fileOf('a', 'x'.repeat(100_000)), field('a', 'x')])), refused)
  t.strictSame(await send(app, formOf([field('a', 'x')])), [200, { a: 'x', uploads: before }])
  t.strictSame(uploads(), before)
})

t.test('malformed and truncated forms are 400', async (t) => {
  const params = [param('a', c.string, false), param('f', c.file, false)]
  const app = await openForm(t, { params, call: () => 'taken' })
  const good = formOf([field('a', 'x'), fileOf('f', 'content')])
  const bad = [400, { error: 'the request body is not valid multipart/form-data' }]
  t.strictSame(await send(app, good), [200, 'taken'])
  for (let end = 0; end < good.length - 4; end++) t.strictSame(await send(app, good.slice(0, end)), bad)
  t.strictSame(await send(app, good, 'multipart/form-data'), bad, 'no boundary')
  t.strictSame(await send(app, good, 'multipart/form-data; boundary=other'), bad, 'another boundary')
  t.strictSame(await send(app, 'no form at all'), bad)
  t.strictSame(await send(app, '--xyz\r\nContent-Disposition: form-data\r\n\r\nx\r\n--xyz--'), bad, 'no name')
  const request = requestOf(Buffer.from(formOf([field('a', 'é')]), 'latin1'), formType)
  await t.rejects(Promise.resolve(parseBody(request, plainFormats, { uploads: new Uploads() })), {
    message: 'the request body is not valid multipart/form-data',
  })
})

/** Every way in which a request can end; `held` is the path of a file that was there meanwhile. */
t.test('no file outlives its request: handler, failure, stream of the file, client gone', async (t) => {
  const held: string[] = []
  const keep = (file: unknown): string => {
    const { path } = file as UploadedFile // the codec gives nothing else
    held.push(path)
    return path
  }
  const params = [param('f', c.file)]
  const payload = formOf([fileOf('f', 'z'.repeat(200_000))])
  const failing = await openForm(t, {
    params,
    call: (_probe, file) => {
      keep(file)
      throw new Error('no')
    },
  })
  const handled = await openForm(t, {
    params,
    call: (_probe, file) => {
      throw new ValueError(keep(file), '')
    },
  })
  const streamed = await openForm(t, {
    params,
    call: (_probe, file: UploadedFile) => {
      keep(file)
      return file.stream()
    },
  })
  const options = {
    method: 'POST',
    url: '/probe',
    headers: { 'content-type': formType },
    payload,
  } as const
  const statuses = [
    (await failing.client().request(options)).statusCode,
    (await handled.client().request(options)).statusCode,
  ]
  const whole = await streamed.client().request(options)
  t.strictSame([...statuses, whole.statusCode, whole.body.length], [500, 400, 200, 200_000])
  t.strictSame(
    held.map((path) => existsSync(dirname(path))),
    [false, false, false],
  )
})

t.test(
  'a client that goes away while it sends, or while it is answered, leaves nothing behind',
  async (t) => {
    const arrived = gate()
    const released = gate()
    const stopped = gate()
    const source = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from(formOf([fileOf('f', 'z'.repeat(100_000))]).slice(0, 90_000))
      arrived.open()
      await stopped.opened
      throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' })
    }
    const uploads = new Uploads()
    const request = requestOf(new Uint8Array(), formType, source)
    const parsed = Promise.resolve(parseBody(request, plainFormats, { uploads }))
    await arrived.opened
    const folder = dirname(await uploads.newPath())
    t.ok(existsSync(folder))
    stopped.open()
    await t.rejects(parsed, { message: 'the request body is not valid multipart/form-data' })
    await uploads.release()
    t.notOk(existsSync(folder))

    let path = ''
    const app = await openForm(t, {
      params: [param('f', c.file)],
      produces: 'text/plain',
      call: async function* (probe, file: UploadedFile) {
        path = file.path
        const release = probe.request.signal
        release.addEventListener('abort', released.open)
        yield 'first'
        await released.opened
      },
    })
    const errors = errorsOf(t, app)
    const payload = formOf([fileOf('f', 'z')])
    const socket = await dial(t, app)
    socket.write(
      `POST /probe HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${formType}\r\ncontent-length: ${payload.length}\r\n\r\n${payload}`,
    )
    await once(socket, 'data')
    t.ok(existsSync(path), 'it is there while the answer is under way')
    socket.destroy()
    await released.opened
    while (existsSync(path)) await new Promise((resolve) => setImmediate(resolve))
    t.strictSame(errors, [])
  },
)

t.test('413 reaches a client that is still sending', async (t) => {
  const app = await openForm(t, {
    config: { limits: { fileBytes: 1000 } },
    params: [param('f', c.file)],
    call: () => 'taken',
  })
  const socket = await dial(t, app)
  const head = `POST /probe HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: ${formType}\r\n`
  socket.write(
    `${head}content-length: 10000000\r\n\r\n${formOf([fileOf('f', 'z'.repeat(5000))]).slice(0, 4000)}`,
  )
  const first = await once(socket, 'data')
  t.match(String(first[0]), /^HTTP\/1\.1 413 /)
  socket.destroy()
  await readAll(socket)
})

t.test('a form that is refused half way leaves the connection usable', async (t) => {
  const app = await openForm(t, {
    params: [param('f', c.file)],
    call: (_probe, file: UploadedFile) => file.size,
  })
  const request = (payload: string): string => {
    const head = `POST /probe HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${formType}\r\n`
    return `${head}content-length: ${payload.length}\r\n\r\n${payload}`
  }
  const unnamed = '--xyz\r\nContent-Disposition: form-data\r\n\r\nx\r\n'
  const socket = await dial(t, app)
  socket.write(request(`${unnamed}${formOf([fileOf('f', 'z'.repeat(3_000_000))])}`))
  const [refused] = await once(socket, 'data')
  t.match(String(refused), /^HTTP\/1\.1 400 /)
  socket.write(request(formOf([fileOf('f', 'z'.repeat(1000))])))
  const [taken] = await once(socket, 'data')
  t.match(String(taken), /^HTTP\/1\.1 200 [\s\S]*\r\n\r\n1000$/)
})

t.test('a client that hangs up while it sends is no error of ours, and its file is gone', async (t) => {
  const requested = gate()
  let message = ''
  const app = await openForm(t, {
    filters: [{ when: 'before', name: 'seen', call: () => requested.open() }],
    handlers: [
      {
        ...report(JsonParseError, 400),
        call: (_probe, error: Error) => {
          message = error.message
          heard.open()
        },
      },
    ],
    params: [param('f', c.file)],
    call: () => t.fail('the action ran'),
  })
  const heard = gate()
  const errors = errorsOf(t, app)
  const socket = await dial(t, app)
  const head = `POST /probe HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${formType}\r\ncontent-length: 100000\r\n\r\n`
  socket.write(head + formOf([fileOf('f', 'z'.repeat(50_000))]).slice(0, 40_000))
  await requested.opened
  socket.destroy()
  await heard.opened
  t.equal(message, 'the request body is not valid multipart/form-data')
  t.strictSame(errors, [])
})

function requestOf(
  bytes: Uint8Array,
  contentType: string,
  stream?: () => AsyncIterable<Uint8Array>,
): HttpRequest {
  const session = { get: () => null, set: () => {}, remove: () => {}, regenerate: async () => {} }
  return {
    id: '1',
    method: 'POST',
    url: '/probe',
    path: '/probe',
    query: new URLSearchParams(),
    cookies: {},
    params: {},
    headers: {},
    ip: '127.0.0.1',
    session,
    body: {
      kind: 'bytes',
      contentType,
      read: async () => bytes,
      ...(stream === undefined ? {} : { stream }),
    },
    signal: new AbortController().signal,
  }
}

/** Pieces of at most `size` bytes. */
function piecesOf(bytes: Uint8Array, size: number): () => AsyncIterable<Uint8Array> {
  return async function* () {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
}

const boundaries = fc.stringMatching(/^[0-9A-Za-z'+_-]{1,70}$/)
const names = fc
  .string({ unit: 'grapheme', maxLength: 20 })
  .filter((text) => !/["\\%\r\n\0/]|\p{Cc}/u.test(text))
const values = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.constantFrom('', '\r\n', '--', '\r\n--'),
)
const parts = fc.array(
  fc.record({
    name: names,
    value: values,
    file: fc.option(
      fc.record({
        name: names.filter((name) => !['', '.', '..'].includes(name)),
        type: fc.constant('image/png'),
      }),
    ),
  }),
  { maxLength: 12 },
)

t.test(
  'property: what was sent arrives, in order, however it is cut; what is truncated is refused',
  async (t) => {
    const formats = { ...plainFormats, limits: { ...plainFormats.limits, files: 100 } }
    const read = async (bytes: Uint8Array, boundary: string, size: number): Promise<unknown> => {
      const uploads = new Uploads()
      try {
        const request = requestOf(bytes, `multipart/form-data; boundary="${boundary}"`, piecesOf(bytes, size))
        const body = await parseBody(request, formats, { uploads })
        if (body.kind !== 'form') return body.kind
        const files = [...body.files].map(([name, list]) =>
          Promise.all(list.map(async (file) => [name, file.name, file.type, file.size, await file.text()])),
        )
        return { fields: [...body.fields], files: await Promise.all(files) }
      } finally {
        await uploads.release()
      }
    }
    const expected = (sent: readonly Part[]): unknown => {
      const lists = new Map<string, unknown[]>()
      for (const { name, value, file } of sent) {
        if (file === null) continue
        const item = [
          name,
          file.name.trim() === '' ? file.name : file.name,
          file.type,
          Buffer.byteLength(value),
          value,
        ]
        lists.set(name, [...(lists.get(name) ?? []), item])
      }
      const fields = sent.filter(({ file }) => file === null).map(({ name, value }) => [name, value])
      return { fields, files: [...lists.values()] }
    }
    const cut = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    await fc.assert(
      fc.asyncProperty(
        parts,
        boundaries,
        fc.integer({ min: 1, max: 200 }),
        cut,
        async (sent, boundary, size, at) => {
          fc.pre(sent.every(({ value }) => !value.includes(`--${boundary}`)))
          const bytes = Buffer.from(formOf(sent, boundary))
          t.strictSame(
            await read(bytes, boundary, size),
            sent.length === 0 ? { fields: [], files: [] } : expected(sent),
          )
          const end = Math.floor(at * (bytes.length - 4))
          const error = await read(bytes.subarray(0, end), boundary, size).catch(
            (failure: unknown) => failure,
          )
          t.ok(error instanceof JsonParseError || error instanceof PayloadTooLarge, String(error))
        },
      ),
      { numRuns: 100 },
    )
  },
)

t.test(
  'no file outlives its request: an around filter answered, and the form is read afterwards',
  async (t) => {
    const folder = t.testdir()
    const { TMPDIR } = process.env
    process.env.TMPDIR = folder
    t.teardown(() => {
      if (TMPDIR === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = TMPDIR
    })
    const late = gate()
    let inside: Promise<void> = Promise.resolve()
    const impatient = filter('around', 'impatient', (probe: Probe, _args, next) => {
      inside = next()
      return probe.render({ status: 503, text: 'too slow' })
    })
    const body = Buffer.from(formOf([fileOf('f', 'content')]))
    const requested = post(formType, '', {
      body: {
        kind: 'bytes',
        contentType: formType,
        read: async () => {
          await late.opened
          return body
        },
      },
    })
    const answer = await run(
      { filters: [impatient], params: [param('f', c.file)], call: () => t.fail('the action ran') },
      requested,
    )
    late.open()
    await t.rejects(inside, { message: 'the request has been answered: no file is kept for it' })
    t.strictSame([seen(answer), readdirSync(folder)], [[503, 'too slow'], []])
  },
)
