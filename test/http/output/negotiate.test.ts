/** Source: RFC 9110, section 12.5.1; reference/pipeline-and-exceptions, W10. */
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
]

t.test('W10: q-values, wildcards and specificity decide, and decide alike when asked again', async (t) => {
  for (const [accept, chosen] of [...table, ...table])
    t.equal(negotiate(accept, offered), chosen, String(accept))
})

t.test('answers are kept per list of offers, and a flood of headers changes nothing', async (t) => {
  const others: readonly string[] = ['text/yaml']
  t.equal(negotiate('*/*', others), 'text/yaml')
  for (let index = 0; index < 2000; index++) negotiate(`text/x${index}, */*;q=0.1`, offered)
  t.equal(negotiate(`text/yaml${' '.repeat(10_000)}`, offered), 'text/yaml')
  for (const [accept, chosen] of table) t.equal(negotiate(accept, offered), chosen)
})
