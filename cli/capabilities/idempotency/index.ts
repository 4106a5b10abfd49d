/** `@idempotencyKey`: a retry with the key of the first call gets its answer. */
import { type Feature, nearestOf } from '../../compiler/feature.ts'
import { classes, once } from '../../compiler/read/language.ts'
import { keysFit } from './check.ts'
import { keyOperation } from './document.ts'
import { type KeyRule, keyArgument, keyHeader, keySchema, keyTag, keyText } from './key.ts'
import { keylessBecause, mayRepeat } from './key-routes.ts'
import { readKey } from './read.ts'

export const idempotencyFeature: Feature<KeyRule, KeyRule> = {
  tag: keyTag,
  word: once('[required] [transaction]', [...classes, 'route']),
  alsoCalled: ['idempotent', 'idempotency'],
  place: 'retry',
  read: readKey,
  // what needs no key, or can have none, takes none of its class
  link: (tags, route, method) =>
    mayRepeat(route) && keylessBecause(method) === null ? nearestOf(tags) : null,
  check: keysFit,
  row: (rule) => ({ idempotencyKey: rule }),
  isShared: () => true,
  lines: (rule) => ({ idempotencyKey: wordsOf(rule) }),
  call: () => ({ idempotencyKey: true }),
  operation: keyOperation,
  tool: ({ required }) => ({
    arguments: [
      {
        argument: keyArgument,
        from: 'header',
        name: keyHeader,
        schema: { ...keySchema, description: keyText },
        isRequired: required === true,
      },
    ],
    // with the same arguments, of which the key is one, a call has no further effect
    hints: required === true ? { idempotent: true } : {},
  }),
}

/** `optional`, `required transaction`. */
const wordsOf = ({ required, transaction }: KeyRule): string =>
  [required === true ? 'required' : 'optional', ...(transaction === true ? ['transaction'] : [])].join(' ')
