/** Walks from outside the way that an MCP client takes to a tool call, step by step, as far as it leads. */
import { examineHosts, type HostFinding } from './hosts/examine-hosts.ts'
import { fetchAnswer } from './request.ts'
import {
  broken,
  type Condition,
  type DoctorOptions,
  type Finding,
  type Known,
  notTried,
  type ServerTime,
  type Visit,
  whySkipped,
} from './step.ts'
import { connectionTrouble, reach } from './steps/address.ts'
import { authorize, register } from './steps/authorization.ts'
import { compareClocks } from './steps/clock.ts'
import { examineEndpoint } from './steps/endpoint.ts'
import { askResource, askServer } from './steps/metadata.ts'
import {
  askForTools,
  askVersions,
  callTool,
  openLegacy,
  openStreams,
  sendLongMessage,
} from './steps/protocol.ts'
import { judgeProviders, type LoopbackListener, listenOnLoopback } from './steps/sign-in.ts'
import { askTokenEndpoint, findToken, giveBack, sendCredential } from './steps/token.ts'

/** What a step came to, under its name. */
export interface StepReport {
  readonly step: string
  readonly finding: HostFinding
}

interface Step {
  /** In the words of the protocol. */
  readonly name: string
  readonly needs: readonly Condition[]
  readonly run: (visit: Visit<Condition>) => Finding | Promise<Finding>
}

/** What it needs must be there before it runs; the first that is not says why the step is not tried. */
const step = <Need extends Condition>(
  name: string,
  needs: readonly Need[],
  run: (visit: Visit<NoInfer<Need>>) => Finding | Promise<Finding>,
): Step => ({ name, needs, run })

const signIn = ['protection', 'resource', 'server'] as const

/** In the order of the protocol; `listener` is where a browser comes back to. */
const stepsWith = (
  listener: LoopbackListener | null,
  examine: DoctorOptions['examineProviders'],
): readonly Step[] => [
  step('address', [], reach),
  step('endpoint', [], examineEndpoint),
  step('resource metadata', ['protection'], askResource),
  step('server metadata', ['protection', 'resource'], askServer),
  ...(examine === null ? [] : [step('identity provider', [], () => judgeProviders(examine))]),
  step('registration', signIn, (visit) =>
    register(visit, listener?.redirectUri ?? 'http://127.0.0.1/callback'),
  ),
  step('authorization', signIn, authorize),
  step('token endpoint', signIn, askTokenEndpoint),
  step('token', ['protection'], (visit) => findToken(visit, listener)),
  step('credential', ['protection'], sendCredential),
  step('initialize', ['admission'], openLegacy),
  step('discover', ['admission'], askVersions),
  step('tools/list', ['admission'], askForTools),
  step('tools/call', ['admission', 'tools'], callTool),
  step('long message', [], sendLongMessage),
  step('stream', ['admission'], openStreams),
  step('clock', [], compareClocks),
]

/** Tells each step's outcome as soon as it is there. What follows a broken link is not tried, but for the clock. */
export async function walk(options: DoctorOptions, onStep: (report: StepReport) => void): Promise<void> {
  const listener = options.showSignIn === null ? null : await listenOnLoopback()
  const times: ServerTime[] = []
  const ask = asking(options, times)
  let known: Known = { ...nothingKnown, endpoint: options.url }
  let isOver = false
  try {
    for (const next of stepsWith(listener, options.examineProviders)) {
      const isLate = isOver && (next.run !== compareClocks || times.length === 0)
      const finding = isLate ? notTried('') : await take(next, { known, options, times, ask })
      if (finding.state !== 'not tried') known = { ...known, ...finding.learned }
      if (finding.state === 'failed' && finding.isEnd) isOver = true
      onStep({ step: next.name, finding })
    }
    if (!isOver) await tellHosts({ known, options, times, ask }, onStep)
  } finally {
    listener?.close()
    await giveBack({ known, ask })
  }
}

const nothingKnown: Omit<Known, 'endpoint'> = {
  access: null,
  refused: null,
  resource: null,
  server: null,
  client: null,
  signInPage: null,
  token: null,
  session: null,
  revision: null,
  speaks: { legacy: false, modern: false },
  tools: null,
}

type Walking = Omit<Visit, 'signal'>

async function take({ needs, run }: Step, walking: Walking): Promise<Finding> {
  const { known, options } = walking
  const reason = whySkipped(needs, known)
  if (reason !== null) return notTried(reason)
  const signal = AbortSignal.timeout(options.timeoutMs)
  let at = known.endpoint
  const ask: Visit['ask'] = (sent) => {
    at = sent.url
    return walking.ask(sent)
  }
  try {
    return await run({ ...walking, signal, ask } as Visit<Condition>) // what it needs is there
  } catch (error) {
    return broken(at.origin, connectionTrouble(at, error, options.timeoutMs))
  }
}

/** At the end, when nothing on the way is broken. */
async function tellHosts(walking: Walking, onStep: (report: StepReport) => void): Promise<void> {
  const { hosts, timeoutMs } = walking.options
  const signal = AbortSignal.timeout(maxTimeouts * timeoutMs)
  const ask: Visit['ask'] = async (sent) => {
    signal.throwIfAborted()
    return walking.ask(sent)
  }
  await examineHosts({ ...walking, signal, ask }, hosts, (name, finding) => onStep({ step: name, finding }))
}

/** After so many waits for an answer that does not come no client is asked any more. */
const maxTimeouts = 3

/** Notes what time the answers tell. */
function asking({ ca, timeoutMs, clock }: DoctorOptions, times: ServerTime[]): Visit['ask'] {
  return async (sent) => {
    const answer = await fetchAnswer(sent, { ca, signal: AbortSignal.timeout(timeoutMs) })
    const said = Date.parse(answer.headers.date ?? '')
    if (!Number.isNaN(said)) times.push({ said, heard: clock() })
    return answer
  }
}
