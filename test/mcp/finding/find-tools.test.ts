/** `find_tools`: five tools by words, with all that a call needs. */
import t from 'tap'
import type { Catalogue, ToolEntry } from '../../../runtime/contract/mcp.ts'
import { commonRequests, commonTools } from '../../bench/mcp/discovery/common-requests.ts'
import { scopedApp, tokenOf, withCredential } from '../support/scoped.ts'
import { call, catalogue, message, routes, rpc, serve } from '../support/support.ts'

const eras = ['legacy', 'modern'] as const
const [anyTool] = catalogue.tools
if (anyTool === undefined) throw new Error('there are tools')

const tool = (name: string, entry: Partial<ToolEntry>): ToolEntry => ({
  ...anyTool,
  name,
  route: 'notes_index',
  toolbox: 'notes',
  root: false,
  title: null,
  summary: '',
  description: '',
  outputSchema: null,
  ...entry,
})

/** An endpoint with these tools. */
const serving = (tools: readonly ToolEntry[]) => serve({ catalogue: { ...catalogue, tools }, routes })

const find = async (
  tools: readonly ToolEntry[],
  query: string,
  era: (typeof eras)[number] = 'modern',
): Promise<readonly string[]> => namesIn(await call(serving(tools), era, 'find_tools', { query }))

const namesIn = ({ structuredContent }: { structuredContent: { tools: readonly { name: string }[] } }) =>
  structuredContent.tools.map(({ name }) => name)

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })

t.test(
  'find_tools: it answers with toolbox, proxy, both schemas and all four hints, in both eras',
  async (t) => {
    const array = { type: 'array', items: { type: 'string' } }
    for (const era of eras) {
      const result = await call(serve(), era, 'find_tools', { query: 'index of notes' })
      const [first] = result.structuredContent.tools
      t.strictSame(first, {
        toolbox: 'notes',
        name: 'notes_index',
        summary: 'notes_index in short.',
        proxy: 'call_read_only',
        inputSchema: { type: 'object', additionalProperties: false },
        outputSchema:
          era === 'modern' ? array : { type: 'object', properties: { result: array }, required: ['result'] },
        annotations: {
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
      })
      t.strictSame(JSON.parse(result.content[0].text), result.structuredContent)
    }
  },
)

t.test('a wrapped output schema keeps its types where references look for them', async (t) => {
  const types = { $defs: { Note: object({ title: { type: 'string' } }) } }
  const outputSchema = { type: 'array', items: { $ref: '#/$defs/Note' }, ...types }
  const app = serving([tool('notes_index', { outputSchema })])
  const { structuredContent } = await call(app, 'legacy', 'find_tools', { query: 'notes' })
  t.strictSame(structuredContent.tools[0].outputSchema, {
    type: 'object',
    properties: { result: { type: 'array', items: { $ref: '#/$defs/Note' } } },
    required: ['result'],
    ...types,
  })
})

t.test(
  'words count wherever they stand: name, first sentence, arguments, enums, answer, keywords',
  async (t) => {
    const tools = [
      tool('notes_plain', { summary: 'Nothing of it.' }),
      tool('notes_alpha', { summary: 'Weighs parcels. Not about bananas.' }),
      tool('notes_beta', {
        inputSchema: object({ cargoSize: { type: 'string', description: 'in crates' } }),
      }),
      tool('notes_gamma', {
        inputSchema: object({ kind: { enum: ['pallet', 'barrel'] }, one: { const: 'keg' } }),
      }),
      tool('notes_delta', {
        outputSchema: { type: 'array', items: object({ tonnage: { type: 'number' } }) },
      }),
      tool('notes_epsilon', { keywords: ['chargeback', 'money back'] }),
      tool('notes_zeta', {
        inputSchema: object(
          {},
          { $defs: { Ship: object({ description: { description: 'Its harbour.' } }) } },
        ),
      }),
    ]
    const found: readonly (readonly [query: string, name: string])[] = [
      ['epsilon', 'notes_epsilon'],
      ['weigh a parcel', 'notes_alpha'],
      ['cargo', 'notes_beta'],
      ['crate', 'notes_beta'],
      ['barrels', 'notes_gamma'],
      ['kegs', 'notes_gamma'],
      ['tonnage', 'notes_delta'],
      ['chargebacks', 'notes_epsilon'],
      ['harbours', 'notes_zeta'],
    ]
    for (const [query, name] of found) t.strictSame(await find(tools, query), [name], query)
    t.strictSame(await find(tools, 'bananas'), [], 'only the first sentence of a text')
    t.strictSame(await find(tools, 'enum type object'), [], 'no word of JSON Schema')
  },
)

t.test('endings, case, accents and verbs of one meaning are no difference', async (t) => {
  const tools = [
    tool('cafe_destroy', { summary: 'Closes the café for good.' }),
    tool('bar_create', { summary: 'Opens a bar.' }),
    tool('replies_index', { summary: 'Lists replies.' }),
    tool('kyaku_show', { summary: '顧客の詳細を表示する。' }),
  ]
  const found: readonly (readonly [query: string, name: string])[] = [
    ['CAFÉ', 'cafe_destroy'],
    ['remove cafes', 'cafe_destroy'],
    ['add new', 'bar_create'],
    ['replied', 'replies_index'],
    ['顧客', 'kyaku_show'],
  ]
  for (const [query, name] of found) t.equal((await find(tools, query))[0], name, query)
})

t.test(
  'common words find what they mean among 305 tools; what destroys comes last unless it is asked for',
  async (t) => {
    const app = serving(commonTools.map((entry) => ({ ...entry, route: 'notes_index' })))
    const foundBy = async (query: string): Promise<readonly string[]> =>
      namesIn(await call(app, 'modern', 'find_tools', { query }))
    const missed: string[] = []
    for (const [query, ...meant] of commonRequests) {
      const names = await foundBy(query)
      if (!names.some((name) => meant.includes(name))) missed.push(query)
      const destroys = names.map((name) => name.endsWith('_delete'))
      const asks = /remove|delete|cancel|revoke|purge/.test(query)
      if (!asks)
        t.notOk(
          destroys.some((is, place) => is && destroys[place + 1] === false),
          query,
        )
    }
    t.strictSame(missed, [])
    const first = async (query: string): Promise<unknown> => (await foundBy(query))[0]
    t.equal(await first('cancelling orders'), 'orders_delete', 'by its stem')
    t.equal((await foundBy('orders')).at(-1), 'orders_delete')
    t.equal((await foundBy('update the bill')).at(-1), 'bills_delete')
    t.equal(
      await first('change the bill'),
      'bills_update',
      'what overwrites destroys nothing that is meant to stay',
    )
    t.equal(await first('who is the current user?'), 'users_current')
  },
)

t.test(
  'five at most, equally good ones in the order of the list, the same each time and everywhere',
  async (t) => {
    const tools = Array.from({ length: 12 }, (_, place) =>
      tool(`same_${'bcdfghjklmnp'[place]}`, { summary: 'Same.' }),
    )
    const five = ['same_b', 'same_c', 'same_d', 'same_f', 'same_g']
    for (const era of eras) t.strictSame(await find(tools, 'the same', era), five)
    const app = serving(tools)
    for (let time = 0; time < 3; time += 1) {
      t.strictSame(namesIn(await call(app, 'modern', 'find_tools', { query: 'same' })), five)
    }
  },
)

t.test('what finds nothing says so; what is no query is refused; a long one costs no more', async (t) => {
  const structured = { tools: [], hint: 'no tool has these words: try others, or see list_toolboxes' }
  for (const era of eras) {
    for (const query of ['xyzzy', 'the of and', '!?']) {
      t.strictSame(await call(serve(), era, 'find_tools', { query }), {
        content: [{ type: 'text', text: JSON.stringify(structured) }],
        structuredContent: structured,
      })
    }
    for (const args of [{}, { query: ' ' }, { query: 7 }]) {
      t.strictSame(await call(serve(), era, 'find_tools', args), {
        content: [{ type: 'text', text: "'query' must say in words what the tool is for" }],
        isError: true,
      })
    }
    const unknown = await call(serve(), era, 'find_tools', { query: 'notes', limit: 9 })
    t.match(unknown, { isError: true, content: [{ text: /limit/ }] })
    const long = await call(serve(), era, 'find_tools', { query: `${'word '.repeat(5000)} notes` })
    t.strictSame(long.structuredContent, structured, 'what stands behind 2,000 characters is not looked up')
  }
})

t.test(
  'find_tools: who may not call a tool does not find it, and is told what permission it needs',
  async (t) => {
    const reader = tokenOf(['notes:read'])
    for (const era of eras) {
      const { options } = scopedApp(true)
      const app = serve(options)
      const ask = async (query: string) => {
        const sent = withCredential(
          message(era, 'tools/call', { name: 'find_tools', arguments: { query } }),
          reader,
        )
        return rpc(await app(sent)).result.structuredContent
      }
      const { tools, morePermission } = await ask('delete notes')
      t.notOk(tools.some(({ name }: { name: string }) => name === 'notes_delete'))
      const missing = morePermission.flatMap((more: { tools: readonly string[] }) => more.tools)
      t.strictSame(missing, ['notes_create', 'notes_delete'], 'as good as what was found')
      t.notOk(JSON.stringify(morePermission).includes('files_answer'), 'of what was asked for alone')
      t.strictSame((await ask('xyzzy')).morePermission, undefined)
    }
  },
)

t.test('the first find counts the words: a server that nobody searches reads no texts', async (t) => {
  let reads = 0
  const watched: ToolEntry = Object.defineProperty({ ...tool('notes_index', {}) }, 'keywords', {
    get: () => {
      reads += 1
      return []
    },
  })
  const own: Catalogue = { ...catalogue, tools: [watched] }
  const app = serve({ catalogue: own, routes })
  for (const method of ['tools/list', 'server/discover']) await app(message('modern', method))
  await call(app, 'modern', 'open_toolbox', { name: 'notes' })
  const before = reads
  await call(app, 'modern', 'find_tools', { query: 'notes' })
  const first = reads
  await call(app, 'modern', 'find_tools', { query: 'index' })
  t.strictSame([first - before, reads - first], [1, 0])
})

t.test('a tool that deletes is found by the words of deleting, whatever it is called', async (t) => {
  const deletes = { readOnly: false, destructive: true, idempotent: true, openWorld: false }
  const writes = { ...deletes, destructive: false, idempotent: false }
  const appointments = [
    tool('appointments_book', { hints: writes, summary: 'Books an appointment.' }),
    tool('appointments_move', { hints: writes, summary: 'Moves an appointment to another hour.' }),
    tool('appointments_remind', { hints: writes, summary: 'Reminds a patient of an appointment.' }),
    tool('appointments_confirm', { hints: writes, summary: 'Confirms an appointment.' }),
    tool('appointments_note', { hints: writes, summary: 'Writes a note beside an appointment.' }),
    tool('appointments_index', { summary: 'Lists appointments.' }),
    tool('appointments_cancel', {
      hints: deletes,
      summary: 'Cancels an appointment, and tells its patient.',
    }),
    tool('bookings_report', { summary: 'The booking report of a month.' }),
  ]
  t.equal((await find(appointments, 'delete appointment'))[0], 'appointments_cancel')
  t.ok((await find(appointments, 'remove booking')).includes('appointments_cancel'))
})
