/** Request logs never hold a secret. Source: rules.md, Security requirements. */
import fc from 'fast-check'
import t from 'tap'
import { maskedByDefault, redactText, redactUrl } from '../../../runtime/http/log/redact.ts'

const names = new Set(maskedByDefault)

t.test('code, code_verifier, refresh_token and state are masked with their whole value', async (t) => {
  t.equal(redactUrl('/cb?code=a=b&x=1&state=s#f', names), '/cb?code=[FILTERED]&x=1&state=[FILTERED]')
  t.equal(
    redactUrl('/t?code%5Fverifier=v&refresh_token=r', names),
    '/t?code%5Fverifier=[FILTERED]&refresh_token=[FILTERED]',
  )
  t.equal(redactUrl('/plain', names), '/plain')
})

t.test('a masked address never contains the secret, however it is encoded', async () => {
  const secret = fc.stringMatching(/^[A-Za-z0-9]{12,40}$/)
  fc.assert(
    fc.property(secret, fc.constantFrom(...maskedByDefault), fc.boolean(), (value, name, isEncoded) => {
      const written = isEncoded ? [...name].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('') : name
      return !redactUrl(`/x?a=1&${written}=${value}&b=2`, names).includes(value)
    }),
  )
})

t.test(
  'security of the log: a masked parameter inside the value of another is masked, encoded too',
  async (t) => {
    const table: readonly (readonly [string, string])[] = [
      ['/a?next=/cb?code=X&b=1', '/a?next=/cb?code=[FILTERED]&b=1'],
      ['/a?next=%2Fcb%3Fcode%3DX', '/a?next=[FILTERED]'],
      ['/a?next=%252Fcb%253Fx%253D1%2526state%253DX&b=%2F', '/a?next=[FILTERED]&b=%2F'],
      ['/a?next=https://b.example/%23access%5Ftoken%3DX', '/a?next=[FILTERED]'],
      ['/a?next=%2Fcb%3Fpage%3D2%26sort%3Dup', '/a?next=%2Fcb%3Fpage%3D2%26sort%3Dup'],
      ['/a?q=100%&b=50%25', '/a?q=100%&b=50%25'],
      ['/a?CODE=X&Refresh_Token=Y', '/a?CODE=[FILTERED]&Refresh_Token=[FILTERED]'],
      ['/a?code[]=X&code[0]=Y&a[token]=Z', '/a?code[]=[FILTERED]&code[0]=[FILTERED]&a[token]=[FILTERED]'],
      ['/a?code%5B0%5D=X&a.state=Y', '/a?code%5B0%5D=[FILTERED]&a.state=[FILTERED]'],
      ['/a?a=1&amp;code=X', '/a?a=1&amp;code=[FILTERED]'],
      ['/a?next=%2Fcb%3FCode%3DX', '/a?next=[FILTERED]'],
      [
        '/a?postcode=1&Codes=2&token_type=3&statement[0]=4',
        '/a?postcode=1&Codes=2&token_type=3&statement[0]=4',
      ],
    ]
    for (const [sent, shown] of table) {
      t.equal(redactUrl(sent, names), shown)
      t.equal(redactText(`at ${sent} failed`, names), `at ${shown} failed`)
    }
  },
)

/** A text that holds a secret, as it is told of it. */
const holding: readonly (readonly [name: string, holding: (secret: string) => string])[] = [
  ['a field', (secret) => `code=${secret} and more`],
  ['a field of a long name', (secret) => `code%5Fverifier=${secret}&b=1`],
  ['an address', (secret) => `https://a.example/cb?x=1#access_token=${secret}`],
  ['an encoded address', (secret) => `next=%2Fcb%3Fcode%3D${secret}%26b%3D1`],
  ['one that is encoded twice', (secret) => `next=%252Fcb%253Fcode%253D${secret}`],
  ['JSON', (secret) => `{"client_secret": "${secret}", "b": 1}`],
  ['JSON with a quotation mark in its value', (secret) => `{"token":"\\"${secret}\\\\","b":"c"}`],
]

t.test('wherever a long text is cut, nothing of a secret is left, and the cut is said', async (t) => {
  const secret = 'S3cr3tV4lu3'
  const length = 400
  for (const [name, write] of holding) {
    const text = write(secret)
    for (let cut = 1; cut < text.length; cut += 1) {
      const shown = redactText(`${' '.repeat(length - cut)}${text}`, names, length)
      t.notMatch(shown, 'S3', `${name}, cut behind ${JSON.stringify(text.slice(0, cut))}`)
      t.ok(shown.endsWith(`… (${text.length - cut} more characters)`), shown)
    }
  }
  const path = `/${'a'.repeat(8000)}?`
  for (let more = 1; more < 400; more += 1)
    t.notMatch(redactUrl(`${path}${'b'.repeat(more)}=1&code=${secret}`, names), 'S3', 'an address')
})

t.test('an address with thousands of marks loses its secrets', async (t) => {
  const marks = `/x?${'#'.repeat(8000)}`
  t.equal(redactUrl(`${marks}code=c&a=1#state=s`, names), `${marks}code=[FILTERED]&a=1#state=[FILTERED]`)
})
