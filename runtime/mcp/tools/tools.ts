import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { MaybePromise } from '../../contract/http.ts'
import type { ToolEntry } from '../../contract/mcp.ts'
import { CallTime } from '../limits/call-time.ts'
import { paramHeaderCheck } from '../protocol/param-headers.ts'
import { type Dangers, unknownTool } from './near-tools.ts'
import { failure } from './result.ts'
import { routeTool, type ToolDependencies, type ToolOptions } from './route-tool.ts'
import type { NamedCall, Runner, ToolAnswer, ToolCall } from './tool-answer.ts'
import { metaToolSchemas } from './tool-list.ts'
import { createMetaTools, dangersOf, type MetaTool } from './toolboxes.ts'

export interface Tools {
  has(name: string): boolean
  /** Throws or rejects with -32602 (and near matches) when there is no such tool. */
  call(call: NamedCall): MaybePromise<ToolAnswer>
}

/** Every tool by name, listed or not, and the meta tools; the names were checked at boot. Source: specification, What the service does, rule 1; MCP, Tools, error handling. */
export function createTools(options: ToolOptions, deps: ToolDependencies): Tools {
  const runners = new Map(options.catalogue.tools.map((tool) => [tool.name, runnerOf(tool, options, deps)]))
  for (const [name, metaTool] of createMetaTools(options.catalogue)) {
    runners.set(name, metaRunner(name, metaTool, runners))
  }
  const dangers = dangersOf(options.catalogue)
  const limiting = { ...deps, log: options.log }
  return {
    has: (name) => runners.has(name),
    call: ({ name, args, sent, client, caller, message }) => {
      const runner = runners.get(name) ?? unknownRunner(dangers)
      const [note, time] = [{ tool: null, status: null }, new CallTime()]
      const call: ToolCall = { name, args, sent, client, caller, message, note, time } // a spread costs 2 µs
      return deps.logCall(call, (logged) => runLimited(limiting, logged, runner))
    },
  }
}

/** A name that does not exist is limited as a call is: looking for near ones costs too. */
const unknownRunner = (dangers: Dangers): Runner => ({
  checkHeaders: null,
  run: async ({ name }) => {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownTool(name, dangers))
  },
})

/** Mirrored headers, then the limits, then the call. */
function runLimited(limiting: LimitDependencies, call: ToolCall, runner: Runner): MaybePromise<ToolAnswer> {
  const { countCall, running, log } = limiting
  const { client, caller, message, args } = call
  const mismatch = message.era === 'modern' ? (runner.checkHeaders?.(args, client.headers) ?? null) : null
  if (mismatch !== null) return { kind: 'refused', refusal: { kind: 'headerMismatch', mismatch } }
  const overload = running.overload(caller) ?? countCall(caller)
  if (overload !== null) return { kind: 'refused', refusal: { kind: 'overload', overload } }
  return running.run(caller, {
    time: call.time,
    run: () => runner.run(call),
    tooLong: () => {
      call.note.status = 504
      log.warn({ tool: call.name }, 'a tool call took too long')
      return tooLong
    },
  })
}

type LimitDependencies = Pick<ToolDependencies, 'countCall' | 'running'> & Pick<ToolOptions, 'log'>

/** What the model reads when the time is up. */
const tooLong: ToolAnswer = {
  kind: 'contents',
  contents: {
    kind: 'result',
    result: failure('504 Gateway Timeout\nthe call took too long and was stopped'),
  },
  outputSchema: null,
}

function metaRunner(name: string, metaTool: MetaTool, runners: ReadonlyMap<string, Runner>): Runner {
  const schema = metaToolSchemas.get(name)
  return {
    checkHeaders: schema === undefined ? null : paramHeaderCheck(schema),
    run: async (call) => {
      const meta = metaTool(call.args)
      if (meta.kind === 'answer') {
        return { kind: 'contents', contents: { kind: 'result', result: meta.result }, outputSchema: null }
      }
      const runner = runners.get(meta.tool.name)
      if (runner === undefined) throw new Error(`${meta.tool.name} is in the catalogue and cannot run`)
      return runner.run({ ...call, args: meta.args })
    },
  }
}

function runnerOf(tool: ToolEntry, options: ToolOptions, deps: ToolDependencies): Runner {
  const route = options.routes.get(tool.route)
  if (route === undefined)
    throw new Error(`the tool '${tool.name}' runs the route '${tool.route}', which is not served`)
  const { baseUrl, invoke, log, production } = options
  const { authenticates, states, toolsChanged } = deps
  const answerChars = options.answerCharsOf.get(tool.name) ?? options.answerChars
  const settings = { baseUrl, invoke, log, production, answerChars }
  return routeTool(tool, route, { ...settings, authenticates, states, toolsChanged })
}
