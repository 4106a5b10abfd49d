/** The fields of `mcp.serverCard`. Source: SEP-2127 (a draft), schema of 2026-11. */
import type { ServerCard } from '../../contract/mcp.ts'
import { type Check, checkFields, describedCheck, type Fields, fieldsOf, is } from './checks.ts'

const matches = (expected: string, pattern: RegExp, most: number): Check =>
  is(expected, (value) => typeof value === 'string' && value.length <= most && pattern.test(value))

const name = matches(
  "a reversed domain and a name, such as 'org.example/orders'",
  /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/,
  200,
)
const description = matches('a text of 100 characters at most', /\S/, 100)
const website = is(
  'an http or https address',
  (value) => typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value),
)

const fields: Fields = fieldsOf<ServerCard>({ name, description, websiteUrl: website })

/** Name and description must be there. */
export const serverCard: Check = describedCheck('an object with name and description', (at, value) => {
  checkFields(at, value, fields)
  const { name: cardName, description: text } = { name: undefined, description: undefined, ...Object(value) }
  name(`${at}.name`, cardName)
  description(`${at}.description`, text)
})
