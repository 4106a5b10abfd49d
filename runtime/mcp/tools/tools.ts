import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { ToolEntry } from '../../contract/mcp.ts'
import { answerSettings } from '../answers/answered-call.ts'
import { toContents } from '../answers/result.ts'
import {
  endedCall,
  type GuardedCall,
  ownAnswer,
  type Runner,
  refusedAnswer,
  type ToolCall,
} from '../calls/tool-answer.ts'
import type { EndpointPart, OwnTool } from '../part.ts'
import type { Refusal } from '../protocol/http-refusal.ts'
import { paramHeaderCheck } from '../protocol/param-headers.ts'
import { unknownTool } from './near-tools.ts'
import { routeTool, type ToolDependencies, type ToolOptions } from './route-tool.ts'
import { metaToolNames, metaToolSchemas } from './tool-list.ts'
import type { MetaAnswer } from './toolboxes.ts'

export interface Tools {
  has(name: string): boolean
  /** What runs it; where there is no such tool, it rejects with -32602 (and near matches). */
  runner(name: string): Runner
  /** What the guards of the call's route are asked before anything runs; null when it reaches no route. A refusal has its line
   *  in the log. */
  guarded(call: ToolCall): GuardedCall | null
}

interface ToolsDependencies extends ToolDependencies {
  readonly parts: readonly EndpointPart[]
}

/** Every tool by name, listed or not, and the meta tools; the names were checked at boot. Source: rules.md, What the service does 1; MCP 2025-11-25, Tools, error handling. */
export function createTools(options: ToolOptions, deps: ToolsDependencies): Tools {
  const runners = new Map(options.catalogue.tools.map((tool) => [tool.name, runnerOf(tool, options, deps)]))
  for (const name of Object.values(metaToolNames)) runners.set(name, metaRunner(name, runners, deps))
  return {
    has: (name) => runners.has(name),
    runner: (name) => runners.get(name) ?? unknownRunner,
    guarded: (call) => {
      const runner = runners.get(call.name) ?? unknownRunner
      const found = runner.guarded(call)
      return found && { ...found, refusal: () => recordedRefusal(found, { call, runner, ...deps }) }
    },
  }
}

interface Judged extends Pick<ToolDependencies, 'records'> {
  readonly call: ToolCall
  readonly runner: Runner
}

async function recordedRefusal(
  { refusal: ask }: GuardedCall,
  { call, runner, records }: Judged,
): Promise<Refusal | null> {
  const refusal = await ask()
  if (refusal === null) return null
  await records.ended(call, endedCall(runner.subject(call), refusedAnswer(refusal)), records.begin(call))
  return refusal
}

/** A name that does not exist is limited as a call is: looking for near ones costs too. */
const unknownRunner: Runner = {
  checkHeaders: null,
  guarded: () => null,
  subject: ({ args }) => ({ tool: null, args }),
  run: async ({ name, client: { permission } }) => {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownTool(name, permission.view.dangers))
  },
}

/** Each caller has meta tools of its own. */
function metaRunner(
  name: string,
  runners: ReadonlyMap<string, Runner>,
  { tellMore }: Pick<ToolDependencies, 'tellMore'>,
): Runner {
  const schema = metaToolSchemas.get(name)
  const meta = ({ args, message: { era }, client: { permission } }: ToolCall): MetaAnswer => {
    const metaTool = permission.view.metaTools.get(name)
    if (metaTool === undefined) throw new Error(`there is no meta tool ${name}`)
    return metaTool(args, era)
  }
  const runnerFor = (tool: ToolEntry): Runner => {
    const runner = runners.get(tool.name)
    if (runner === undefined) throw new Error(`${tool.name} is in the catalogue and cannot run`)
    return runner
  }
  return {
    checkHeaders: schema === undefined ? null : paramHeaderCheck(schema),
    run: async (call) => {
      const found = meta(call)
      if (found.kind === 'run') return runnerFor(found.tool).run({ ...call, args: found.args })
      const { lacking } = found
      const result = lacking.length === 0 ? found.result : await tellMore(found.result, lacking, call.client)
      return endedCall({ tool: null, args: call.args }, ownAnswer(result))
    },
    subject: (call) => {
      const { args } = call
      try {
        const found = meta(call)
        return found.kind === 'run' ? { tool: found.tool, args: found.args } : { tool: null, args }
      } catch {
        return { tool: null, args }
      }
    },
    guarded: (call) => {
      const found = meta(call)
      return found.kind === 'run' ? runnerFor(found.tool).guarded({ ...call, args: found.args }) : null
    },
  }
}

function runnerOf(tool: ToolEntry, options: ToolOptions, deps: ToolsDependencies): Runner {
  const route = options.routes.get(tool.route)
  if (route === undefined)
    throw new Error(`the tool '${tool.name}' runs the route '${tool.route}', which is not served`)
  const answerChars = options.answerCharsOf.get(tool.name) ?? tool.budget ?? options.answerChars
  const { resources = [] } = options.catalogue
  const settings = { ...options, ...deps, answerChars, resources, toContents }
  const sealedBy: OwnTool['sealedBy'] = (states) => routeTool(tool, route, { ...settings, states })
  const answersOf: OwnTool['answersOf'] = (verb) => answerSettings(tool, verb, settings)
  const own = { tool, plain: sealedBy(deps.states), sealedBy, answersOf }
  for (const { runner } of deps.parts) {
    const found = runner?.(own) ?? null
    if (found !== null) return found
  }
  return own.plain
}
