/** `@approval`: a person decides about each call. */
import type { Feature } from '../../compiler/feature.ts'
import { classes, once, requests } from '../../compiler/read/language.ts'
import { approvalsFit } from './check.ts'
import { approvalOperation } from './document.ts'
import { readApproval } from './read.ts'
import { type ApprovalTag, approvalName, approvalTagOf, requiredOf } from './tag.ts'
import { reportUnapprovedInputs } from './unapproved-inputs.ts'

export const approvalFeature: Feature<ApprovalTag, ApprovalTag> = {
  ...approvalName,
  word: once('none|[unless=session] sentence', [...classes, ...requests]),
  alsoCalled: ['approve', 'confirm', 'confirmation', 'humanintheloop'],
  place: 'access',
  read: readApproval,
  lint: reportUnapprovedInputs,
  link: approvalTagOf,
  check: approvalsFit,
  row: (tag) => ({ approval: requiredOf(tag) }),
  lines: (tag) => ({ approval: requiredOf(tag) }),
  call: () => ({ approval: true }),
  operation: approvalOperation,
  tool: ({ sentence }) => ({ sentences: [`A person must approve each call first: "${sentence}".`] }),
}
