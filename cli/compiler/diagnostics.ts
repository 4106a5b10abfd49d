/** Mistakes in the application, as data. One function a diagnostic. Imports nothing of ours but the model's `At`. */
import type { At } from './model.ts'

export interface Diagnostic {
  /** `ACM101` … */
  readonly code: string
  readonly severity: 'error' | 'warning'
  readonly message: string
  readonly hint: string
  readonly at: At
}

type Text = readonly [message: string, hint: string]

const error = (code: string, at: At, [message, hint]: Text): Diagnostic => ({
  code,
  severity: 'error',
  message,
  hint,
  at,
})
const warning = (code: string, at: At, [message, hint]: Text): Diagnostic => ({
  ...error(code, at, [message, hint]),
  severity: 'warning',
})
const place = (at: At): string => `${at.file}:${at.line}`

export const noControllers = (at: At): Diagnostic =>
  error('ACM101', at, [
    'no controllers found',
    'Export a class that extends Controller from a file under app/controllers/.',
  ])

export const syntaxError = (at: At, message: string): Diagnostic =>
  error('ACM102', at, [message, 'Correct the TypeScript syntax; nothing else in this file was checked.'])

export const configMissing = (at: At): Diagnostic =>
  error('ACM103', at, [
    'app/config.ts does not exist',
    'Create it with: export const config = defineApp({ … })',
  ])

export const classNotExported = (at: At, name: string): Diagnostic =>
  error('ACM104', at, [`the controller ${name} is not exported`, 'Write `export class`, under its own name.'])

export const notAController = (at: At, name: string): Diagnostic =>
  error('ACM105', at, [
    `${name} has tags of a controller but does not extend Controller`,
    'Extend Controller from acmcp, directly or through an abstract class, or remove the tags.',
  ])

export const baseUnknown = (at: At, name: string): Diagnostic =>
  error('ACM106', at, [
    `the base class of ${name} cannot be followed`,
    'Extend a named class; mixins and computed base classes are not read.',
  ])

export const packageMissing = (at: At): Diagnostic =>
  error('ACM107', at, [`the package 'acmcp' cannot be resolved from app/`, 'Install it: npm install acmcp'])

export const settingsUnreadable = (at: At, message: string): Diagnostic =>
  warning('ACM108', at, [message, 'The option is ignored; the rest of tsconfig.json is used.'])

export const unknownTag = (at: At, written: string, meant: string): Diagnostic =>
  error('ACM110', at, [`unknown tag @${written}`, `Did you mean @${meant}?`])

export const textAfterTag = (at: At, tag: string): Diagnostic =>
  error('ACM111', at, [
    `text after the line of @${tag} would be lost`,
    'Move the text above the first tag: one line is one tag.',
  ])

export const tagInWrongPlace = (at: At, tag: string, why: string): Diagnostic =>
  error('ACM112', at, [
    `@${tag} ${why} has no effect`,
    'Move it to the last doc comment before the declaration.',
  ])

export const badTag = (at: At, tag: string, why: string, hint: string): Diagnostic =>
  error('ACM113', at, [`@${tag}: ${why}`, hint])

export const unsupportedTag = (at: At, tag: string): Diagnostic =>
  error('ACM114', at, [
    `@${tag} is not supported yet`,
    'Remove it, or use a version of acmcp that supports it.',
  ])

export const badStatus = (at: At, tag: string, written: string): Diagnostic =>
  error('ACM115', at, [`@${tag}: '${written}' is not a status`, 'Write a number from 200 to 599.'])

export const unresolvedException = (at: At, written: string): Diagnostic =>
  error('ACM116', at, [`@exception: cannot find the class '${written}'`, 'Import the class in this file.'])

export const symbolNotExported = (at: At, name: string): Diagnostic =>
  error('ACM117', at, [`the class ${name} is not exported`, 'The generated table imports it: export it.'])

export const notPublic = (at: At, name: string): Diagnostic =>
  error('ACM118', at, [
    `${name} is tagged but private, protected or static`,
    'Make it a public method, or remove the tags.',
  ])

export const floatingRender = (at: At, call: string): Diagnostic =>
  error('ACM119', at, [`the result of this.${call}() is not used`, `Write: return this.${call}(…)`])

export const unsupportedType = (at: At, path: string, type: string, why: string): Diagnostic =>
  error('ACM120', at, [`${path}: the type ${type} ${why}`, 'Use a type that has a JSON form.'])

export const schemaNameTaken = (at: At, name: string, first: At): Diagnostic =>
  error('ACM121', at, [
    `the type name ${name} is already used by another type at ${place(first)}`,
    'Rename one of the two.',
  ])

export const unreadableParameter = (at: At, why: string): Diagnostic =>
  error('ACM122', at, [why, 'Give every value its own named parameter.'])

export const aroundWithoutNext = (at: At, name: string): Diagnostic =>
  error('ACM123', at, [
    `the around filter ${name} does not take next`,
    'Make `next: () => Promise<void>` its first parameter.',
  ])

export const handlerArgumentRequired = (at: At, name: string): Diagnostic =>
  error('ACM124', at, [
    `the handler's extra argument ${name} is required`,
    'Make it optional: a request that failed may not have it.',
  ])

export const handlerWithoutError = (at: At, name: string): Diagnostic =>
  error('ACM125', at, [`the handler ${name} does not take the error`, 'Make the error its first parameter.'])

export const taggedTwice = (at: At, name: string, first: At): Diagnostic =>
  error('ACM126', at, [
    `${name} already has tags at ${place(first)}`,
    'An override without tags runs in place of the inherited method: remove the tags here.',
  ])

export const rolesMixed = (at: At, name: string): Diagnostic =>
  error('ACM127', at, [
    `${name} is more than one of route, filter and exception handler`,
    'Split it into one method each.',
  ])

export const unknownParameter = (at: At, name: string): Diagnostic =>
  error('ACM128', at, [`@param: there is no parameter '${name}'`, "Write the parameter's own name."])

export const enumParameter = (at: At, path: string, name: string): Diagnostic =>
  error('ACM129', at, [
    `${path}: the generated table cannot write values of the enum ${name}`,
    `Use a union of its values instead, such as type ${name} = 'a' | 'b'.`,
  ])

export const routeTaken = (at: At, route: string, first: At): Diagnostic =>
  error('ACM201', at, [
    `${route} is already served by ${place(first)}`,
    'Change the path or the verb of one of the two.',
  ])

export const idTaken = (at: At, id: string, first: At): Diagnostic =>
  error('ACM202', at, [
    `the tool name ${id} is already used at ${place(first)}`,
    'Rename the class or the method of one of the two.',
  ])

export const badToolName = (at: At, name: string): Diagnostic =>
  error('ACM203', at, [
    `the tool name '${name}' does not match ^[A-Za-z0-9_-]{1,64}$`,
    'Shorten or rename the class or the method, or hide it with @mcp hide.',
  ])

export const pathParameterUnused = (at: At, name: string, path: string): Diagnostic =>
  error('ACM204', at, [
    `the path parameter :${name} of ${path} has no argument`,
    `Add a parameter named ${name}, or Named<'${name}', …>, to the method or to a filter that covers it.`,
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

export const unknownMethod = (at: At, tag: string, name: string): Diagnostic =>
  error('ACM207', at, [`@${tag}: there is no ${name}`, "Write the method's own name."])

export const twoBodies = (at: At, name: string): Diagnostic =>
  error('ACM208', at, [
    `${name} takes more from the body than one Body<T>`,
    'Use one Body<T>, or only plain parameters.',
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

export const handlerNeverRuns = (at: At, handler: string, first: At): Diagnostic =>
  warning('ACM213', at, [
    `the handler ${handler} never runs: ${place(first)} answers before it`,
    'Handlers of ancestors come first, then source order, and the first whose class fits answers: narrow or move one.',
  ])
