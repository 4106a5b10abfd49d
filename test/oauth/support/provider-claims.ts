/** ID tokens as well-known providers document them, ids made up. */

/** After learn.microsoft.com, ID token claims reference and "Configure group claims" (`groups` are object ids; `_claim_names` above 200). */
export const entra = {
  ver: '2.0',
  tid: '9122040d-6c67-4c5b-b112-36a304b66dad',
  oid: '6c6d3e09-1e2c-4d45-9d0d-2f0e8a0f3a11',
  name: 'Ada Lovelace',
  preferred_username: 'ada@example.test',
  rh: '0.AAAA',
  uti: 'Lx4',
  roles: ['Reports.Admin'],
  groups: ['0d4f1e6b-8a34-4a5c-8a0f-0b9a3f6c1d2e', '5f2c7b1a-3c1d-4a9e-8b7e-1f0d2c3b4a59'],
} as const

export const entraOverage = {
  ver: '2.0',
  tid: '9122040d-6c67-4c5b-b112-36a304b66dad',
  oid: '6c6d3e09-1e2c-4d45-9d0d-2f0e8a0f3a11',
  name: 'Ada Lovelace',
  _claim_names: { groups: 'src1' },
  _claim_sources: {
    src1: { endpoint: 'https://graph.windows.net/9122040d/users/6c6d3e09/getMemberObjects' },
  },
} as const

/** After developer.okta.com, "Customize tokens returned from Okta with a groups claim" and the OpenID Connect reference. */
export const okta = {
  ver: 1,
  amr: ['pwd', 'mfa'],
  idp: '00o1a2b3c4',
  auth_time: 1_700_000_000,
  at_hash: 'preyJ0aGFzaA',
  name: 'Ada Lovelace',
  email: 'ada@example.test',
  email_verified: true,
  preferred_username: 'ada',
  groups: ['Everyone', 'staff'],
} as const

/** After keycloak.org, Server Administration, protocol mappers "User Realm Role" and "Group Membership" with "Add to ID token". */
export const keycloak = {
  typ: 'ID',
  azp: 'us',
  acr: '1',
  sid: '2a88c258-f73a-4103-b862-e1fbd8f4e04e',
  auth_time: 1_700_000_000,
  name: 'Ada Lovelace',
  preferred_username: 'ada',
  email: 'ada@example.test',
  email_verified: true,
  realm_access: { roles: ['offline_access', 'default-roles-demo', 'admins'] },
  resource_access: { account: { roles: ['manage-account'] } },
  groups: ['/staff', '/staff/berlin'],
} as const
