/** Every mistake in `@approval` is told at the very token, with what was meant. Whole diagnostics. */
import t from 'tap'
import { judge, method } from '../support/judge.ts'

t.setTimeout(240_000)

interface Mistake {
  readonly sentence: string
  readonly members: string
  /** What follows the class. */
  readonly after?: string
  /** `line:column severity code: message | hint` */
  readonly expected: readonly string[]
}

/** A route with this tag on line 12 of its file. */
const route = (tag: string, code = 'show(id: string): string { return id }'): string =>
  method(`@get /:id\n@approval ${tag}`, code)

/** Another class of the file, with the tag on line 18 of it. */
const classWith = (tag: string, members: string): string => `/**
 * All.
 *
 * @approval ${tag}
 */
export class All extends Controller {
${members}
}`

const none = method('@get /b/:id\n@approval none', 'b(id: string): string { return id }')
const options = 'Write unless=session, without blanks, then the sentence.'
const alone = 'Remove it, or all the others: it says that nobody is asked. A sentence begins otherwise.'
const braces =
  'Write {name} on one line, with the public name of a parameter; a sentence has no other braces.'
const publicName =
  'Write the public name of one (of the path, query, form, headers or cookies), or a property of the body.'
const takeOut = 'Take it out of the sentence: the page shows every argument beside it, and of secrets dots.'
const remove = 'Remove it; where it is the tag of a class, write @approval none on the method.'

const byHand = (name: string): string =>
  `warning ACM367: this.request.${name} is no part of what a person approves: the page does not show it, and a call with another value is the same call | Declare what the method needs as a parameter (\`Header<…>\`, \`Cookie<…>\`, a field): then it is shown, and an approval is for that value alone.`

const table: readonly Mistake[] = [
  {
    sentence: 'no sentence',
    members: route(''),
    expected: [
      '12:4 error ACM113: @approval: has no sentence | Write what a person is asked to allow, such as @approval Delete order {id}',
    ],
  },
  {
    sentence: 'options alone',
    members: route('unless=session'),
    expected: [
      '12:4 error ACM113: @approval: has no sentence | Write what a person is asked to allow, such as @approval Delete order {id}',
    ],
  },
  {
    sentence: 'options that there are not',
    members: route('unles=session via=page unless= Show {id}'),
    expected: [
      `12:14 error ACM113: @approval: cannot read 'unles=session' | ${options} Did you mean 'unless=session'?`,
      `12:28 error ACM113: @approval: cannot read 'via=page' | ${options}`,
      `12:37 error ACM113: @approval: cannot read 'unless=' | ${options}`,
    ],
  },
  {
    sentence: 'an option twice, and one behind the first word',
    members: route('unless=session unless=session Show {id} unless=session'),
    expected: [
      '12:29 error ACM113: @approval: unless= stands twice | Remove one of the two.',
      "12:54 error ACM113: @approval: 'unless=session' stands in the sentence | Move it before the first word: it is an option.",
    ],
  },
  {
    sentence: '`none` beside more',
    members: `${route('none of these')}\n${method('@get /b\n@approval unless=session none', 'b(): string { return "" }')}`,
    expected: [
      `12:14 error ACM113: @approval: 'none' stands beside more | ${alone}`,
      `19:29 error ACM113: @approval: 'none' stands beside more | ${alone}`,
    ],
  },
  {
    sentence: 'two tags',
    members: method('@get /:id\n@approval One\n@approval Two', 'show(id: string): string { return id }'),
    expected: ['13:4 error ACM113: @approval: stands twice | Remove one of the two.'],
  },
  {
    sentence: 'a sentence that is too long, by code points',
    members: route(`Show ${'🐟'.repeat(296)}`),
    expected: [
      '12:14 error ACM113: @approval: the sentence has 301 characters, and 300 are room enough | Shorten it: the page shows every argument beside it.',
    ],
  },
  { sentence: 'the longest sentence', members: route(`Show ${'🐟'.repeat(295)}`), expected: [] },
  {
    sentence: 'control characters, and those that turn the direction of a text',
    members: route('Show\tthe \u202e{id}'),
    expected: [
      '12:18 error ACM113: @approval: the sentence has a control character | Remove it, or write a blank.',
      '12:23 error ACM113: @approval: the sentence has a control character | Remove it, or write a blank.',
    ],
  },
  {
    sentence: 'braces that are no placeholder',
    members: route('Show {} and {id'),
    expected: [
      `12:19 error ACM113: @approval: {} names no parameter | ${braces}`,
      `12:26 error ACM113: @approval: '{' belongs to no placeholder | ${braces}`,
    ],
  },
  {
    sentence: 'a placeholder that names no parameter, on a later line',
    members: route('Show it,\n  that is {id} of {ids}'),
    expected: [
      `13:22 error ACM350: @approval: {ids} names no parameter of Case10.show | ${publicName} Did you mean 'id'?`,
    ],
  },
  {
    sentence: 'names of the source, where the public one differs',
    members: route(
      'Show {trace} and {X-Trace}\n@mcp show',
      'show(id: string, trace: Header<"X-Trace">): string { return id + trace }',
    ),
    expected: [
      `12:19 error ACM350: @approval: {trace} names no parameter of Case11.show | ${publicName} Did you mean 'X-Trace'?`,
    ],
  },
  {
    sentence: 'text behind a blank line',
    members: route('Show {id}\n\nand more'),
    expected: [
      '14:4 error ACM111: text after the line of @approval would be lost | Move the text above the first tag: one line is one tag.',
    ],
  },
  {
    sentence: 'secrets, by type and inside',
    members: method(
      '@post /:id\n@approval Pay {id} with {card} for {order}',
      'pay(id: string, card: Card, order: Order): void { void [id, card, order] }',
    ),
    after:
      '/** @secret */\nexport type Card = string\nexport interface Order {\n  /** @secret */\n  code: string\n  lines: string[]\n}',
    expected: [
      `12:28 error ACM351: @approval: {card} of Case13.pay is secret | ${takeOut}`,
      `12:39 error ACM351: @approval: {order} of Case13.pay has secret properties | ${takeOut}`,
    ],
  },
  {
    sentence: 'who calls, and a name that two places have',
    members: route(
      'Show {id} to {Authorization}\n@mcp show',
      'show(id: string, other: Header<"id">, who: Header<"Authorization">): string { return id + other + who }',
    ),
    expected: [
      `12:19 error ACM351: @approval: {id} of Case14.show may be that of the path or that of the header | ${takeOut}`,
      `12:27 error ACM351: @approval: {Authorization} of Case14.show says who calls | ${takeOut}`,
    ],
  },
  {
    sentence: 'WebSockets, events and completions',
    members: [
      method('@websocket /chat\n@approval Chat', 'chat(socket: { close(): void }): void { socket.close() }'),
      method('@get /events\n@approval Watch', 'async *events(): AsyncIterable<string> { yield "" }'),
      method('@mcp prompt', 'plan(city: string, town: string): string { return city + town }'),
      method(
        '@complete city of=plan\n@approval Complete',
        'cities(city: string): string[] { return [city] }',
      ),
      method('@complete town of=plan\n@approval none', 'towns(town: string): string[] { return [town] }'),
    ].join('\n'),
    expected: [
      `12:4 error ACM352: nobody can approve each call of Case15.chat: a WebSocket stays open, and what comes through it is no call | ${remove}`,
      `19:4 error ACM352: nobody can approve each call of Case15.events: a stream of events goes on as long as its client wants, and begins again by itself | ${remove}`,
      `32:4 error ACM352: nobody can approve each call of Case15.cities: it completes what somebody is typing | ${remove}`,
    ],
  },
  {
    sentence: 'a class: each mistake once, of the routes that it covers',
    members: method('@get /', 'first(): string { return "" }'),
    after: classWith(
      'Touch {id}',
      [
        none,
        method('@get /c\n@options /c', 'c(): string { return "" }'),
        method('@get /d', 'd(): string { return "" }'),
        method('@get /e/:id', 'e(id: string): string { return id }'),
        method('@get /f\n@approval Show all', 'f(): string { return "" }'),
        method('@options /g', 'g(): void {}'),
        method('@get /h/:id', 'async *h(id: string): AsyncIterable<string> { yield id }'),
      ].join('\n'),
    ),
    expected: [
      `18:4 error ACM352: nobody can approve each call of All.h: a stream of events goes on as long as its client wants, and begins again by itself | ${remove}`,
      `18:20 error ACM350: @approval: {id} names no parameter of All.c and 1 more | ${publicName}`,
      '20:14 warning ACM353: 4 of the 6 tools of All need an approval: who is asked all the time no longer reads | Keep @approval for what cannot be undone, such as payments: for the rest scopes say what a client may do.',
    ],
  },
  {
    sentence: '`none` on a class',
    members: method('@get /', 'first(): string { return "" }'),
    after: classWith('none', none).replace('class All', 'class Others'),
    expected: [
      "18:4 error ACM113: @approval: a class does not take 'none' | Write it on each method that is to run without an approval.",
    ],
  },
  {
    sentence: 'where it means nothing',
    members: `${method('@filter before\n@approval Check', 'check(): void {}')}\n${method('@get /', 'first(): string { return "" }')}`,
    expected: [
      '12:4 error ACM112: @approval on a filter has no effect | Remove it, or move it: it may stand on a controller class, an abstract one for those that extend it, a route, a WebSocket route, a prompt or a method with @complete.',
    ],
  },
  {
    sentence: 'other words for it',
    members: `${method('@get /\n@confirm Show', 'first(): string { return "" }')}\n${method('@get /b\n@aproval Show', 'b(): string { return "" }')}`,
    expected: [
      '12:4 warning ACM170: @confirm is no tag of acmcp, JSDoc or TSDoc: nobody reads it | Remove it, or write it as text above the tags. Did you mean @approval?',
      '19:4 error ACM110: unknown tag @aproval | Did you mean @approval?',
    ],
  },
  {
    sentence: 'headers and cookies that are read by hand',
    members: `${route('Show {id}', "show(id: string): string { return id + this.request.headers['x-a'] }")}
${method('@get /plain/:id\n@approval none', "plain(id: string): string { return id + this.request.headers['x-b'] }")}
${method('@filter before', 'before(): void { const { cookies: { a }, path } = this.request; void [a, path] }')}
#helper(): unknown { return (() => this.request.cookies)() }`,
    expected: [`14:53 ${byHand('headers')}`, `27:26 ${byHand('cookies')}`, `28:49 ${byHand('cookies')}`],
  },
  {
    sentence: 'headers and cookies of the request under another name',
    members: `${route('Show {id}', "show(id: string): string { const r = this.request; return id + r.headers['x-a'] }")}
#helper(): unknown { const { request: q } = this; return [q['cookies'], (this['request']).headers, q.path] }`,
    expected: [`14:66 ${byHand('headers')}`, `15:61 ${byHand('cookies')}`, `15:91 ${byHand('headers')}`],
  },
  {
    sentence: 'a class asks, and a method of it reads no header',
    members: method('@get /b', "b(): unknown { return this.request.headers['x-b'] }"),
    after: classWith(
      'Use it',
      [
        method('@get /a/:id\n@approval none', 'a(id: string): unknown { return [id, this.request.headers] }'),
        method('@get /c/:id', 'c(id: string): unknown { return [id, this.request.headers] }'),
      ].join('\n'),
    ).replace('class All', 'class Asking'),
    expected: [`33:51 ${byHand('headers')}`],
  },
  ...[1, 2].map((count): Mistake => {
    const name = `Fifth${count}`
    const tools = Array.from({ length: 5 }, (_, place) =>
      method(
        `@get /${place}${place < count ? '\n@approval Show it' : ''}`,
        `t${place}(): string { return "" }`,
      ),
    )
    return {
      sentence: `${count} of five tools`,
      members: method('@get /\n@approval Show it', 'first(): string { return "" }'),
      after: `/** All. */\nexport class ${name} extends Controller {\n${tools.join('\n')}\n}`,
      expected:
        count === 1
          ? []
          : [
              `17:14 warning ACM353: 2 of the 5 tools of ${name} need an approval: who is asked all the time no longer reads | Keep @approval for what cannot be undone, such as payments: for the rest scopes say what a client may do.`,
            ],
    }
  }),
  {
    sentence: 'the option of the version before',
    members: route('via=form unless=session via=form Show {id}'),
    expected: [14, 38].map(
      (column) =>
        `12:${column} error ACM113: @approval: 'via=form' is no option any more | Remove it: the user decides on the page of the approval.`,
    ),
  },
]

t.test('approvals: every mistake is told at its token', async (t) => {
  const found = judge(table)
  for (const [place, { sentence, expected }] of table.entries()) {
    const told = (found[place] ?? []).map(
      ({ code, severity, at, message, hint }) =>
        `${at.line}:${at.column} ${severity} ${code}: ${message} | ${hint}`,
    )
    t.strictSame(told, expected, sentence)
  }
})
