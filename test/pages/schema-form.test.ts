/** Which control an argument gets, by its schema. `connect-flow.test.ts` fills them in. */
import t from 'tap'
import { type Argument, argumentsOf } from '../../templates/browser/schema-form.ts'

const kinds = (properties: object, more: object = {}): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    argumentsOf({ type: 'object', properties, ...more }).map(({ name, kind, options }) => [
      name,
      options.length > 0 ? [kind, options] : kind,
    ]),
  )

t.test('plain types have a control of their own, everything else is JSON', async (t) => {
  t.strictSame(
    kinds({
      text: { type: 'string', minLength: 1 },
      moment: { type: 'string', format: 'date-time' },
      day: { type: 'string', format: 'date' },
      amount: { type: 'number' },
      count: { type: 'integer', format: 'int32' },
      sure: { type: 'boolean' },
      state: { type: 'string', enum: ['open', 'sent'] },
      mixed: { enum: [1, 'one', true, null] },
      only: { const: 'v1' },
      list: { type: 'array', items: { type: 'string' } },
      body: { type: 'object', properties: {} },
      deep: { enum: [{ a: 1 }] },
      either: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
      types: { type: ['string', 'null'] },
      anything: {},
      odd: true,
    }),
    {
      text: 'text',
      moment: 'text',
      day: 'date',
      amount: 'number',
      count: 'integer',
      sure: ['choice', [true, false]],
      state: ['choice', ['open', 'sent']],
      mixed: ['choice', [1, 'one', true, null]],
      only: ['choice', ['v1']],
      list: 'json',
      body: 'json',
      deep: 'json',
      either: 'json',
      types: 'json',
      anything: 'json',
      odd: 'json',
    },
  )
  t.strictSame(kinds({}, { properties: undefined }), {})
})

t.test('definitions and null are seen through once; words beside them stay', async (t) => {
  const definitions = {
    State: { type: 'string', enum: ['open', 'sent'], description: 'A state.' },
    Node: { $ref: '#/$defs/Node' },
  }
  const nullable = { anyOf: [{ $ref: '#/$defs/State' }, { type: 'null' }], description: 'Its state.' }
  const schema = {
    properties: {
      state: { $ref: '#/$defs/State' },
      maybe: nullable,
      loop: { $ref: '#/$defs/Node' },
      gone: { $ref: '#/$defs/__proto__' },
      far: { $ref: 'https://else.example/schema' },
    },
    required: ['maybe', 'toString'],
    $defs: definitions,
  }
  const [state, maybe, ...others] = argumentsOf(schema)
  const expected: Argument = {
    name: 'state',
    kind: 'choice',
    options: ['open', 'sent'],
    isRequired: false,
    isNullable: false,
    schema: definitions.State,
  }
  t.strictSame(state, expected)
  const described = { ...definitions.State, description: 'Its state.' }
  t.strictSame(maybe, { ...expected, name: 'maybe', isRequired: true, isNullable: true, schema: described })
  t.strictSame(
    others.map(({ kind, isRequired }) => [kind, isRequired]),
    [
      ['json', false],
      ['json', false],
      ['json', false],
    ],
  )
})
