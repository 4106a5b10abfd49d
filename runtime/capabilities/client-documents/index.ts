/** Clients that are described by a document at their id (`clientIdMetadataDocuments`). */
import type { Capability } from '../../boot/capability.ts'
import { documentSettings } from './settings.ts'

export const clientDocuments: Capability = {
  name: 'client-documents',
  settings: documentSettings,
  isUsed: ({ config, environment }) =>
    documentSettings.read(config.written).clientIdMetadataDocuments ??
    environment.baseUrl.startsWith('https:'),
  unused: null,
  start: async (core) => (await import('./start.ts')).startClientDocuments(core),
}
