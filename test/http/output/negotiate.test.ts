/** Source: RFC 9110, section 12.5.1. */
import t from 'tap'
import { negotiate } from '../../../runtime/http/output/negotiate.ts'

const offered: readonly string[] = ['application/json', 'application/yaml', 'text/yaml']

const table: readonly (readonly [accept: string | null, chosen: string | null])[] = [
  [null, 'application/json'],
  ['', 'application/json'],
  ['*/*', 'application/json'],
  ['text/*', 'text/yaml'],
  ['APPLICATION/YAML', 'application/yaml'],
  ['application/yaml, */*', 'application/json'],
  ['application/yaml, */*;q=0.9', 'application/yaml'],
  ['application/json;q=0.1, application/*', 'application/yaml'],
  ['application/*;q=0, */*', 'text/yaml'],
  ['*/*, application/json;q=0', 'application/yaml'],
  ['application/*, application/json;q=0.1', 'application/yaml'],
  ['application/json ; q=0.5 , text/yaml;q=0.6', 'text/yaml'],
  ['image/png', null],
  ['*/*;q=0', null],
  ['application/json;q=many', null],
  ['*', null],
  ['*/json', null],
  ['text/yaml;q=0.5, text/yaml;q=0, */*;q=0.1', 'text/yaml'],
]

t.test('q-values, wildcards and specificity decide', async (t) => {
  for (const [accept, chosen] of table) t.equal(negotiate(accept, offered), chosen, String(accept))
})
