import { AuthServerError } from '../errors.ts'

/** The codes that we raise ourselves, each with its usual status. Sources: RFC 6749, 4.1.2.1 and 5.2; RFC 7009, 2.1 and 2.2.1;
 *  RFC 7591, 3.2.2; RFC 8707, 2. */
const statuses = {
  access_denied: 403,
  invalid_client: 401,
  invalid_client_metadata: 400,
  invalid_grant: 400,
  invalid_request: 400,
  invalid_scope: 400,
  invalid_target: 400,
  server_error: 500,
  temporarily_unavailable: 503,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
} as const

export type OAuthErrorCode = keyof typeof statuses

/** An error of ours. What an application raises may have any code (`AuthServerError`; rules.md, Token 6). */
export class OAuthError extends AuthServerError {
  constructor(code: OAuthErrorCode, description: string = code, status: number = statuses[code]) {
    super(code, description, status)
  }
}

/** The same words for every kind of wrong. */
export const invalidGrant = (): OAuthError =>
  new OAuthError('invalid_grant', 'the code or refresh token is not valid')
