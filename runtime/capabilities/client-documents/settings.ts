/** The setting `clientIdMetadataDocuments`. */
import { flag } from '../../boot/settings/checks.ts'
import { type Group, group, type Optional, settingOrNull } from '../../boot/settings/setting.ts'

export class DocumentTable {
  /** Whether an https URL may be a `client_id`; default: when the base URL is https. `true` with a loopback base URL also
   *  fetches documents from this machine. */
  readonly clientIdMetadataDocuments: Optional<boolean> = settingOrNull(flag)
}

export const documentSettings: Group<DocumentTable> = group(new DocumentTable())
