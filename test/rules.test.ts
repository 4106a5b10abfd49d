/** Each rule of the specification's sections on the endpoint and authorization and each row of decisions.md, OAuth and MCP,
 *  is named by a test: this list against the titles of all tests. Source: issue 5, 1; issue 6. */
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'

/** The beginning of the title of a test that shows the rule; what a range names counts for each of its numbers. */
const specification: readonly string[] = [
  ...[1, 2, 3, 4, 5, 6, 7].map((rule) => `What the service does ${rule}`),
  'Metadata',
  'Register',
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((rule) => `Authorize ${rule}`),
  ...[1, 2, 3, 4, 5, 6, 7].map((rule) => `Token ${rule}`),
  'Sign-in',
  'Protected API',
  'User',
  'Limits',
  'Production expectations',
  'Authorization server settings',
  'OAuth sign-in flow 3 to 6',
  ...[1, 2, 3, 4, 5].map((rule) => `Authentication ${rule}`),
]

const decisions: readonly string[] = [
  'redirect status and iss',
  'token and revocation body',
  'missing required OAuth parameter',
  'every defect',
  'token rule 6',
  'single use',
  'SQLite',
  'token text',
  'second use of a code',
  'second use of a refresh token',
  'registration without response_types / grant_types',
  'safe redirect URI',
  'matching a registered redirect URI',
  'aud',
  'client ID metadata documents',
  'revocation (RFC 7009, 2.1',
  'keys',
  'consent and sign-in pages',
  'discovery',
  'rate limits',
  'identity providers',
  'Environment',
  'easy to miss',
  // MCP
  'revisions',
  '401',
  'protected resource metadata',
  'authentication cache',
  'what is listed',
  'close_toolbox',
  'resourceMetadata without authProbe and authenticator',
  'tool names',
  'results',
  'notification stream',
  'mcp.yml',
  'origins',
  'batches of 2025-03-26',
]

const folder = new URL('../../test/', import.meta.url)
const sources = readdirSync(folder, { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.ts') && name !== 'rules.test.ts')
  .map((name) => readFileSync(new URL(name, folder), 'utf8'))

/** What tests say they show: the texts between `page` and the colon (or bracket) after it. */
function headsOf(page: 'spec' | 'decisions'): readonly string[] {
  const heads = sources.flatMap((source) => [...source.matchAll(new RegExp(`${page}, ([^\\n:;)]*)`, 'g'))])
  return heads.map(([, head = '']) => head)
}

/** A range names each of its numbers: `Authorize 1 to 5` names `Authorize 3`, `Token 2 and 7` names `Token 7`. */
function namesRule(head: string, rule: string): boolean {
  const [, section = rule, number = ''] = /^(.*?)(?: (\d))?$/.exec(rule) ?? []
  if (!head.startsWith(section)) return false
  const numbers = head.slice(section.length)
  const [, from = '', to = ''] = /(\d) to (\d)/.exec(numbers) ?? []
  return numbers.includes(number) || (from <= number && number <= to)
}

t.test('every rule of the specification is named by a test', async (t) => {
  t.strictSame(
    specification.filter((rule) => !headsOf('spec').some((head) => namesRule(head, rule))),
    [],
  )
})

t.test('every row of decisions.md, OAuth and MCP, is named by a test', async (t) => {
  t.strictSame(
    decisions.filter((row) => !headsOf('decisions').some((head) => head.includes(row))),
    [],
  )
})
