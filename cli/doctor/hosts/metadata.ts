/** What records of several clients have in common. */
import { type KnownHost, type PublishedMetadata, unpublished } from './host.ts'

export const bothGrants: readonly string[] = ['authorization_code', 'refresh_token']

export const publicClient: Pick<PublishedMetadata, 'grant_types' | 'token_endpoint_auth_method'> & {
  readonly response_types: readonly string[]
} = {
  grant_types: bothGrants,
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}

/** Of each client of which nothing else is published. */
export const unlessPublished: Omit<KnownHost, 'name' | 'ways'> = {
  scope: null,
  sendsResource: unpublished,
  headers: unpublished,
  revision: unpublished,
  elicitation: unpublished,
  answerCharacters: unpublished,
  dialect: null,
}
