/** Types that real libraries infer: zod's `infer` and Kysely's `Selectable` and its like, as installed. */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { diskHost } from '../../../cli/build/disk.ts'
import { compile } from '../../../cli/compiler/compile.ts'
import { folderOf, typeErrors, write } from '../support/built-app.ts'

t.setTimeout(240_000)

const root = folderOf(t, {
  'app/controllers/notes.ts': `import { Controller, type Body } from 'acmcp'
import type { ColumnType, Generated, Insertable, Selectable, Updateable } from 'kysely'
import { z } from 'zod'

const Address = z.object({ street: z.string(), zip: z.string().optional() })
const Person = z.object({
  name: z.string().min(2),
  age: z.number().int().nullable(),
  kind: z.enum(['guest', 'member']),
  address: Address,
  tags: z.array(z.string()),
  scores: z.record(z.string(), z.number()),
  born: z.date(),
  big: z.bigint().default(1n),
  either: z.union([z.string(), z.number()]),
  pet: z.discriminatedUnion('type', [
    z.object({ type: z.literal('cat'), lives: z.number() }),
    z.object({ type: z.literal('dog'), name: z.string() }),
  ]),
  pair: z.tuple([z.string(), z.number()]),
  seen: z.set(z.string()),
  counts: z.map(z.string(), z.number()),
  former: Address.partial(),
  more: z.unknown(),
})
export type Person = z.infer<typeof Person>
export type PersonInput = z.input<typeof Person>

interface NotesTable {
  id: Generated<number>
  text: string
  at: ColumnType<Date, string | undefined, never>
  done: Generated<boolean>
  data: ColumnType<{ a: number }, string, string>
  note: string | null
}
export type Note = Selectable<NotesTable>
export type NewNote = Insertable<NotesTable>
export type NoteUpdate = Updateable<NotesTable>

/** Some notes of a shop. */
export class Notes extends Controller {
  /**
   * Lists notes.
   *
   * @get /
   */
  index(): Note[] { return [] }

  /**
   * Adds a note.
   *
   * @post /
   */
  create(note: Body<NewNote>): Selectable<NotesTable> { throw new Error(note.text) }

  /**
   * Changes a note.
   *
   * @put /
   */
  update(note: Body<NoteUpdate>): void { void note }

  /**
   * Takes a person as zod would, and answers what zod would make of it.
   *
   * @post /people
   */
  person(person: Body<PersonInput>): Person { return Person.parse(person) }

  /**
   * Takes an address without a name of its own.
   *
   * @post /addresses
   */
  address(address: Body<z.infer<typeof Address>>): z.infer<typeof Address> { return address }
}
`,
})
for (const name of ['zod', 'kysely'])
  symlinkSync(join(process.cwd(), 'node_modules', name), join(root, 'node_modules', name))

const { diagnostics, files } = compile(diskHost(root), { lint: true })
const document = parse(files.find(({ path }) => path.endsWith('openapi.yml'))?.text ?? '{}')

const text = { type: 'string' }
const number = { type: 'number' }
const object = (properties: object, required: readonly string[] = Object.keys(properties)): object => ({
  type: 'object',
  properties,
  ...(required.length === 0 ? {} : { required }),
})
const date = { type: 'string', format: 'date-time' }
const nullable = (schema: object): object => ({ anyOf: [schema, { type: 'null' }] })
const contentOf = (schema: object): object => ({ 'application/json': { schema } })

t.test('nothing is refused, and the generated table compiles with the libraries', async (t) => {
  t.strictSame(diagnostics, [])
  for (const file of files) write(root, file.path, file.text)
  t.equal(typeErrors(root), '')
})

t.test("Kysely's Selectable, Insertable and Updateable are what each side of a column is", async (t) => {
  const { Note, NewNote, NoteUpdate } = document.components.schemas
  t.same(
    Note,
    object({
      at: date,
      data: object({ a: number }),
      done: { type: 'boolean' },
      id: number,
      note: nullable(text),
      text,
    }),
  )
  t.same(NewNote.properties, {
    id: number,
    text,
    at: text,
    done: { type: 'boolean' },
    data: text,
    note: nullable(text),
  })
  t.strictSame([...NewNote.required].sort(), ['data', 'text'])
  t.same(Object.keys(NoteUpdate.properties).sort(), ['data', 'done', 'id', 'note', 'text'])
  t.notOk('required' in NoteUpdate)
})

t.test("zod's infer and input are what comes out and what goes in", async (t) => {
  const { Person, PersonInput } = document.components.schemas
  const address = object({ street: text, zip: text }, ['street'])
  t.same(Person.properties, {
    name: text,
    age: nullable(number),
    kind: { type: 'string', enum: ['guest', 'member'] },
    address,
    tags: { type: 'array', items: text },
    scores: { type: 'object', additionalProperties: number },
    born: date,
    big: { type: 'string', pattern: '^-?[0-9]+$' },
    either: { anyOf: [text, number] },
    pet: {
      oneOf: [
        object({ type: { type: 'string', const: 'cat' }, lives: number }),
        object({ type: { type: 'string', const: 'dog' }, name: text }),
      ],
    },
    pair: { type: 'array', prefixItems: [text, number], minItems: 2, maxItems: 2 },
    seen: { type: 'array', items: text },
    counts: { type: 'object', additionalProperties: number },
    former: object({ street: text, zip: text }, []),
    more: {},
  })
  t.ok(Person.required.includes('big'))
  t.notOk(PersonInput.required.includes('big'), 'it has a default')
  t.same(document.paths['/notes/addresses'].post.responses['200'].content, contentOf(address))
})
