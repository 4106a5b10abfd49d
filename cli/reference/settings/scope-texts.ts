/** What the settings of scopes mean, by path. */
import type { SettingText } from './setting-text.ts'

export const scopeSettings: Readonly<Record<string, SettingText>> = {
  'scopes.*.text': {
    meaning:
      "What the scope lets a client do, in words that finish \"It may …\". A text alone is the same: `'notes:read': 'see your notes'`. Required.",
    example: "'see your notes'",
    default: 'none',
  },
  'scopes.*.implies': {
    meaning: 'Scopes that come with this one, and what they imply.',
    example: "['notes:read']",
    default: 'none',
  },
  'scopes.*.sensitive': {
    meaning: 'The scope is no part of `api`: a client must ask for it by name, and its user tick it.',
    example: 'true',
    default: 'false',
  },
  'scopes.*.mayHave': {
    meaning:
      'Whether this user can be asked for the scope at all: a function of the user and the services, called at consent and at each refresh.',
    example: "(user) => user.email?.endsWith('@example.org') === true",
    default: 'everybody can',
  },
  verifyToken: {
    meaning:
      "The application's own check of a bearer token that our keys did not sign: a function of the token and the request that resolves with whose it is and what it may do, or null. Signature, issuer, audience and time are its duty.",
    example: 'async (token) => verifyAtMyIssuer(token)',
    default: 'routes with `@scope` take no such token',
  },
}
