/** Walks from outside the way that an MCP client takes to a tool call, step by step, as far as it leads. */
import { examineHosts, type HostFinding } from './hosts/examine-hosts.ts'
import { fetchAnswer, type ReadAnswer, type Sent } from './request.ts'
import {
  broken,
  type DoctorOptions,
  type Finding,
  type Known,
  notTried,
  type ServerTime,
  type Step,
} from './step.ts'
import { addressStep, connectionTrouble } from './steps/address.ts'
import { authorizationStep, registrationStep } from './steps/authorization.ts'
import { clockStep } from './steps/clock.ts'
import { endpointStep } from './steps/endpoint.ts'
import { identityProvidersStep } from './steps/identity-providers.ts'
import { resourceMetadataStep, serverMetadataStep } from './steps/metadata.ts'
import { callStep, discoverStep, initializeStep, listStep, longMessageStep } from './steps/protocol.ts'
import { type LoopbackListener, listenOnLoopback } from './steps/sign-in.ts'
import { streamStep } from './steps/stream.ts'
import { credentialStep, giveBack, tokenEndpointStep, tokenStep } from './steps/token.ts'

/** What a step came to, under its name. */
export interface StepReport {
  readonly step: string
  readonly finding: HostFinding
}

/** In the order of the protocol; `listener` is where a browser comes back to. */
const stepsWith = (
  listener: LoopbackListener | null,
  { examineProviders }: Pick<DoctorOptions, 'examineProviders'>,
): readonly Step[] => [
  addressStep,
  endpointStep,
  resourceMetadataStep,
  serverMetadataStep,
  ...(examineProviders === null ? [] : [identityProvidersStep(examineProviders)]),
  registrationStep(listener?.redirectUri ?? 'http://127.0.0.1/callback'),
  authorizationStep,
  tokenEndpointStep,
  tokenStep(listener),
  credentialStep,
  initializeStep,
  discoverStep,
  listStep,
  callStep,
  longMessageStep,
  streamStep,
  clockStep,
]

/** Tells each step's outcome as soon as it is there. What follows a broken link is not tried, but for the clock. */
export async function walk(options: DoctorOptions, onStep: (report: StepReport) => void): Promise<void> {
  const listener = options.showSignIn === null ? null : await listenOnLoopback()
  const times: ServerTime[] = []
  let known: Known = { ...nothingKnown, endpoint: options.url }
  let isOver = false
  try {
    for (const step of stepsWith(listener, options)) {
      const isLate = isOver && (step !== clockStep || times.length === 0)
      const finding = isLate ? notTried('') : await take(step, { known, options, times })
      if (finding.state !== 'not tried') known = { ...known, ...finding.learned }
      if (finding.state === 'failed' && finding.isEnd) isOver = true
      onStep({ step: step.name, finding })
    }
    if (!isOver) await tellHosts({ known, options, times }, onStep)
  } finally {
    listener?.close()
    await giveBack({ known, ask: asking({ options, times }) })
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

interface Walking {
  readonly known: Known
  readonly options: DoctorOptions
  readonly times: ServerTime[]
}

async function take(step: Step, { known, options, times }: Walking): Promise<Finding> {
  const signal = AbortSignal.timeout(options.timeoutMs)
  let at = known.endpoint
  const requested = asking({ options, times })
  const noted = (sent: Sent): Promise<ReadAnswer> => {
    at = sent.url
    return requested(sent)
  }
  try {
    return await step.run({ known, options, times, signal, ask: noted })
  } catch (error) {
    return broken(at.origin, connectionTrouble(at, error, options.timeoutMs))
  }
}

/** At the end, when nothing on the way is broken. */
async function tellHosts(
  { known, options, times }: Walking,
  onStep: (report: StepReport) => void,
): Promise<void> {
  const signal = AbortSignal.timeout(maxTimeouts * options.timeoutMs)
  const requested = asking({ options, times })
  const ask: Asking = async (sent) => {
    signal.throwIfAborted()
    return requested(sent)
  }
  const visit = { known, options, times, signal, ask }
  await examineHosts(visit, options.hosts, (step, finding) => onStep({ step, finding }))
}

/** After so many waits for an answer that does not come no client is asked any more. */
const maxTimeouts = 3

type Asking = (sent: Sent) => Promise<ReadAnswer>

function asking({ options, times }: Pick<Walking, 'options' | 'times'>): Asking {
  return async (sent) => {
    const answer = await fetchAnswer(sent, { ca: options.ca, signal: AbortSignal.timeout(options.timeoutMs) })
    const said = Date.parse(answer.headers.date ?? '')
    if (!Number.isNaN(said)) times.push({ said, heard: options.clock() })
    return answer
  }
}
