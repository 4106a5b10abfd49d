/** The typed client sends what `@consumes` names: as JSON where that is among it, else as a form; what it cannot write it leaves out. */
import t from 'tap'
import { serveWithClient } from './served-client.ts'

t.setTimeout(120_000)

const route = (name: string, types: string, parameters: string): string => {
  const names = [...parameters.matchAll(/(\w+)\??:/g)].map(([, item]) => item)
  return `  /**
   * Takes ${name}.
   *
   * @post /${name}
   * @consumes ${types}
   */
  ${name}(${parameters}): unknown[] { return [this.request.headers['content-type']?.replace(/;.*/, '') ?? '', ${names.join(', ')}] }
`
}

const { baseUrl, module } = await serveWithClient(t, {
  'package.json': '{"name":"shop","version":"1.0.0","type":"module"}',
  'app/config.ts': `import { defineApp } from 'acmcp'
export const config = defineApp({ parsers: { 'text/csv': String } })
`,
  'app/controllers/notes.ts': `import { ApplicationController, type Body, type UploadedFile } from 'acmcp'
export class Line { name = ''; tags: string[] = []; at?: Date }
/** Notes. */
export class Notes extends ApplicationController {
${route('either', 'text/csv application/x-www-form-urlencoded application/json', 'name: string, count: number')}
${route('form', 'application/x-www-form-urlencoded', 'name: string, at?: Date, tags: string[] = []')}
${route('parts', 'multipart/form-data', 'name: string, tags: string[] = []')}
${route('whole', 'application/x-www-form-urlencoded', 'line: Body<Line>')}
${route('photo', 'application/json multipart/form-data', 'name: string, photo?: UploadedFile').replace(', photo]', ', photo?.size]')}
${route('table', 'text/csv', 'rows: Body<string>')}
}
`,
})
const { createClient, dataOf } = module
const { notes } = createClient({ baseUrl })
const at = new Date('2026-01-02T03:04:05.000Z')
const urlencoded = 'application/x-www-form-urlencoded'

const cases: Readonly<Record<string, readonly [given: object, taken: readonly unknown[]]>> = {
  either: [{ name: 'a', count: 2 }, ['application/json', 'a', 2]],
  form: [{ name: 'ä & b', at, tags: ['x,y', 'z'] }, [urlencoded, 'ä & b', at.toISOString(), ['x,y', 'z']]],
  parts: [{ name: 'a', tags: ['x'] }, ['multipart/form-data', 'a', ['x']]],
  whole: [
    { line: { name: 'a', tags: ['x'], at } },
    [urlencoded, { name: 'a', tags: ['x'], at: at.toISOString() }],
  ],
  photo: [{ name: 'a', photo: new Blob(['abc']) }, ['multipart/form-data', 'a', 3]],
}

for (const [name, [provided, taken]] of Object.entries(cases)) {
  t.test(`the route ${name} gets a body of a type that it takes, and its values`, async (t) => {
    t.strictSame(await dataOf(await notes?.[name]?.(provided)), taken)
  })
}

t.test('a form without a value has no body', async (t) => {
  const answer = await notes?.form?.({})
  t.strictSame([answer?.status, answer?.ok], [422, false])
})

t.test('a route of formats that it cannot write is left out', async (t) => {
  t.strictSame(Object.keys(notes ?? {}).sort(), Object.keys(cases).sort())
})
