/** An identity provider that may let clients act for users whom nobody asks: their enterprise has decided it. */
import type { EnterpriseConfig } from '../../contract/application.ts'
import type { ClientKeys } from '../machines/verifying-keys.ts'

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
