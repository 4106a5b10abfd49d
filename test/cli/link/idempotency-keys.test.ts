/** `@idempotencyKey`, from the tag to the table of routes. Whole values. */
import t from 'tap'
import { compile } from '../../../cli/compiler/compile.ts'
import { type Files, memoryHost } from '../support/memory-host.ts'

const method = (tags: string, code: string): string =>
  `  /**\n   * Does it.\n   *\n${tags.replace(/^/gm, '   * ')}\n   */\n  ${code}\n`

const plain = (tags: string, name: string): string => method(tags, `${name}(): void {}`)

const application: Files = {
  'app/base.ts': `import { Controller } from 'acmcp'
/** @idempotencyKey required */
export abstract class Base extends Controller {
${plain('@post /inherited', 'inherited')}
${plain('@patch /own/?:part\n@idempotencyKey', 'own').replace('own()', 'own(part?: string)')}
${plain('@post /both\n@put /both\n@get /both\n@idempotencyKey transaction required', 'both')}
}
`,
  'app/controllers/far.ts': `import { Base } from '../base.ts'
/** Far. */
export class Far extends Base {
${plain('@get /', 'list')}
${plain('@put /\n@delete /\n@options /', 'others')}
${method('@websocket /talk', 'talk(socket: { close(): void }): void { socket.close() }')}
${method('@post /news', 'async *news(): AsyncIterable<string> { yield "a" }')}
${method('@post /events\n@produces text/event-stream', 'events(): string { return "" }')}
${method('@post /blob', 'blob(): Blob { return new Blob([]) }')}
${method('@post /file', 'attached(): Promise<File> { return Promise.resolve(new File([], "a")) }')}
${method('@post /stream', 'stream(): ReadableStream { return new ReadableStream() }')}
${method('@post /bytes\n@produces image/png', 'bytes(): Uint8Array { return new Uint8Array() }')}
${method('@mcp prompt', 'plan(city: string): string { return city }')}
${method('@post /asked\n@mcp prompt', 'asked(city: string): string { return city }')}
${method('@complete city of=plan', 'cities(city: string): string[] { return [city] }')}
${method('@post /towns\n@complete city of=asked', 'towns(city: string): string[] { return [city] }')}
}
`,
  'app/controllers/near.ts': `import { Base } from '../base.ts'
/**
 * Near.
 *
 * @idempotencyKey transaction
 */
export class Near extends Base {
${plain('@post /', 'add')}
}
`,
  'app/controllers/others.ts': `import { Controller } from 'acmcp'
/** Others. */
export class Others extends Controller {
${plain('@post /', 'add')}
${plain('@patch /\n@idempotencyKey required   transaction', 'change')}
}
`,
}

t.test(
  'POST and PATCH routes whose answer can be kept have a key; a method wins over its class, the nearest class over the further',
  async (t) => {
    const { files, diagnostics } = compile(memoryHost(application))
    t.strictSame(diagnostics, [])
    const rows = files.find(({ path }) => path === 'generated/routes.ts')?.text.split('\n') ?? []
    const said = rows.flatMap((row) => {
      const [, verb, path] = /verb: '(\w+)', path: '([^']+)'/.exec(row) ?? []
      const [rule = ''] = /idempotencyKey: \{.*?\}/.exec(row) ?? []
      return verb === undefined ? [] : [`${verb} ${path} ${rule}`.trimEnd()]
    })
    const required = 'idempotencyKey: { required: true }'
    const transaction = 'idempotencyKey: { transaction: true }'
    const both = 'idempotencyKey: { transaction: true, required: true }'
    t.strictSame(said, [
      `POST /far/inherited ${required}`,
      'PATCH /far/own/:part idempotencyKey: {}',
      'PATCH /far/own idempotencyKey: {}',
      `POST /far/both ${both}`,
      'PUT /far/both',
      'GET /far/both',
      'GET /far/',
      'PUT /far/',
      'DELETE /far/',
      'OPTIONS /far/',
      'GET /far/talk',
      'POST /far/news',
      'POST /far/events',
      'POST /far/blob',
      'POST /far/file',
      'POST /far/stream',
      `POST /far/bytes ${required}`,
      'POST /far/asked',
      'POST /far/towns',
      'GET /.acmcp/far_plan',
      'GET /.acmcp/far_cities',
      `POST /near/inherited ${transaction}`,
      'PATCH /near/own/:part idempotencyKey: {}',
      'PATCH /near/own idempotencyKey: {}',
      `POST /near/both ${both}`,
      'PUT /near/both',
      'GET /near/both',
      `POST /near/ ${transaction}`,
      'POST /others/',
      'PATCH /others/ idempotencyKey: { required: true, transaction: true }',
    ])
  },
)
