/** What the settings of the audit mean, by path. */
import type { SettingText } from './setting-text.ts'

export const auditTexts: Readonly<Record<string, SettingText>> = {
  'audit.enabled': {
    meaning:
      'Whether tool calls and changes of access are recorded in the table `acmcp_audit`, which `acmcp audit` reads. Without it nobody sees when a client was used last, and a route with `@audit strict` does not start.',
    example: 'false',
  },
  'audit.keepDays': {
    meaning:
      'How long rows of the audit are kept. Older ones are removed by the purge, and by `acmcp store purge`.',
    example: '90',
    unit: 'days; false keeps them for good',
  },
}
