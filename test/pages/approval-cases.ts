/** The page of an approval: waiting, with long texts, decided, and gone. */
import {
  type ApprovalView,
  approvalGonePage,
  approvalPage,
  type WaitingCall,
} from '../../runtime/capabilities/approval/page.ts'
import type { PageCase } from './cases.ts'

const service = { name: 'Orders', host: 'orders.example' }

const waiting: ApprovalView = {
  service,
  userName: 'Ada Lovelace',
  client: 'Claude Code',
  clientHost: null,
  isSetUpHere: false,
  sentence: 'Delete order 4711 and refund 300',
  name: 'orders_remove',
  arguments: [
    { name: 'id', text: '4711' },
    { name: 'amount', text: '300' },
    { name: 'pin', text: '••••••' },
  ],
  askedAt: '2026-11-27T10:00:00.000Z',
  until: '2026-11-27T10:10:00.000Z',
  minutesLeft: 8,
  decision: null,
  decided: null,
  hasRun: false,
  asksSignIn: false,
  notice: null,
  address: '/auth/approvals/3q2-7wAAAAAAAAAAAAAAAA',
  shown: 'a digest',
}

const extraordinary = `An ${'extraordinarily '.repeat(5)}long assistant Donaudampfschifffahrtselektrizitätenhauptbetriebswerk`

const long: ApprovalView = {
  ...waiting,
  client: extraordinary,
  clientHost: 'a-client-with-a-rather-long-name.department.company.example',
  sentence: `Write “${'Dear customer, we are sorry to say '.repeat(5)}…” to somebody`,
  name: 'messages_send_to_everybody_whom_somebody_knows_at_any_time_of_the_day',
  arguments: [
    { name: 'to', text: 'somebody@company.example' },
    { name: 'text', text: 'Dear customer, we are sorry to say that it takes longer.\n'.repeat(40) },
    { name: 'a_very_long_name_of_an_argument_that_nobody_would_write', text: 'x'.repeat(200) },
    { name: 'options', text: '{\n  "urgent": true,\n  "copies": [\n    "1",\n    "2"\n  ]\n}' },
    { name: 'empty', text: '' },
  ],
  minutesLeft: 1,
  asksSignIn: true,
  notice: 'unusable',
}

const approved: ApprovalView = {
  ...waiting,
  client: null,
  decision: 'approved',
  decided: '2026-11-27T10:02:00.000Z',
}

export const waitingCalls: readonly WaitingCall[] = [
  { ...waiting, askedAt: waiting.askedAt },
  { ...long, client: null },
].map(({ address, client, sentence, askedAt }) => ({ address, client, sentence, askedAt }))

const gone = approvalGonePage({ service, userName: 'Ada Lovelace', address: waiting.address })

const pages: readonly (readonly [string, string])[] = [
  ['approval', approvalPage(waiting)],
  ['approval-long', approvalPage(long)],
  ['approval-approved', approvalPage(approved)],
  ['approval-gone', gone],
]

export const approvalCases: readonly PageCase[] = pages.map(([name, text]) => ({
  name,
  open: async (page, scene) => page.goto(await scene.show(text)),
}))
