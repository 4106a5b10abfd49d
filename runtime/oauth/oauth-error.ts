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

/** What is said of an error beside the code. */
export interface OAuthRefusal {
  /** What was wrong, with what the client sent: in the log line, and in place of the description where the profile describes errors. */
  readonly reason: string
  /** The setting with which this server would take what is refused; null = none would. It stands in the log line. */
  readonly hint?: string | null
}

/** An error of ours. What an application raises may have any code (`AuthServerError`; rules.md, Token 6). */
export class OAuthError extends AuthServerError {
  readonly refusal: OAuthRefusal | null
  constructor(
    code: OAuthErrorCode,
    description: string = code,
    status: number = statuses[code],
    refusal: OAuthRefusal | null = null,
  ) {
    super(code, description, status)
    this.refusal = refusal
  }
}

/** One of a client that is not let in, with headers of the answer. */
export class ClientRefused extends OAuthError {
  readonly headers: Readonly<Record<string, string>>
  constructor(
    code: OAuthErrorCode,
    description: string,
    headers: Readonly<Record<string, string>>,
    status: number = statuses[code],
  ) {
    super(code, description, status)
    this.headers = headers
  }
}

/** An error whose answer has the description that the specification gives it. */
export const refused = (
  code: OAuthErrorCode,
  refusal: OAuthRefusal,
  description: string = code,
): OAuthError => new OAuthError(code, description, statuses[code], refusal)

/** The same words for every kind of wrong. */
export const invalidGrant = (): OAuthError =>
  new OAuthError('invalid_grant', 'the code or refresh token is not valid')
