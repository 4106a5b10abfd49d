/** What our own pages need of the authorization server to sign a user in: what every public client needs. */
export interface PageSignIn {
  readonly clientId: string
  readonly issuer: string
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  readonly revocationEndpoint: string
  readonly scope: string
}
