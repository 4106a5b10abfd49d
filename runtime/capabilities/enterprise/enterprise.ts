/** An identity provider that may let clients act for users without asking them: their enterprise has decided it. */
import type { ClientKeys } from '../../oauth/assertions/verifying-keys.ts'
import type { EnterpriseConfig } from './settings.ts'

export interface Enterprise extends EnterpriseConfig {
  /** As configured: what the provider itself says is compared to the letter. */
  readonly issuer: string
  readonly trustEmail: boolean
  readonly signing: {
    /** To the letter. Rejects when the provider cannot be asked. */
    issuer(): Promise<string>
    readonly keys: ClientKeys
  }
}

// What the drafts behind enterprise-managed authorization call things. Source: MCP ext-auth, Enterprise-Managed Authorization (stable);
// draft-ietf-oauth-identity-assertion-authz-grant-04, 3.1, 4.4 and 7.2; RFC 7523, 2.1.

export const jwtBearerGrant = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** `typ` of an assertion. */
export const assertionTypes: ReadonlySet<unknown> = new Set(['oauth-id-jag+jwt'])

/** Among the capabilities of the MCP endpoint. */
export const mcpExtension = 'io.modelcontextprotocol/enterprise-managed-authorization'
