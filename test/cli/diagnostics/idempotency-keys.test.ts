/** Every mistake in `@idempotencyKey` is told at the very token, with what was meant. Whole diagnostics. */
import t from 'tap'
import { judge, method } from '../support/judge.ts'

t.setTimeout(240_000)

interface Mistake {
  readonly sentence: string
  readonly members: string
  /** What follows the class. */
  readonly after?: string
  /** What stands before it. */
  readonly before?: string
  /** `line:column severity code: message | hint` */
  readonly expected: readonly string[]
}

/** A route with this tag on line 12 of its file; its code is on line 14. */
const route = (tag: string, code = 'add(name: string): string { return name }', verb = '@post /'): string =>
  method(`${verb}\n@idempotencyKey ${tag}`.trimEnd(), code)

const words = 'Write @idempotencyKey alone, or with required, transaction or both.'
const places =
  'Remove it, or move it: it may stand on a controller class, an abstract one for those that extend it or a route.'
const value = 'Remove it, or have the method return a value: JSON, a text or bytes can be kept for a retry.'
const safe = 'Remove it: GET is safe to repeat, PUT and DELETE are idempotent by themselves.'
const sent = 'a stream, a Blob or a File is sent as it comes, and nothing of it is kept'
const endless = 'a stream of events goes on as long as its client wants'
const free =
  "Remove it: acmcp reads the key and keeps the answer. Something else needs another public name, such as Named<'reference', T>."
const gives = (index: number): string =>
  `@idempotencyKey gives Case${index}.add the argument idempotencyKey and the header Idempotency-Key, and it has`
const table: readonly Mistake[] = [
  {
    sentence: 'no other word, and none twice',
    members: `${route('require')}\n${route('required transactions', 'b(): void {}', '@post /b')}\n${route('required required', 'c(): void {}', '@post /c')}\n${route('none', 'd(): void {}', '@post /d')}`,
    expected: [
      `12:20 error ACM113: @idempotencyKey: cannot read 'require' | ${words} Did you mean 'required'?`,
      `19:29 error ACM113: @idempotencyKey: cannot read 'transactions' | ${words} Did you mean 'transaction'?`,
      `26:20 error ACM113: @idempotencyKey: cannot read 'required' | ${words}`,
      `33:20 error ACM113: @idempotencyKey: cannot read 'none' | ${words}`,
    ],
  },
  {
    sentence: 'two tags',
    members: method('@post /\n@idempotencyKey\n@idempotencyKey required', 'add(): void {}'),
    expected: ['13:4 error ACM113: @idempotencyKey: stands twice | Remove one of the two.'],
  },
  {
    sentence: 'what is no route',
    members: `${method('@filter before\n@idempotencyKey', 'guard(): void {}')}
${method('@websocket /talk\n@idempotencyKey', 'talk(socket: { close(): void }): void { socket.close() }')}
${method('@mcp prompt\n@idempotencyKey', 'plan(city: string): string { return city }')}
${method('@complete city of=plan\n@idempotencyKey', 'cities(city: string): string[] { return [city] }')}
${method('@post /\n@idempotencyKey', 'add(): void {}')}`,
    expected: [
      `12:4 error ACM112: @idempotencyKey on a filter has no effect | ${places}`,
      `19:4 error ACM112: @idempotencyKey on a WebSocket route has no effect | ${places}`,
      `26:4 error ACM112: @idempotencyKey on a prompt without a route has no effect | ${places}`,
      `33:4 error ACM112: @idempotencyKey on a completion without a route has no effect | ${places}`,
    ],
  },
  {
    sentence: 'verbs that need none; one that does is enough',
    members: `${route('', 'show(id: string): string { return id }', '@get /:id\n@delete /:id')}
${route('required', 'put(): void {}', '@put /')}
${route('', 'both(): void {}', '@get /both\n@patch /both')}`,
    expected: [
      `13:4 error ACM361: @idempotencyKey has no effect on Case3.show: it is for POST and PATCH, and this is GET and DELETE | ${safe}`,
      `20:4 error ACM361: @idempotencyKey has no effect on Case3.put: it is for POST and PATCH, and this is PUT | ${safe}`,
    ],
  },
  {
    sentence: 'answers that cannot be kept',
    members: [
      route('', 'async *a(): AsyncIterable<string> { yield "" }', '@post /a'),
      route('', 'b(): string { return "" }', '@post /b\n@produces text/event-stream'),
      route('', 'c(): ReadableStream { return new ReadableStream() }', '@post /c'),
      route('', 'd(): Promise<Blob> { return Promise.resolve(new Blob([])) }', '@patch /d'),
      route('', 'e(): File { return new File([], "") }', '@post /e'),
      route('', 'f(): Rendered { return this.head(200) }', '@post /f\n@returns {Blob} 200 it'),
      route('', 'g(): Uint8Array { return new Uint8Array() }', '@post /g\n@produces image/png'),
    ].join('\n'),
    expected: [
      `12:4 error ACM360: Case4.a cannot have @idempotencyKey: ${endless} | ${value}`,
      `20:4 error ACM360: Case4.b cannot have @idempotencyKey: ${endless} | ${value}`,
      `27:4 error ACM360: Case4.c cannot have @idempotencyKey: ${sent} | ${value}`,
      `34:4 error ACM360: Case4.d cannot have @idempotencyKey: ${sent} | ${value}`,
      `41:4 error ACM360: Case4.e cannot have @idempotencyKey: ${sent} | ${value}`,
      `49:4 error ACM360: Case4.f cannot have @idempotencyKey: ${sent} | ${value}`,
    ],
  },
  {
    sentence: 'a prompt, and a completion, that are routes too',
    members: `${route('', 'plan(city: string): string { return city }', '@post /plan\n@mcp prompt')}
${route('', 'cities(city: string): string[] { return [city] }', '@post /cities\n@complete city of=plan')}`,
    expected: [
      `13:4 error ACM360: Case5.plan cannot have @idempotencyKey: a prompt is asked for without a key | ${value}`,
      `21:4 error ACM360: Case5.cities cannot have @idempotencyKey: it completes what somebody is typing | ${value}`,
    ],
  },
  {
    sentence: 'the name of the key is taken: by a field, a header of any case, a filter of several routes',
    members: `${route('', "add(idempotencyKey: string, key?: Header<'IDEMPOTENCY-KEY'>, other?: Header<'X-Idempotency-Key'>): string { return String([idempotencyKey, key, other]) }", '@post /')}
/** @filter before only=add,more */
guard(sent?: Header<'idempotency-key'>): void { void sent }
${route('', 'more(): void {}', '@post /more')}
${method('@get /free/:idempotencyKey', 'free(idempotencyKey: string): string { return idempotencyKey }')}
${method('@post /free', 'added(idempotencyKey: string): string { return idempotencyKey }')}`,
    expected: [
      `14:5 error ACM362: ${gives(6)} the parameter idempotencyKey | ${free}`,
      `14:29 error ACM362: ${gives(6)} the header IDEMPOTENCY-KEY | ${free}`,
      '14:62 warning ACM227: the tool case6_add takes the header X-Idempotency-Key as its argument x_idempotency_key: the model fills it in | What says who is asking, or what they may do, belongs in a filter. If a model may choose it, as a version or a language, say so with @mcp show on the method.',
      `16:7 error ACM362: ${gives(6)} the header idempotency-key | ${free}`,
    ],
  },
  {
    sentence: 'a name of one’s own behind Named is another',
    before: "import type { Named } from 'acmcp'",
    members: route('', "add(idempotencyKey: Named<'reference', string>): string { return idempotencyKey }"),
    expected: [],
  },
  {
    sentence: 'what several classes inherit is told of each',
    members: route('', 'own(): void {}'),
    after: `abstract class Above extends Controller {
${route('', 'add(idempotencyKey: string): Blob { return new Blob([idempotencyKey]) }')}
${route('', 'pay(idempotencyKey: string): string { return idempotencyKey }', '@post /pay')}
}
/** One. */
export class OneOf8 extends Above {}
/** Two. */
export class TwoOf8 extends Above {}`,
    expected: [
      ...['OneOf8', 'TwoOf8'].map(
        (name) =>
          `21:4 error ACM360: ${name}.add inherited from Above cannot have @idempotencyKey: ${sent} | ${value}`,
      ),
      ...['OneOf8', 'TwoOf8'].map(
        (name) =>
          `30:5 error ACM362: @idempotencyKey gives ${name}.pay inherited from Above the argument idempotencyKey and the header Idempotency-Key, and it has the parameter idempotencyKey | ${free}`,
      ),
    ],
  },
  {
    sentence: 'an example call has no key, and no header repeats it',
    members: `${method('@post /\n@idempotencyKey required\n@mcp example {"name":"a"}', 'add(name: string): string { return name }')}
${method('@post /b\n@idempotencyKey\n@mcp example {"idempotencyKey":"a"}\n@mcp header idempotencyKey=Key', 'b(): void {}')}`,
    expected: [
      "21:4 error ACM210: the example does not fit the tool case9_b: invalid parameter value for 'idempotencyKey': unknown property | Write arguments that the tool's input schema accepts.",
      '24:1 error ACM220: @mcp header: the tool has no plain argument idempotencyKey | Name an argument that is a text, a whole number or a boolean.',
    ],
  },
  {
    sentence: 'other words for it',
    members: `${method('@post /\n@idempotent', 'first(): void {}')}\n${method('@post /b\n@idempotencykey', 'b(): void {}')}\n${method('@post /c\n@idempotency-key', 'c(): void {}')}`,
    expected: [
      '12:4 warning ACM170: @idempotent is no tag of acmcp, JSDoc or TSDoc: nobody reads it | Remove it, or write it as text above the tags. Did you mean @idempotencyKey?',
      '19:4 error ACM110: unknown tag @idempotencykey | Did you mean @idempotencyKey?',
      '26:4 error ACM110: unknown tag @idempotency-key | Did you mean @idempotencyKey?',
    ],
  },
]

t.test('idempotency: each mistake is told at its token, with what was meant', async (t) => {
  const found = judge(table)
  for (const [index, { sentence, expected }] of table.entries()) {
    const said = (found[index] ?? []).map(
      ({ code, severity, at, message, hint }) =>
        `${at.line}:${at.column} ${severity} ${code}: ${message} | ${hint}`,
    )
    t.strictSame(said, expected, sentence)
  }
})
