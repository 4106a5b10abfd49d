/** Request logs never hold a secret. Source: rules.md, Security requirements. */
import fc from 'fast-check'
import t from 'tap'
import { maskedByDefault, maskText, maskUrl } from '../../../runtime/http/log/redact.ts'

const names = new Set(maskedByDefault)

t.test('code, code_verifier, refresh_token and state are masked with their whole value', async (t) => {
  t.equal(maskUrl('/cb?code=a=b&x=1&state=s#f', names), '/cb?code=[FILTERED]&x=1&state=[FILTERED]')
  t.equal(
    maskUrl('/t?code%5Fverifier=v&refresh_token=r', names),
    '/t?code%5Fverifier=[FILTERED]&refresh_token=[FILTERED]',
  )
  t.equal(maskUrl('/plain', names), '/plain')
})

t.test('a masked address never contains the secret, however it is encoded', async () => {
  const secret = fc.stringMatching(/^[A-Za-z0-9]{12,40}$/)
  fc.assert(
    fc.property(secret, fc.constantFrom(...maskedByDefault), fc.boolean(), (value, name, isEncoded) => {
      const written = isEncoded ? [...name].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('') : name
      return !maskUrl(`/x?a=1&${written}=${value}&b=2`, names).includes(value)
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
    ]
    for (const [sent, shown] of table) {
      t.equal(maskUrl(sent, names), shown)
      t.equal(maskText(`at ${sent} failed`, names), `at ${shown} failed`)
    }
  },
)

t.test('masking a long text is a matter of milliseconds: no message can hold the process up', async (t) => {
  for (const piece of ['a', 'a=', '"a', '"a":"', '%41', 'code=x ', '"code":"x",', 'a=?', '=%3Fa%3D']) {
    const from = process.cpuUsage()
    maskText(piece.repeat(300_000), names)
    const { user } = process.cpuUsage(from)
    t.ok(user < 2_000_000, `${piece}: ${user} µs`)
  }
  const marks = `/x?${'#'.repeat(100_000)}`
  t.equal(maskUrl(`${marks}code=c&a=1#state=s`, names), `${marks}code=[FILTERED]&a=1#state=[FILTERED]`)
})
