/** Pairs of controllers, before and after a change, with everything that the comparison of their contracts must find. `$` is
 *  the number of the pair, in the names of its types. What `mutations.ts` changes is not here again. */

export interface Pair {
  readonly sentence: string
  readonly before: string
  readonly after: string
  /** What stands beside the class. */
  readonly types?: readonly [before: string, after: string]
  /** `rule place (audience)`, sorted. */
  readonly expected: readonly string[]
}

/** A method with these tags, one a line. */
export const member = (tags: string, code: string, summary = 'Does it.'): string =>
  `/**\n * ${summary}\n *\n${tags.replace(/^/gm, ' * ')}\n */\n${code}\n`

const get = (code: string, tags = '@get /'): string => member(tags, code)
const post = (code: string, tags = '@post /'): string => member(tags, code)
const answering = (type: string): string => get(`show(): ${type} { return null as never }`)
const taking = (params: string): string => post(`add(${params}): void {}`)

const pair = (
  sentence: string,
  [before, after]: readonly [string, string],
  expected: readonly string[],
  types?: readonly [string, string],
): Pair => ({ sentence, before, after, expected, ...(types === undefined ? {} : { types }) })

/** The same change of a type, where it is sent and where it is answered. */
const both = (
  sentence: string,
  [before, after]: readonly [string, string],
  input: readonly string[],
  output: readonly string[],
): readonly Pair[] => [
  pair(`${sentence}, sent`, [taking(`it: ${before}`), taking(`it: ${after}`)], input),
  pair(`${sentence}, answered`, [answering(`{ it: ${before} }`), answering(`{ it: ${after} }`)], output),
]

/** Through a reference, in a list, in a union, nested. */
const through = (
  sentence: string,
  [before, after]: readonly [string, string],
  [input, output]: readonly [string, string],
): readonly Pair[] => {
  const types = (inner: string): string =>
    `export interface Inner$ { it: ${inner}; rest: string }\nexport interface Outer$ { list: Inner$[]; deep: { one: Inner$ } }`
  const declared = [types(before), types(after)] as const
  return [
    pair(
      `${sentence}, through references, sent`,
      [taking('order: Body<Outer$>'), taking('order: Body<Outer$>')],
      [input],
      declared,
    ),
    pair(
      `${sentence}, through references, answered`,
      [answering('Outer$'), answering('Outer$')],
      [output],
      declared,
    ),
  ]
}

const failing = (type: string): string =>
  get('show(): string { throw new RangeError() }') +
  member('@exception {RangeError} 409', `range(error: RangeError): ${type} { throw error }`)
const tagged$ =
  "export interface Cat$ { kind: 'cat'; a: string }\nexport interface Dog$ { kind: 'dog'; b: string }"

const pairs: readonly Pair[] = [
  pair('nothing', [answering('{ it: string }'), answering('{ it: string }')], []),
  pair(
    'two spellings of one type',
    [answering('{ it: string | null }'), answering('{ it: null | string }')],
    [],
  ),
  pair(
    'an inline type gets a name',
    [answering('{ it: string }'), answering('Named$')],
    [],
    ['', 'export interface Named$ { it: string }'],
  ),
  pair(
    'a type is renamed',
    [answering('Old$'), answering('New$')],
    ['CON055 New$ (HTTP)'],
    [
      'export interface Old$ { it: string; more: Old$[] }',
      'export interface New$ { it: string; more: New$[] }',
    ],
  ),
  pair(
    'types are renamed inside of others, and in unions',
    [answering('Outer$'), answering('Outer$')],
    ['CON055 NewDeep$ (HTTP)', 'CON055 NewMember$ (HTTP)'],
    [
      'export interface Outer$ { list: Mid$[]; it: Member$ | Kept$ | null }\nexport interface Mid$ { x: Deep$ | null }\nexport interface Deep$ { it: string }\nexport interface Member$ { a: 1 }\nexport interface Kept$ { b: 1 }',
      'export interface Outer$ { list: Mid$[]; it: Kept$ | NewMember$ | null }\nexport interface Mid$ { x: NewDeep$ | null }\nexport interface NewDeep$ { it: string }\nexport interface Kept$ { b: 1 }\nexport interface NewMember$ { a: 1 }',
    ],
  ),
  pair(
    'a type takes the name of another one',
    [answering('{ a: Foo$ }'), answering('{ a: S$.Foo$; b?: Foo$ }')],
    ['CON055 S$Foo$ (HTTP)', 'CON084 GET /case-$ b (HTTP, tools)'],
    [
      'export interface Foo$ { a: string }',
      'export interface Foo$ { b: string }\nexport namespace S$ { export interface Foo$ { a: string } }',
    ],
  ),
  pair(
    'a type has no name any more',
    [answering('{ a: Foo$ }'), answering('{ a: { a: string } }')],
    ['CON055 Foo$ (HTTP)'],
    ['export interface Foo$ { a: string }', ''],
  ),
  pair(
    'a property of a type is gone, and the type with it',
    [answering('{ a?: Foo$; b: string }'), answering('{ b: string }')],
    ['CON021 GET /case-$ a (HTTP, tools)'],
    ['export interface Foo$ { a: string }', ''],
  ),
  pair(
    'members in another order',
    [answering('{ a: string; b: number }'), answering('{ b: number; a: string }')],
    [],
  ),
  pair(
    'an intersection is written out',
    [answering('A$ & B$'), answering('{ a: string; b: number }')],
    [],
    ['interface A$ { a: string }\ninterface B$ { b: number }', ''],
  ),
  pair(
    'an address is another',
    [get('one(id: string): void {}', '@get /:id'), get('one(id: string): void {}', '@get /by/:id')],
    ['CON001 GET /case-$/{id} (HTTP)', 'CON053 case$_one (tools)', 'CON080 GET /case-$/by/{id} (HTTP)'],
  ),
  pair(
    'a variable of the address is renamed',
    [get('one(id: string): void {}', '@get /:id'), get('one(key: string): void {}', '@get /:key')],
    ['CON010 case$_one key (tools)', 'CON011 case$_one id (tools)'],
  ),
  pair(
    'a tool runs another route, which takes more and answers less',
    [
      get('one(id: string): { a: string; b: string } { return null as never }', '@get /:id'),
      get('one(id: string, more: string): { b: string } { return null as never }', '@get /by/:id'),
    ],
    [
      'CON001 GET /case-$/{id} (HTTP)',
      'CON010 case$_one more (tools)',
      'CON021 case$_one a (tools)',
      'CON053 case$_one (tools)',
      'CON080 GET /case-$/by/{id} (HTTP)',
    ],
  ),
  pair(
    'a tool runs another route, of which an argument stands elsewhere',
    [
      get('one(id: Int32): void {}', '@get /:id'),
      get('one(kind: string, id: string): void {}', '@get /by/:kind/:id'),
    ],
    [
      'CON001 GET /case-$/{id} (HTTP)',
      'CON010 case$_one kind (tools)',
      'CON012 case$_one id (tools)',
      'CON053 case$_one (tools)',
      'CON080 GET /case-$/by/{kind}/{id} (HTTP)',
      'CON083 case$_one id (tools)',
    ],
  ),
  pair(
    'a body that has no name loses a property',
    [
      taking('order: Body<{ a: string; b?: { c: string; d: string } }>'),
      taking('order: Body<{ a: string; b?: { c: string } }>'),
    ],
    ['CON011 POST /case-$ b.d (HTTP, tools)'],
  ),
  pair(
    'the argument of a body has another name',
    [taking('one: Body<{ a: string }>'), taking('two: Body<{ a: string }>')],
    ['CON010 case$_add two (tools)', 'CON011 case$_add one (tools)'],
  ),
  pair(
    'a body is new',
    [post('add(): void {}'), taking('it: Body<{ a: string; b?: string }>')],
    ['CON010 POST /case-$ a (HTTP, tools)', 'CON082 POST /case-$ b (HTTP, tools)'],
  ),
  pair(
    'a tool is hidden',
    [answering('string'), get('show(): string { return "" }', '@get /\n@mcp hide')],
    ['CON003 case$_show (tools)', 'CON005 case$ (tools)'],
  ),
  pair(
    'a hidden route is shown',
    [get('show(): string { return "" }', '@get /\n@mcp hide'), answering('string')],
    ['CON047 case$_show (tools)', 'CON088 case$ (tools)'],
  ),
  pair(
    'a tool stands in the first list',
    [answering('string'), get('show(): string { return "" }', '@get /\n@mcp root')],
    [
      'CON046 case$_show root (tools)',
      'CON063 case$ description (tools)',
      'CON063 case$ instructions (tools)',
    ],
  ),
  pair(
    'a tool leaves the first list',
    [get('show(): string { return "" }', '@get /\n@mcp root'), answering('string')],
    [
      'CON063 case$ description (tools)',
      'CON063 case$ instructions (tools)',
      'CON087 case$_show root (tools)',
    ],
  ),
  pair(
    'a query parameter is required',
    [get('show(a?: string): void {}'), get('show(a: string): void {}')],
    ['CON010 GET /case-$ a (HTTP, tools)'],
  ),
  pair(
    'a query parameter is gone',
    [get('show(a?: string): void {}'), get('show(): void {}')],
    ['CON011 GET /case-$ a (HTTP, tools)'],
  ),
  ...both(
    'a value is gone',
    ["'a' | 'b' | 'c'", "'a' | 'b'"],
    ['CON013 POST /case-$ it (HTTP, tools)'],
    ['CON085 GET /case-$ it (HTTP, tools)'],
  ),
  ...both(
    'a value is new',
    ["'a' | 'b'", "'a' | 'b' | 'c'"],
    ['CON083 POST /case-$ it (HTTP, tools)'],
    ['CON020 GET /case-$ it (HTTP, tools)'],
  ),
  ...both(
    'a text becomes a number',
    ['string', 'number'],
    ['CON012 POST /case-$ it (HTTP, tools)', 'CON083 POST /case-$ it (HTTP, tools)'],
    ['CON023 GET /case-$ it (HTTP, tools)', 'CON085 GET /case-$ it (HTTP, tools)'],
  ),
  ...both(
    'a text may be null',
    ['string', 'string | null'],
    ['CON083 POST /case-$ it (HTTP, tools)'],
    ['CON023 GET /case-$ it (HTTP, tools)'],
  ),
  ...both(
    'a text may no longer be null',
    ['string | null', 'string'],
    ['CON010 POST /case-$ it (HTTP, tools)', 'CON012 POST /case-$ it (HTTP, tools)'],
    ['CON085 GET /case-$ it (HTTP, tools)'],
  ),
  ...both(
    'a text becomes one of some',
    ['string', "'a' | 'b'"],
    ['CON012 POST /case-$ it (HTTP, tools)'],
    ['CON085 GET /case-$ it (HTTP, tools)'],
  ),
  ...both(
    'a number becomes whole',
    ['number', 'Int32'],
    ['CON012 POST /case-$ it (HTTP, tools)'],
    ['CON085 GET /case-$ it (HTTP, tools)'],
  ),
  ...both(
    'a list instead of one',
    ['string', 'string[]'],
    ['CON012 POST /case-$ it (HTTP, tools)', 'CON083 POST /case-$ it (HTTP, tools)'],
    ['CON023 GET /case-$ it (HTTP, tools)', 'CON085 GET /case-$ it (HTTP, tools)'],
  ),
  ...both(
    'items of another type',
    ['string[]', 'number[]'],
    ['CON012 POST /case-$ it[] (HTTP, tools)', 'CON083 POST /case-$ it[] (HTTP, tools)'],
    ['CON023 GET /case-$ it[] (HTTP, tools)', 'CON085 GET /case-$ it[] (HTTP, tools)'],
  ),
  ...through(
    'a value is new',
    ["'a'", "'a' | 'b'"],
    ['CON083 Inner$ it (HTTP, tools)', 'CON020 Inner$ it (HTTP, tools)'],
  ),
  ...through(
    'a value is gone',
    ["'a' | 'b'", "'a'"],
    ['CON013 Inner$ it (HTTP, tools)', 'CON085 Inner$ it (HTTP, tools)'],
  ),
  ...through(
    'null is new',
    ['string', 'string | null'],
    ['CON083 Inner$ it (HTTP, tools)', 'CON023 Inner$ it (HTTP, tools)'],
  ),
  pair(
    'a property of an answer is gone',
    [answering('{ a: string; b: string }'), answering('{ a: string }')],
    ['CON021 GET /case-$ b (HTTP, tools)'],
  ),
  pair(
    'a property of an answer may be absent',
    [answering('{ a: string; b: string }'), answering('{ a: string; b?: string }')],
    ['CON022 GET /case-$ b (HTTP, tools)'],
  ),
  pair(
    'a property of an answer is always there',
    [answering('{ a: string; b?: string }'), answering('{ a: string; b: string }')],
    ['CON085 GET /case-$ b (HTTP, tools)'],
  ),
  pair(
    'a property of an answer is new',
    [answering('{ a: string }'), answering('{ a: string; b: string }')],
    ['CON084 GET /case-$ b (HTTP, tools)'],
  ),
  pair(
    'a property of a recursive type is gone',
    [answering('Tree$'), answering('Tree$')],
    ['CON021 Tree$ label (HTTP, tools)'],
    [
      'export interface Tree$ { label: string; left: Tree$ | null; all: Tree$[] }',
      'export interface Tree$ { left: Tree$ | null; all: Tree$[] }',
    ],
  ),
  pair(
    'types refer to each other',
    [answering('One$'), answering('One$')],
    ['CON022 Two$ name (HTTP, tools)'],
    [
      'export interface One$ { two: Two$ }\nexport interface Two$ { name: string; one: One$ | null }',
      'export interface One$ { two: Two$ }\nexport interface Two$ { name?: string; one: One$ | null }',
    ],
  ),
  pair(
    'a member of a union of types is new',
    [answering('Cat$ | Dog$'), answering('Cat$ | Dog$ | Cow$')],
    ['CON020 Cow$ kind (HTTP, tools)'],
    [
      "export interface Cat$ { kind: 'cat'; a: string }\nexport interface Dog$ { kind: 'dog'; b: string }",
      "export interface Cat$ { kind: 'cat'; a: string }\nexport interface Dog$ { kind: 'dog'; b: string }\nexport interface Cow$ { kind: 'cow'; b: string }",
    ],
  ),
  pair(
    'a property in a member of a union is gone',
    [answering('Cat$ | Dog$'), answering('Cat$ | Dog$')],
    ['CON021 Dog$ b (HTTP, tools)'],
    [
      "export interface Cat$ { kind: 'cat'; a: string }\nexport interface Dog$ { kind: 'dog'; b: string; c: string }",
      "export interface Cat$ { kind: 'cat'; a: string }\nexport interface Dog$ { kind: 'dog'; c: string }",
    ],
  ),
  pair(
    'values of a map',
    [answering('{ all: Record<string, string> }'), answering('{ all: Record<string, string | null> }')],
    ['CON023 GET /case-$ all.* (HTTP, tools)'],
  ),
  pair(
    'an approval is asked for',
    [post('add(): void {}'), post('add(): void {}', '@post /\n@approval Do it')],
    [
      'CON032 POST /case-$ approval (HTTP, tools)',
      'CON060 case$_add description (tools)',
      'CON087 POST /case-$ 403 (HTTP)',
      'CON087 POST /case-$ 409 (HTTP)',
      'CON087 POST /case-$ 428 (HTTP)',
      'CON087 POST /case-$ 429 (HTTP)',
    ],
  ),
  pair(
    'nobody is asked any more',
    [post('add(): void {}', '@post /\n@approval Do it'), post('add(): void {}')],
    [
      'CON042 POST /case-$ approval (HTTP, tools)',
      'CON060 case$_add description (tools)',
      'CON087 POST /case-$ 403 (HTTP)',
      'CON087 POST /case-$ 409 (HTTP)',
      'CON087 POST /case-$ 428 (HTTP)',
      'CON087 POST /case-$ 429 (HTTP)',
    ],
  ),
  pair(
    'a tool is read only',
    [get('show(): void {}', '@get /\n@mcp readOnly=false'), get('show(): void {}')],
    ['CON087 case$_show hints (tools)'],
  ),
  pair(
    'a tool is destructive',
    [post('add(): void {}'), post('add(): void {}', '@post /\n@mcp destructive')],
    ['CON041 case$_add hints (tools)'],
  ),
  pair(
    'a key is no longer taken',
    [post('add(): void {}', '@post /\n@idempotencyKey'), post('add(): void {}')],
    [
      'CON011 POST /case-$ idempotencyKey (HTTP, tools)',
      'CON050 POST /case-$ idempotencyKey (HTTP, tools)',
      'CON054 POST /case-$ 200 Idempotent-Replayed (HTTP)',
      'CON087 POST /case-$ 400 (HTTP)',
      'CON087 POST /case-$ 409 (HTTP)',
      'CON087 POST /case-$ 422 (HTTP)',
      'CON087 POST /case-$ 429 (HTTP)',
    ],
  ),
  pair(
    'a key must be sent',
    [
      post('add(): void {}', '@post /\n@idempotencyKey'),
      post('add(): void {}', '@post /\n@idempotencyKey required'),
    ],
    [
      'CON010 POST /case-$ idempotencyKey (HTTP, tools)',
      'CON087 POST /case-$ idempotencyKey (HTTP, tools)',
      'CON087 case$_add hints (tools)',
    ],
  ),
  pair(
    'a secret is shown',
    [answering('{ a: string; \n/** @secret */\nb?: string }'), answering('{ a: string; b?: string }')],
    ['CON043 GET /case-$ b (HTTP, tools)'],
  ),
  pair(
    'a property becomes a secret',
    [answering('{ a: string; b?: string }'), answering('{ a: string; \n/** @secret */\nb?: string }')],
    ['CON021 GET /case-$ b (tools)'],
  ),
  pair(
    'a secret is of another type',
    [
      answering('{ a: string; \n/** @secret */\nb?: string }'),
      answering('{ a: string; \n/** @secret */\nb?: number }'),
    ],
    ['CON023 GET /case-$ b (HTTP)', 'CON085 GET /case-$ b (HTTP)'],
  ),
  pair(
    'a secret is gone',
    [answering('{ a: string; \n/** @secret */\nb?: string }'), answering('{ a: string }')],
    ['CON021 GET /case-$ b (HTTP)'],
  ),
  pair(
    'a secret is new',
    [answering('{ a: string }'), answering('{ a: string; \n/** @secret */\nb?: string }')],
    ['CON084 GET /case-$ b (HTTP)'],
  ),
  pair(
    'text of others is no longer marked',
    [answering('{\n/** @untrusted */\na: string\n}'), answering('{ a: string }')],
    ['CON044 GET /case-$ a (HTTP, tools)', 'CON060 case$_show description (tools)'],
  ),
  pair(
    'text of others is marked',
    [answering('{ a: string }'), answering('{\n/** @untrusted */\na: string\n}')],
    ['CON060 case$_show description (tools)', 'CON087 GET /case-$ a (HTTP, tools)'],
  ),
  pair(
    'the words of a tool',
    [
      member('@get /', 'show(): string { return "" }', 'Does it.'),
      member('@get /', 'show(): string { return "" }', 'Does that.'),
    ],
    ['CON060 case$_show description (HTTP, tools)'],
  ),
  pair(
    'the words of an argument',
    [
      get('show(a: string): void {}', '@get /\n@param a this'),
      get('show(a: string): void {}', '@get /\n@param a that'),
    ],
    ['CON061 GET /case-$ a (HTTP, tools)'],
  ),
  pair(
    'the words of an answer',
    [answering('{\n/** This. */\na: string\n}'), answering('{\n/** That. */\na: string\n}')],
    ['CON062 GET /case-$ a (HTTP, tools)'],
  ),
  pair(
    'other words for a tool',
    [get('show(): void {}'), get('show(): void {}', '@get /\n@mcp keywords look')],
    ['CON060 case$_show keywords (tools)'],
  ),
  pair(
    'an argument of a prompt is gone',
    [
      get('show(a: string): string { return "" }', '@get /\n@mcp prompt'),
      get('show(): string { return "" }', '@get /\n@mcp prompt'),
    ],
    ['CON011 GET /case-$ a (HTTP, tools)', 'CON036 case$_show a (tools)'],
  ),
  pair(
    'a limit of calls is gone',
    [post('add(): void {}', '@post /\n@limit 5/s'), post('add(): void {}')],
    ['CON045 POST /case-$ limit (HTTP, tools)', 'CON087 POST /case-$ 429 (HTTP)'],
  ),
  pair(
    'an error has another body',
    [failing('{ error: string }'), failing('{ message: string }')],
    ['CON052 GET /case-$ 409.error (HTTP)', 'CON084 GET /case-$ 409.message (HTTP)'],
  ),
  pair(
    'a media type is answered no more',
    [get('show(): string { return "" }'), get('show(): string { return "" }', '@get /\n@produces text/csv')],
    ['CON024 GET /case-$ (HTTP, tools)', 'CON087 GET /case-$ (HTTP)'],
  ),
  pair(
    'members of a union that are told apart by a property, in another order',
    [answering('Cat$ | Dog$'), answering('Dog$ | Cat$')],
    [],
    [tagged$, tagged$],
  ),
  pair(
    'another value tells a member apart',
    [answering('Cat$ | Dog$'), answering('Cat$ | Dog$')],
    ['CON020 Dog$ kind (HTTP, tools)', 'CON085 Dog$ kind (HTTP, tools)'],
    [tagged$, tagged$.replace("kind: 'dog'", "kind: 'wolf'")],
  ),
  pair(
    'a list of a map of a list',
    [answering('{ all: Record<string, string[]>[] }'), answering('{ all: Record<string, number[]>[] }')],
    ['CON023 GET /case-$ all[].*[] (HTTP, tools)', 'CON085 GET /case-$ all[].*[] (HTTP, tools)'],
  ),
  pair(
    'a place in a tuple',
    [answering('{ all: [string, number] }'), answering('{ all: [string, string] }')],
    ['CON023 GET /case-$ all[1] (HTTP, tools)', 'CON085 GET /case-$ all[1] (HTTP, tools)'],
  ),
  pair(
    'a header is another parameter',
    [get("show(a: Header<'X-One'>): void {}"), get("show(a: Header<'X-Two'>): void {}")],
    ['CON010 GET /case-$ X-Two (HTTP, tools)', 'CON011 GET /case-$ X-One (HTTP, tools)'],
  ),
  pair(
    'another pattern',
    [taking('/** @pattern ^a+$ */ a: string'), taking('/** @pattern ^b+$ */ a: string')],
    ['CON059 POST /case-$ a (HTTP, tools)'],
  ),
]

export const corpus: readonly Pair[] = pairs
