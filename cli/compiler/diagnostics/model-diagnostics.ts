/** Mistakes that show when the whole model is known (ACM2…). One function a diagnostic. */

import type { At } from '../ir/schema.ts'
import { type Diagnostic, error, firstAndMore, place, warning } from './source-diagnostics.ts'

export const routeTaken = (at: At, route: string, member: string, other: string): Diagnostic =>
  error('ACM201', at, [
    `${route} is served by ${member} and by ${other}`,
    'Change the path or the verb of one of the two.',
  ])

export const idTaken = (at: At, id: string, member: string, other: string): Diagnostic =>
  error('ACM202', at, [
    `the tool name ${id} is that of ${member} and of ${other}`,
    'Rename the class or the method of one of the two.',
  ])

export const badToolName = (at: At, name: string): Diagnostic =>
  error('ACM203', at, [
    `the tool name '${name}' does not match ^[A-Za-z0-9_-]{1,64}$`,
    'Shorten or rename the class or the method, give the tool a name with @mcp name=…, or hide it with @mcp hide.',
  ])

export const pathParameterUnused = (
  at: At,
  name: string,
  path: string,
  member: string,
  meant: string,
): Diagnostic =>
  error('ACM204', at, [
    `the path parameter :${name} of ${path} has no argument in ${member}`,
    `Add a parameter named ${name}, or Named<'${name}', …>, to the method or to a filter that covers it.${meant}`,
  ])

export const handlerStatusMissing = (at: At, name: string): Diagnostic =>
  warning('ACM205', at, [
    `the handler ${name} has no status: 200 is sent`,
    'Write the status after the class, or `default` for a handler that renders its own.',
  ])

export const toolTextMissing = (at: At, id: string): Diagnostic =>
  warning('ACM206', at, [
    `the tool ${id} has no description`,
    "Write a sentence above the method's tags: the model chooses by it.",
  ])

export const unknownMethod = (at: At, tag: string, name: string, owner: string, meant: string): Diagnostic =>
  error('ACM207', at, [
    `@${tag}: ${owner} and its ancestors have no ${name}`,
    `Write the method's own name.${meant}`,
  ])

export const twoBodies = (at: At, method: string, name: string): Diagnostic =>
  error('ACM208', at, [
    `${method} takes ${name} from the body too, which is one Body<T>`,
    'Use one Body<T>; files are fields of a form, beside plain parameters.',
  ])

export const bodyNotAllowed = (at: At, name: string, verb: string): Diagnostic =>
  error('ACM209', at, [
    `${name} reads the body, which ${verb} requests do not have`,
    'Use a plain parameter.',
  ])

export const badExample = (at: At, tool: string, problem: string): Diagnostic =>
  error('ACM210', at, [
    `the example does not fit the tool ${tool}: ${problem}`,
    "Write arguments that the tool's input schema accepts.",
  ])

export const badDefault = (at: At, name: string, problem: string): Diagnostic =>
  error('ACM211', at, [
    `the default of ${name} does not fit its type: ${problem}`,
    'Write a default that a caller could send too.',
  ])

export const exampleWithoutTool = (at: At, name: string): Diagnostic =>
  error('ACM212', at, [
    `${name} is not a tool: nobody would see the example`,
    'Remove the example, or show the tool with @mcp show.',
  ])

export const tagWithoutTool = (at: At, tag: string, name: string, why: string): Diagnostic =>
  warning('ACM249', at, [
    `${tag} is for tools, and ${name} is none: ${why}`,
    'Remove the tag, or make it a tool.',
  ])

export const handlerNeverRuns = (at: At, handler: string, first: string, cure: string): Diagnostic =>
  warning('ACM213', at, [`the handler ${handler} never runs: ${first} answers before it`, cure])

export const optionalPathRequired = (at: At, name: string, path: string): Diagnostic =>
  error('ACM214', at, [
    `${name} is required, but ${path} is also served without it`,
    `Make ${name} optional, or write :${name} in the path.`,
  ])

export const handledTwice = (at: At, name: string, first: At): Diagnostic =>
  error('ACM215', at, [
    `${name} is already handled by this class at ${place(first)}`,
    'Remove one of the two: the first always answers.',
  ])

export const handlerTakesBody = (at: At, name: string): Diagnostic =>
  error('ACM216', at, [
    `the handler's extra argument ${name} is the whole body`,
    'Take plain optional parameters: the body may be what could not be read.',
  ])

export const shownWithoutTool = (at: At, name: string, why: string): Diagnostic =>
  warning('ACM217', at, [`${name} cannot be a tool: ${why}`, 'Remove @mcp root or @mcp show.'])

export const typeWithoutResponder = (at: At, type: string): Diagnostic =>
  error('ACM218', at, [
    `nothing writes ${type}`,
    'Return a text or bytes, use application/json, application/yaml, text/yaml or text/plain, or add it to `responders` in app/config.ts.',
  ])

export const badWrittenValue = (at: At, tag: string, written: string, problem: string): Diagnostic =>
  error('ACM219', at, [
    `@${tag}: ${written} does not fit the type: ${problem}`,
    'Write a value that a caller could send, as JSON.',
  ])

export const badArgumentHeader = (at: At, argument: string, meant: string): Diagnostic =>
  error('ACM220', at, [
    `@mcp header: the tool has no plain argument ${argument}`,
    `Name an argument that is a text, a whole number or a boolean.${meant}`,
  ])

export const argumentTextMissing = (at: At, argument: string, id: string): Diagnostic =>
  warning('ACM221', at, [
    `the required argument ${argument} of the tool ${id} has no description`,
    'Write `@param name - text`: the model fills it in by that text.',
  ])

export const duplicateTexts = (at: At, id: string, first: At): Diagnostic =>
  warning('ACM222', at, [
    `the tool ${id} has the same description as the one at ${place(first)}`,
    'Say in each what only it does: the model chooses by it.',
  ])

export const textTooLong = (at: At, id: string, length: number, most: number): Diagnostic =>
  warning('ACM223', at, [
    `the description of the tool ${id} has ${length} characters, more than ${most}`,
    'Keep what decides when to use it, or write a shorter text with @mcp describe.',
  ])

export const overBudget = (at: At, what: string, size: string, most: string): Diagnostic =>
  warning('ACM224', at, [
    `${what} takes ${size}, more than ${most}`,
    'Every conversation pays for it: shorten texts and types, or list fewer at the top level.',
  ])

export const controllerNameTaken = (at: At, name: string, other: string): Diagnostic =>
  error('ACM225', at, [
    `the controller name ${name} is also that of ${other}`,
    'Rename one of the two: tools, operations and the OpenAPI tag are called by it.',
  ])

export const headerNeverSent = (
  at: At,
  header: string,
  tools: readonly string[],
  controller: string,
): Diagnostic =>
  error('ACM226', at, [
    `every call of the tool ${firstAndMore(tools)} of ${controller} would be refused: it needs the header ${header}, which no tool call carries and no model may choose`,
    'Hide the class or the method with @mcp hide, or make the parameter optional. A header of your own, which says neither who calls nor by which way, goes along where mcp.forwardHeaders names it.',
  ])

export const argumentIsHeader = (at: At, tool: string, argument: string, header: string): Diagnostic =>
  warning('ACM227', at, [
    `the tool ${tool} takes the header ${header} as its argument ${argument}: the model fills it in`,
    'What says who is asking, or what they may do, belongs in a filter. If a model may choose it, as a version or a language, say so with @mcp show on the method.',
  ])

export const wideUnion = (at: At, name: string, count: number, most: number): Diagnostic =>
  warning('ACM366', at, [
    `'${name}' has a union of ${count} object types that no property tells apart, more than ${most}: each value that a caller sends is tried against every one`,
    "Give each member a property with a literal of its own, such as `kind: 'card'`: one look then decides.",
  ])

export const readerWrites = (at: At, tool: string, call: string): Diagnostic =>
  warning('ACM373', at, [
    `the tool ${tool} says that it only reads, and calls ${call}`,
    'Draw a route that changes something with @post, @put, @patch or @delete. Of one that only reads all the same say so with @mcp readOnly; of one that writes, @mcp readOnly=false.',
  ])

export const credentialShown = (at: At, tool: string, shown: string): Diagnostic =>
  warning('ACM374', at, [
    `models read credentials by the tool ${tool}: ${shown}`,
    'Hide the route from models with @mcp hide, or write @secret at what no model may have. Where models are to have it, say so with @mcp show.',
  ])

export const toolboxTextMissing = (at: At, id: string): Diagnostic =>
  warning('ACM375', at, [
    `the toolbox ${id} has no description beyond its name`,
    'Write a sentence above the class, about what its tools are for: models choose the toolbox by it.',
  ])

export const textsConfused = (
  at: At,
  name: string,
  place: string,
  first: string,
  other: string,
): Diagnostic =>
  error('ACM239', at, [
    `no text of ${name} in a ${place} tells ${first} from ${other}`,
    'Take one of the two, or take both in a JSON body.',
  ])
