import type { Counter } from '../../boot/watching.ts'

export const approvalCounter: Counter = {
  name: 'acmcp.approvals',
  unit: '{approval}',
  description: 'What became of calls that a person must approve, by what happened.',
  attribute: 'acmcp.approval.action',
}
