/** Which redirect URIs are safe, and which match a registered one. Source: rules.md, Register; rules.md, OAuth; RFC 8252, 7.3
 *  and 8.3. */
import fc from 'fast-check'
import t from 'tap'
import {
  isLoopbackRedirectUri,
  isRegisteredRedirectUri,
  isSafeRedirectUri,
  withQuery,
} from '../../../runtime/oauth/clients/redirect-uri.ts'

const cb = 'https://client.example/cb'

/** Address → whether it is safe, whether it is loopback, and why. */
const table: readonly (readonly [uri: string, safe: boolean, loopback: boolean, why: string])[] = [
  [cb, true, false, 'https'],
  ['HTTPS://X.EXAMPLE', true, false, 'upper case scheme and host'],
  ['https://x.example:8443/a?b=c', true, false, 'port and query'],
  ['https://user:pw@x.example/', true, false, 'https: any host, as the rules say'],
  ['https://10.0.0.1/', true, false, 'https on an address'],
  ['https://xn--80ak6aa92e.example/', true, false, 'an IDN in its own letters'],
  ['https://\u0430pple.example/', true, false, 'a homoglyph host: https; the consent page shows xn--…'],
  ['https://x.example/%2e%2e/', true, false, 'encoded dots stay text'],
  ['http://localhost', true, true, 'loopback name'],
  ['http://LOCALHOST:80/a', true, true, 'case of a host does not matter'],
  ['HTTP://localhost/', true, true, 'case of a scheme does not matter'],
  ['http://127.0.0.1:1/', true, true, 'loopback address'],
  ['http://127.0.0.1?x', true, true, 'a query without a path'],
  ['http://[::1]:65535/a', true, true, 'loopback of IPv6'],
  ['http://localhost/..%2f', true, true, 'encoded dots in a path'],
  ...['\u115f', '\u3164', '\u1160', '\uffa0', '\u034f', '\u180b', '\u2800', '\ufe0f', '\u{e0100}'].map(
    (unseen) => [`https://x.example/${unseen}`, false, false, 'a character that shows nothing'] as const,
  ),
  ['', false, false, 'empty'],
  ['cb', false, false, 'relative'],
  ['/cb', false, false, 'a path'],
  ['//x.example', false, false, 'without a scheme'],
  ['https:x', false, false, 'without slashes'],
  ['https:/x.example', false, false, 'one slash'],
  ['https:\\\\x.example', false, false, 'backslashes for slashes'],
  ['https://', false, false, 'no host'],
  ['https://x.example\\@evil.example/', false, false, 'a backslash that parsers read differently'],
  ['https://x.example/\\evil', false, false, 'a backslash in the path'],
  ['https://[::1', false, false, 'an unclosed address'],
  ['https://x.example:99999/', false, false, 'no such port'],
  ['https://a b.example/', false, false, 'a space'],
  ['ftp://localhost/', false, true, 'another scheme'],
  ['javascript:alert(1)', false, false, 'a script'],
  ['data:text/html,x', false, false, 'data'],
  ['file:///etc/passwd', false, false, 'a file'],
  ['app.example:/cb', false, false, 'a private-use scheme'],
  ['urn:ietf:wg:oauth:2.0:oob', false, false, 'out of band'],
  ['http://x.example/', false, false, 'http elsewhere'],
  ['http://127.1/', false, false, 'a short form that parsers complete to 127.0.0.1'],
  ['http://127.0.0.01/', false, false, 'an octal form'],
  ['http://0x7f.0.0.1/', false, false, 'a hexadecimal form'],
  ['http://0x7f000001/', false, false, 'one hexadecimal number'],
  ['http://2130706433/', false, false, 'one decimal number'],
  ['http://127.0.0.1./', false, false, 'a closing dot'],
  ['http://localhost./', false, false, 'a closing dot after the name'],
  ['http://127.0.0.2/', false, false, 'another loopback address'],
  ['http://127.0.0.1.evil.example/', false, false, 'a name that begins like the address'],
  ['http://localhost.evil.example/', false, false, 'a name that begins like localhost'],
  ['http://evil-localhost/', false, false, 'a name that ends like localhost'],
  ['http://localhost@evil.example/', false, false, 'the name as userinfo'],
  ['http://localhost:80@evil.example/', false, false, 'name and port as userinfo'],
  ['http://user@localhost/', false, false, 'userinfo before the name'],
  ['http://@localhost/', false, false, 'empty userinfo'],
  ['http://localhost\\@evil.example/', false, false, 'a backslash before userinfo'],
  ['http://localhost%2eevil.example/', false, false, 'an encoded dot in the host'],
  ['http://127%2e0%2e0%2e1/', false, false, 'encoded dots that parsers decode to 127.0.0.1'],
  ['http://%6cocalhost/', false, false, 'an encoded letter'],
  ['http://\u24dbocalhost/', false, false, 'a letter that parsers fold to l'],
  ['http://\uff11\uff12\uff17.0.0.1/', false, false, 'full-width digits that parsers fold to 127'],
  ['http://127\u30020\u30020\u30021/', false, false, 'ideographic full stops that parsers fold to dots'],
  ['http://localh\u00ad\u00adost/', false, false, 'soft hyphens that parsers drop'],
  ['http://localhost:99999/', false, true, 'no such port'],
  ['http://localhost:/', false, false, 'a port without digits'],
  ['http://localhost:8a/', false, false, 'a port with a letter'],
  ['http://[::]/', false, false, 'the unspecified address'],
  ['http://[0:0:0:0:0:0:0:1]/', false, false, 'the long form of ::1'],
  ['http://[::ffff:127.0.0.1]/', false, false, 'IPv4 inside IPv6'],
  ['http://0.0.0.0/', false, false, 'every interface'],
  [`${cb}#`, false, false, 'an empty fragment'],
  [`${cb}#a`, false, false, 'a fragment'],
  ['http://localhost/#a', false, true, 'a fragment on loopback'],
  [` ${cb}`, false, false, 'a space before'],
  [`${cb} `, false, false, 'a space after'],
  [`${cb}\n`, false, false, 'a line feed after'],
  [`${cb}\r\nset-cookie:a=b`, false, false, 'a header of its own'],
  ['ht\ttps://x.example/', false, false, 'a tab that parsers drop'],
  ['https://x.ex\tample/', false, false, 'a tab in the host'],
  ['https://x.example/\u0000', false, false, 'NUL'],
  ['https://x.example/\u00a0', false, false, 'a no-break space'],
  ['https://x.example/\u202egpj', false, false, 'text that runs backwards'],
  ['https://x.example/\u200b', false, false, 'a zero-width space'],
  ['\ufeffhttps://x.example/', false, false, 'a byte order mark'],
]

t.test(
  'spec, Register; decisions, safe redirect URI: it is safe when it is https, or http on loopback by its text',
  async (t) => {
    for (const [uri, safe, loopback, why] of table) {
      t.strictSame(
        [isSafeRedirectUri(uri), safe && isLoopbackRedirectUri(uri)],
        [safe, safe && loopback],
        `${JSON.stringify(uri)}: ${why}`,
      )
    }
  },
)

t.test(
  'safe redirect URIs: whatever is accepted is https, or http on a loopback host as a browser reads it',
  async (t) => {
    const piece = fc.constantFrom(
      'http',
      'https',
      'HTTP',
      ':',
      '//',
      '/',
      '\\',
      '@',
      '#',
      '?',
      ' ',
      '\t',
      '\n',
      '.',
      '%2f',
      '%40',
      'localhost',
      '127.0.0.1',
      '127.1',
      '[::1]',
      'evil.example',
      ':80',
      'javascript',
      '０',
      'ⓛocalhost',
      '\u0000',
    )
    const uri = fc.oneof(
      fc.string(),
      fc.webUrl(),
      fc.array(piece, { maxLength: 9 }).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(uri, (text) => {
        if (!isSafeRedirectUri(text)) return true
        const { protocol, hostname, username, hash } = new URL(text)
        if (hash !== '' || text.includes('#')) return false
        if (protocol === 'https:') return true
        return (
          protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname) && username === ''
        )
      }),
      { numRuns: 20_000, seed: 1 },
    )
    t.pass('no counterexample')
  },
)

/** Registered → asked for → whether it is the same, and why. */
const matches: readonly (readonly [registered: string, asked: string, same: boolean, why: string])[] = [
  [cb, cb, true, 'the same text'],
  ['http://127.0.0.1:1/cb?a=1', 'http://127.0.0.1:5/cb?a=1', true, 'another port on loopback'],
  ['http://127.0.0.1:1/cb?a=1', 'http://127.0.0.1/cb?a=1', true, 'no port on loopback'],
  ['http://localhost/cb', 'http://localhost:65535/cb', true, 'a port where none was'],
  ['http://[::1]:1/cb', 'http://[::1]:2/cb', true, 'IPv6 loopback'],
  ['http://127.0.0.1:1/cb?a=1', 'http://127.0.0.1:5/cb', false, 'without the query'],
  ['http://127.0.0.1:1/cb?a=1', 'http://127.0.0.1:5/cb?a=2', false, 'another query'],
  ['http://localhost/cb', 'http://localhost:1/cb/', false, 'a slash more'],
  ['http://localhost/cb', 'http://localhost:1/cB', false, 'another case in the path'],
  ['http://localhost/cb', 'http://LOCALHOST/cb', false, 'another case in the host: the port only may differ'],
  ['http://localhost/cb', 'http://localhost:99999/cb', false, 'no such port'],
  ['http://localhost/cb', 'http://localhost:1/x/../cb', false, 'dots that lead to the same path'],
  ['http://localhost/cb', 'http://127.0.0.1/cb', false, 'another loopback name'],
  ['http://localhost/cb', 'http://[::1]:1/cb', false, 'another loopback address'],
  ['http://localhost/cb', 'https://localhost/cb', false, 'another scheme'],
  ['http://localhost/cb', 'http://localhost:1@evil.example/cb', false, 'the port as a password'],
  ['https://localhost/cb', 'https://localhost:1/cb', false, 'https has no free port'],
  [cb, 'https://client.example:444/cb', false, 'another port'],
  [cb, 'https://client.example:443/cb', false, 'the default port, written'],
  [cb, 'https://CLIENT.example/cb', false, 'another case'],
  [cb, `${cb}/`, false, 'a slash more'],
  [cb, `${cb}?`, false, 'an empty query'],
  [cb, `${cb}?next=https://evil.example`, false, 'a query more'],
  [cb, 'https://client.example/cb/../cb', false, 'dots'],
  [cb, 'https://client.example/c%62', false, 'an encoded letter'],
  [cb, 'https://client.example.evil.example/cb', false, 'a longer host'],
  [cb, 'https://client.example@evil.example/cb', false, 'the host as userinfo'],
  [cb, '', false, 'nothing'],
  ['http://evil.example/', 'http://evil.example/', false, 'an unsafe address that was stored all the same'],
]

t.test(
  'decisions, matching a registered redirect URI: it matches exactly, on loopback http with any port',
  async (t) => {
    for (const [registered, requested, same, why] of matches) {
      t.equal(
        isRegisteredRedirectUri(requested, [registered], null),
        same,
        `${registered} ~ ${requested}: ${why}`,
      )
    }
  },
)

t.test('spec, Authorize 8 and 9: redirects keep the query and omit empty values', async (t) => {
  t.strictSame(
    [
      withQuery('https://x.example/', { code: 'a b', state: '' }),
      withQuery('https://x.example?k=%20v&k=2', { code: 'c', state: 's&t' }),
      withQuery('https://x.example/?', { code: 'c' }),
      withQuery('https://x.example/ü?ö=1', { code: 'c' }),
      withQuery('https://x.example/', { code: '' }),
    ],
    [
      'https://x.example/?code=a+b',
      'https://x.example?k=%20v&k=2&code=c&state=s%26t',
      'https://x.example/?code=c',
      'https://x.example/%C3%BC?%C3%B6=1&code=c',
      'https://x.example/',
    ],
  )
})
