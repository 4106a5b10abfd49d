/** The rules of the contract: their page, and what `acmcp explain` prints of one. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { allRules } from '../../../cli/capabilities/contract/rules.ts'
import { acmcpHere } from '../support/here.ts'

const flows = { input: 'sent', output: 'answered' } as const

t.test('the page has each rule, and no other', (t) => {
  const rows = readFileSync('templates/docs/contract.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `CON'))
  const expected = allRules.map(
    ({ id, class: changeClass, flow, text }) =>
      `| \`${id}\` | ${changeClass} | ${flow === null ? '' : flows[flow]} | ${text} |`,
  )
  t.same(rows, expected)
  t.same(new Set(allRules.map(({ id }) => id)).size, allRules.length, 'each id is of one rule')
  t.end()
})

t.test('acmcp explain prints one', async (t) => {
  t.same(await acmcpHere('.', {}, 'explain', 'CON012'), {
    status: 0,
    stdout: `CON012 (rule of the contract)

  Values that were taken are refused: another type, or a narrower bound.

  class       breaking
  of what is  sent
`,
    stderr: '',
  })
})
