/** The tool of a route: what the model reads about it. */
import type { DeclaredMethod } from '../declared.ts'
import type { Hints, Schema, Tool, Verb } from '../model.ts'
import type { Place } from './params.ts'

/** Why a method can be no tool; null = it can. */
export function noToolBecause({ routes, params, result, returns }: DeclaredMethod): string | null {
  if (routes.some(({ websocket }) => websocket)) return 'a tool call has no socket'
  if (params.some(({ required, schema }) => required && isFile(schema))) return 'a tool call sends no file'
  const answers = [result, ...returns.map(({ schema }) => schema)]
  return answers.some((schema) => schema?.kind === 'events')
    ? 'a tool call gets one answer, not events'
    : null
}

/** Whether `schema` is an uploaded file or a list of files. */
export function isFile(schema: Schema): boolean {
  return schema.kind === 'file' || (schema.kind === 'array' && isFile(schema.items))
}

/** The tool of `method` at its longest address. */
export function toTool(name: string, method: DeclaredMethod, { verb, path }: Place): Tool {
  const { doc, mcp } = method
  const text = doc.description === '' ? doc.summary : doc.description
  return {
    name,
    root: mcp.root === true,
    title: mcp.title,
    description: mcp.describe ?? (text === '' ? `${verb} ${path}` : text),
    mirrors: mcp.mirrors.map(({ argument, header }) => ({ argument, header })),
    hints: hintsOf(verb, mcp.hints),
    examples: mcp.examples,
  }
}

function hintsOf(verb: Verb, said: DeclaredMethod['mcp']['hints']): Hints {
  return {
    readOnly: said.readOnly ?? (verb === 'GET' || verb === 'OPTIONS'),
    destructive: said.destructive ?? verb === 'DELETE',
    idempotent: said.idempotent ?? (verb === 'PUT' || verb === 'DELETE'),
    openWorld: said.openWorld ?? false,
  }
}
